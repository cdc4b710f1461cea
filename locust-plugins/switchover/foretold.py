"""What theory predicts for a run whose own half could not tell: by its fault and the Keepalived settings it kept."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from switchover.errors import SwitchoverError
from switchover.faults.catalogue import CATALOGUE, EXEC
from switchover.faults.keepalived_conf import read_keepalived_conf
from switchover.rundir import FaultRun, Run
from switchover.vrrp import CheckScript, KeepalivedSettings

KEEPALIVED = "keepalived"
"""In a run's settings: {node: settings by the names of vrrp.py, or the name of a copy of its configuration}."""


def foretell(run: Run, directory: Path) -> Run:
    """The run with what its fault was to cost, unless it says so itself or theory knows too little."""
    known, fault = run.settings.get(KEEPALIVED), run.fault
    if fault is None or fault.kind == "none" or not isinstance(known, Mapping):
        return run
    return replace(run, fault=_foretold(fault, known, directory))


def _foretold(fault: FaultRun, known: Mapping[str, Any], directory: Path) -> FaultRun:
    mechanism = CATALOGUE.get(fault.name, EXEC)
    master, backup = (_settings(known.get(name or ""), directory) for name in (fault.master, fault.backup))
    failback = mechanism.failback(master, backup)
    found = replace(fault, failback_low_ms=_ms(failback.low_s), failback_high_ms=_ms(failback.high_s))
    if fault.predict_reason:
        return found
    switchover = mechanism.predict(master, backup)
    return replace(
        found,
        predict_low_ms=_ms(switchover.low_s),
        predict_high_ms=_ms(switchover.high_s),
        predict_reason=switchover.reason,
        uniform=switchover.uniform,
    )


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


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1000, 3)
