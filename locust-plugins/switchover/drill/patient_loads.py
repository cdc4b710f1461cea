"""The patient load of a drill and its twin: chosen, started beside the metronome, told of changes, ended."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from switchover.drill.fire_and_heal import FaultControl
from switchover.drill.options import DrillSettings
from switchover.drill.wait import PhaseTimer
from switchover.model.errors import UsageError
from switchover.patient.parent import PatientLoad, PatientProgress, Twin
from switchover.patient.spec import KeptOpen, PatientSpec, choose_loads, require_packages, require_twin
from switchover.rundir.patient_log import PATIENT_FILE, TWIN_FILE
from switchover.rundir.run_records import PatientAccount
from switchover.target.model import Target

NO_TIMEOUT_S = 3600.0
"""Longer than any drill."""


def choose_patient_loads(settings: DrillSettings, target: Target, *, is_loaded: bool) -> tuple[KeptOpen, ...]:
    """What is to be kept open: what was asked for, and by default something beside changes.

    Beside another load there is a default only where the target file says what can be kept open. Raises UsageError
    for what cannot be.
    """
    is_usual = settings.change is not None and (bool(target.patient) or not is_loaded)
    if settings.patient is None and not is_usual:
        if settings.twin:
            patient = settings.typed("patient")
            raise UsageError(f"{settings.typed('twin')} is that of pooled connections: add {patient} pooled=30")
        return ()
    loads = choose_loads(settings.patient or {}, target.patient)
    require_packages()
    if settings.twin:
        require_twin(loads)
    return loads


def kept_facts(kept: tuple[KeptOpen, ...]) -> dict[str, Any]:
    """What run.json's settings say of what is kept open; empty where nothing is."""
    return {"patient": {load.kind: load.count for load in kept}} if kept else {}


@dataclass(frozen=True, slots=True)
class PatientLoads:
    """What feels a drill: nothing, or the patient load and its twin, which sends its pooled requests, and lost ones
    again."""

    running: tuple[PatientLoad, ...] = ()

    @classmethod
    @contextmanager
    def beside(
        cls, loads: tuple[KeptOpen, ...], settings: DrillSettings, control: FaultControl, timer: PhaseTimer
    ) -> "Iterator[PatientLoads]":
        """Run the loads while the block lasts, and take their accounts. What dies meanwhile ends the run.

        Beside a fault a stream waits as long as its owner would who has no time-out.
        """
        if not loads:
            yield cls()
            return
        is_of_changes = settings.change is not None
        with_twins = settings.twin and is_of_changes

        def start(of: type[PatientLoad], log: str, kept: tuple[KeptOpen, ...]) -> PatientLoad:
            spec = PatientSpec(
                endpoint=control.target.endpoint,
                log=control.directory / log,
                loads=kept,
                identity=control.target.identity,
                timeout_stream_s=None if is_of_changes else NO_TIMEOUT_S,
                seed=settings.seed or 0,
                method="PUT" if with_twins else "POST",
            )
            started = of.start(spec, control.clock)
            control.run.parts.append(log)
            control.collector.watch(started.name.split()[0], started.pid)
            timer.watch(started)
            return started

        started: list[PatientLoad] = []
        try:
            started.append(start(PatientLoad, PATIENT_FILE, loads))
            if with_twins:
                started.append(start(Twin, TWIN_FILE, (require_twin(loads),)))
            yield cls(tuple(started))
        finally:
            _stop(control, started)

    @property
    def is_there(self) -> bool:
        return bool(self.running)

    def begin_change(self, number: int) -> None:
        for one in self.running:
            one.begin_change(number)

    def settle_change(self, number: int) -> None:
        for one in self.running:
            one.settle_change(number)

    def progress(self) -> PatientProgress:
        return self.running[0].progress() if self.running else PatientProgress()


def _stop(control: FaultControl, started: list[PatientLoad]) -> None:
    run = control.run
    accounts = [run.take_seals(one.stop()) for one in started]
    run.warnings += [account["warning"] for account in accounts if account.get("warning")]
    if accounts:
        load, *twins = accounts
        run.patient = PatientAccount.of({**load, "twins": twins} if twins else load)
