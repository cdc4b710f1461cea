"""What theory predicts for a run, as it is written down; for one whose own half could not tell, by what it kept."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from switchover.faults.catalogue import CATALOGUE, EXEC
from switchover.faults.keepalived_conf import read_keepalived_conf
from switchover.faults.phase_lengths import cut_short
from switchover.faults.prediction import Prediction
from switchover.model.errors import SwitchoverError
from switchover.model.vrrp import CheckScript, KeepalivedSettings
from switchover.rundir.run_directory import FaultRun, Run

KEEPALIVED = "keepalived"
"""In a run's settings: {node: settings by the names of vrrp.py, or the name of a copy of its configuration}."""


def foretell(run: Run, directory: Path) -> Run:
    """The run with what its fault was to cost, unless it says so itself or theory knows too little; and with the
    phases that were too short for that."""
    fault = run.fault
    if fault is None or fault.kind == "none" or KEEPALIVED not in run.settings:
        return run
    kept = run.settings[KEEPALIVED]
    known = kept if isinstance(kept, Mapping) else {}
    master, backup = (_settings(known.get(name or ""), directory) for name in (fault.master, fault.backup))
    mechanism = CATALOGUE.get(fault.name, EXEC)
    switchover, failback = _told(fault) or mechanism.predict(master, backup), mechanism.failback(master, backup)
    end_us = run.plan.end_us
    truncated = run.truncated if end_us is None else cut_short(run.plan, switchover, failback, end_us)
    return replace(run, fault=predicted(fault, switchover, failback), truncated=truncated)


def predicted(fault: FaultRun, switchover: Prediction, failback: Prediction) -> FaultRun:
    """The fault with what it is to cost."""
    return replace(
        fault,
        predict_low_ms=_ms(switchover.low_s),
        predict_high_ms=_ms(switchover.high_s),
        predict_reason=switchover.reason,
        uniform=switchover.uniform,
        failback_low_ms=_ms(failback.low_s),
        failback_high_ms=_ms(failback.high_s),
        failback_settled_ms=_ms(failback.settled_s) if failback.moves else None,
    )


def _told(fault: FaultRun) -> Prediction | None:
    """What the target file predicted."""
    if not fault.predict_reason:
        return None
    return Prediction(_s(fault.predict_low_ms), _s(fault.predict_high_ms), fault.predict_reason, fault.uniform)


def _settings(kept: object, directory: Path) -> KeepalivedSettings | None:
    """None where they were not kept, or not as they should be."""
    try:
        if isinstance(kept, str):
            return read_keepalived_conf(directory / Path(kept).name)
        if isinstance(kept, Mapping):
            check = kept.get("check")
            return KeepalivedSettings(**{**kept, "check": CheckScript(**check) if check else None})
    except (SwitchoverError, TypeError):
        return None
    return None


def _s(ms: float | None) -> float | None:
    return None if ms is None else ms / 1000


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1000, 3)
