"""A fault that a chaos tool or an operator fires and heals. The drill only records the times.

Two files in the run directory mark the fault and its heal. The time of a mark is the modification time of the file.
The buttons Fire and Heal of the web page also make these files.
"""

from pathlib import Path

from switchover.faults.guard import EventSink, Firing, Healing
from switchover.model.clock import Clock
from switchover.rundir.run_directory import EXTERNAL
from switchover.target.model import FaultRecipe

FIRED_MARK = "external-fired"
HEALED_MARK = "external-healed"
MARK_WAIT_S = 3600.0
"""The longest wait for the mark of a fault, in seconds."""

RECIPE = FaultRecipe(EXTERNAL, kill=())
"""A recipe without commands, which needs no arming."""


class ExternalFault:
    """Replaces `Guard` for an external fault. It runs no command, and needs no watchdog."""

    last_words: str | None = None

    def __init__(self, directory: Path, clock: Clock, journal: EventSink) -> None:
        self._directory = directory
        self._clock = clock
        self._journal = journal
        self._since_us = clock.now_us()

    def __enter__(self) -> "ExternalFault":
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing, because there is nothing to heal."""

    def arm(self) -> None:
        """Do nothing, because there is nothing to arm."""

    def beat(self) -> None:
        """Do nothing, because there is no watchdog."""

    @property
    def invitation(self) -> str:
        return f"waiting for a fault that is fired elsewhere: touch {self._directory / FIRED_MARK}"

    def is_marked(self, mark: str) -> bool:
        return (self._directory / mark).exists()

    def dry_run(self) -> list[str]:
        return ["external: a drill waits for its mark and runs no command"]

    def fire(self, heal_within_s: float | None = None, checked_s: float | None = None) -> Firing:
        """Record the fault at the time of its mark. Without a mark, use the current time."""
        at_us = self._note("fault", FIRED_MARK)
        return Firing(at_us, at_us, at_us)

    def still_down(self) -> str | None:
        return None

    def heal(self) -> Healing:
        """Record the heal at the time of its mark. Without a mark, use the current time."""
        at_us = self._note("heal", HEALED_MARK)
        return Healing(at_us, at_us, at_us)

    def _note(self, kind: str, mark: str) -> int:
        now_us = at_us = self._clock.now_us()
        try:
            at_us = self._clock.from_wall_ns((self._directory / mark).stat().st_mtime_ns) // 1000
        except OSError:
            text = f"{EXTERNAL}: {kind}, without a mark"
        else:
            text = f"{EXTERNAL}: {kind}, by its mark"
        at_us = min(max(at_us, self._since_us), now_us)
        self._journal.event(kind, text, time_ns=at_us * 1000)
        return at_us
