"""The parent's side: starts the metronome's process, follows its progress, ends it and takes its account."""

import threading
from dataclasses import fields
from types import TracebackType
from typing import Any

from switchover.metronome.account import MetronomeProgress
from switchover.metronome.spec import MetronomeSpec
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.process.json_child import JsonChild

READY_TIMEOUT_S = 15.0
"""Start of Python, name resolution, opening of files; a resolver that does not answer takes 10 s by default."""
STOP_TIMEOUT_S = 10.0
"""On top of the probes' own timeouts, for writing on a busy disk."""

ACCOUNT = (
    "scheduled",
    "recorded",
    "unsent",
    "gaps",
    "lag_p50_ms",
    "lag_p99_ms",
    "lag_max_ms",
    "first_due_us",
    "last_due_us",
    "rate",
    "kept",
    "cpu_percent",
    "realtime",
    "lost",
    "warning",
)
"""The fields of an account. Those of the schedule are the fresh stream's; `kept` has the same for the kept one.
`realtime`: the process had real-time scheduling up to its end; `lost`: recorded, but the disk was full."""

_PROGRESS = tuple(item.name for item in fields(MetronomeProgress))


class Metronome:
    """A running metronome. As a context manager it stops when the block ends, also by an exception."""

    def __init__(self, spec: MetronomeSpec, clock: Clock) -> None:
        self._lasts_s = spec.timeout_connect_s + spec.timeout_read_s
        self._progress: MetronomeProgress | None = None
        self._account: dict[str, Any] | None = None
        self._address: str | None = None
        self._error: str | None = None
        self._settled = threading.Event()
        """It is ready, or has said why not."""
        self._child = JsonChild("switchover.metronome", "metronome", clock, self._hear, ended=self._settled.set)
        self._child.tell_line(spec.to_json())

    @classmethod
    def start(cls, spec: MetronomeSpec, clock: Clock | None = None) -> "Metronome":
        """Start it and wait until it is ready; SwitchoverError with its own words if it cannot be.

        Without a `clock` it is the one that this process inherited or takes now.
        """
        metronome = cls(spec, clock or Clock.of_process())
        if not metronome._settled.wait(READY_TIMEOUT_S) or metronome._address is None:
            silent = f"the metronome was not ready within {READY_TIMEOUT_S:g} s: is the name server silent?"
            ended = metronome._child.died
            metronome._child.kill()
            raise SwitchoverError(metronome._error or ended or silent)
        return metronome

    def __enter__(self) -> "Metronome":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def address(self) -> str:
        """Where the URL's name led, `198.18.0.50:80`."""
        return self._address or ""

    @property
    def died(self) -> str | None:
        """Why it ended without having been asked to; None while it runs and after `stop`."""
        return self._child.died

    def progress(self) -> MetronomeProgress | None:
        """The latest state, at most about a second old; None before the first."""
        return self._progress

    @property
    def silent_s(self) -> float:
        """How long it has said nothing; it speaks each second."""
        return self._child.silent_s

    def stop(self) -> dict[str, Any]:
        """End it, wait for the probes under way, and return its account; again, the same account.

        An account that never came (the process had died) has the counts that were last known, and a `warning`.
        """
        died = self.died
        self._child.hang_up()
        if not self._child.wait(self._lasts_s + STOP_TIMEOUT_S):
            died = f"the metronome did not end within {self._lasts_s + STOP_TIMEOUT_S:g} s and was killed"
        self._child.kill()
        if self._account is None:
            self._account = _account_of_the_dead(self._progress, died or self._child.reason())
        return self._account

    def _hear(self, message: dict[str, Any]) -> None:
        if "ready" in message:
            self._address = message["address"]
            self._settled.set()
        elif "error" in message:
            self._error = message["error"]
        elif "account" in message:
            self._account = message["account"]
        else:
            state: dict[str, Any] = {name: message.get(name) for name in _PROGRESS}
            self._progress = MetronomeProgress(**state)


def _account_of_the_dead(progress: MetronomeProgress | None, reason: str) -> dict[str, Any]:
    recorded = progress.good + progress.failed + progress.late + progress.unsent if progress else None
    return {**dict.fromkeys(ACCOUNT), "recorded": recorded, "gaps": [], "warning": reason}
