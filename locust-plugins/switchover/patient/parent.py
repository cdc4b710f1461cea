"""The parent's side: starts the process of the patient load, tells it of changes, ends it and takes its account."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from switchover.model.clock import Clock
from switchover.patient.spec import PatientSpec
from switchover.process.measuring_child import MeasuringChild


@dataclass(frozen=True, slots=True)
class PatientProgress:
    """How it stood a moment ago."""

    requests: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)
    """By kind; errors of the generator itself are not in it."""
    generator_errors: int = 0
    last_loss: str = ""
    open: Mapping[str, int] = field(default_factory=dict)
    """By kind."""
    workers: Mapping[str, int] = field(default_factory=dict)
    """Open connections by the balancer and the process of the balancer that they are on, as far as it says."""


class PatientLoad:
    """A running patient load. As a context manager it stops when the block ends, also by an exception."""

    def __init__(self, spec: PatientSpec, clock: Clock) -> None:
        self._lasts_s = spec.timeout_read_s
        self._progress = PatientProgress()
        self._account: dict[str, Any] | None = None
        self._child = MeasuringChild("switchover.patient", "patient load", clock, self._hear)
        self._child.begin(spec.to_json())

    @classmethod
    def start(cls, spec: PatientSpec, clock: Clock | None = None) -> "PatientLoad":
        """Start it and wait until it is ready; SwitchoverError with its own words if it cannot be."""
        return cls(spec, clock or Clock.of_process())

    def __enter__(self) -> "PatientLoad":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def died(self) -> str | None:
        """Why it ended without having been asked to; None while it runs and after `stop`."""
        return self._child.died

    @property
    def progress(self) -> PatientProgress:
        return self._progress

    def begin_change(self, number: int) -> None:
        """A change is about to be made; what ends from here on may belong to it."""
        self._child.tell({"change": number})

    def settle_change(self, number: int) -> None:
        self._child.tell({"settled": number})

    def stop(self) -> dict[str, Any]:
        """End it and return its account; again, the same one. One that never came has a `warning`."""
        if self._account is None:
            account, reason = self._child.end(self._lasts_s)
            self._account = {"warning": reason} if account is None else account
        return self._account

    def _hear(self, message: dict[str, Any]) -> None:
        self._progress = PatientProgress(**message)
