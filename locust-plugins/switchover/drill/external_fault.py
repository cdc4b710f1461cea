"""A fault that somebody else fires and heals, such as a chaos tool or an operator. The drill only notes the times.

Two files in the run directory are its marks. The time of a mark is the time of the file's last change. The buttons
Fire and Heal of the web page make these marks too.
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
"""The recipe without commands, which needs no arming."""


class ExternalFault:
    """The replacement of a `Guard`. It fires and heals nothing, and needs no watchdog."""

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
        """Note the fault at the time of its mark, or now without a mark."""
        at_us = self._note("fault", FIRED_MARK)
        return Firing(at_us, at_us, at_us)

    def still_down(self) -> str | None:
        return None

    def heal(self) -> Healing:
        """Note the heal at the time of its mark, or now without a mark."""
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
