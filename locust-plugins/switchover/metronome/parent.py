"""The parent's side: starts the metronome's process, follows its progress, ends it and takes its account."""

from dataclasses import fields
from types import TracebackType
from typing import Any

from switchover.metronome.account import MetronomeProgress
from switchover.metronome.spec import MetronomeSpec
from switchover.model.clock import Clock
from switchover.process.measuring_child import MeasuringChild

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
    "seals",
)
"""The fields of an account. Those of the schedule are the fresh stream's; `kept` has the same for the kept one.
`realtime`: the process had real-time scheduling up to its end; `lost`: recorded, but the disk was full; `seals`: of
its files, as in `Run`."""

_PROGRESS = tuple(item.name for item in fields(MetronomeProgress))


class Metronome:
    """A running metronome. As a context manager it stops when the block ends, also by an exception."""

    def __init__(self, spec: MetronomeSpec, clock: Clock) -> None:
        self._lasts_s = spec.timeout_connect_s + spec.timeout_read_s
        self._progress: MetronomeProgress | None = None
        self._account: dict[str, Any] | None = None
        self._child = MeasuringChild("switchover.metronome", "metronome", clock, self._hear)
        self._address: str = self._child.begin(spec.to_json())["address"]

    @classmethod
    def start(cls, spec: MetronomeSpec, clock: Clock | None = None) -> "Metronome":
        """Start it and wait until it is ready; SwitchoverError with its own words if it cannot be.

        Without a `clock` it is the one that this process inherited or takes now.
        """
        return cls(spec, clock or Clock.of_process())

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
        return self._address

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
        if self._account is None:
            account, reason = self._child.end(self._lasts_s)
            self._account = _account_of_the_dead(self._progress, reason) if account is None else account
        return self._account

    def _hear(self, message: dict[str, Any]) -> None:
        state: dict[str, Any] = {name: message.get(name) for name in _PROGRESS}
        self._progress = MetronomeProgress(**state)


def _account_of_the_dead(progress: MetronomeProgress | None, reason: str) -> dict[str, Any]:
    recorded = progress.good + progress.failed + progress.late + progress.unsent if progress else None
    return {**dict.fromkeys(ACCOUNT), "recorded": recorded, "gaps": [], "warning": reason}
