"""The prediction of a fault from the settings of both nodes, for a plan and for a recorded run."""

from collections.abc import Mapping
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from switchover.faults.catalogue import CATALOGUE, EXEC
from switchover.faults.mechanism import Mechanism
from switchover.model.errors import SwitchoverError
from switchover.model.vrrp import KeepalivedSettings
from switchover.predict.mistakes import find_problem
from switchover.predict.nodes import NodeKeepalived, read_copy
from switchover.predict.phase_lengths import cut_short
from switchover.predict.prediction import Prediction, unknown
from switchover.rundir.run_directory import FaultRun, Run

KEEPALIVED = "keepalived"
"""The key of the Keepalived settings in a run's settings. The value maps each node to settings, named as in vrrp.py,
or to the file of a keepalived.conf copy."""


def predict_both(fault: Mechanism, master: NodeKeepalived, backup: NodeKeepalived) -> tuple[Prediction, Prediction]:
    """Predict the outage and the failback. Both predictions are unknown if the two nodes do not form a pair."""
    problem = find_problem(*(node.instance for node in (master, backup) if node.instance))
    if fault.kind == "master" and problem:
        nothing_known = unknown(f"no window can be predicted: {problem}")
        return nothing_known, nothing_known
    switchover, failback = (ask(master.settings, backup.settings) for ask in (fault.predict, fault.failback))
    if switchover.for_ever and master.not_included:
        lacks = (
            f"{master.not_included[0]} matches no file, but the file may define a check. Copy the file to this path"
        )
        return unknown(lacks), unknown(lacks)
    return switchover, failback


def add_prediction(run: Run, directory: Path) -> Run:
    """Return the run with the predicted outages of its fault, unless run.json contains the outages, and with the
    phases that were too short."""
    fault = run.fault
    if fault is None or fault.kind == "none" or KEEPALIVED not in run.settings.written:
        return run
    recorded, vip = run.settings.written[KEEPALIVED], _address_of(run.target.url)
    nodes = recorded.items() if isinstance(recorded, Mapping) else ()
    node_settings = {name: _read_kept(settings, name, directory, vip) for name, settings in nodes}
    master, backup = (node_settings.get(name or "", NodeKeepalived()) for name in (fault.master, fault.backup))
    switchover, failback = predict_both(CATALOGUE.get(fault.name, EXEC), master, backup)
    if fault.predict_reason:
        low_s, high_s = _s(fault.predict_low_ms), _s(fault.predict_high_ms)
        switchover = Prediction(low_s, high_s, fault.predict_reason, fault.uniform)
    end_us = run.plan.end_us
    truncated = run.truncated if end_us is None else cut_short(run.plan, switchover, failback, end_us)
    return replace(run, fault=with_windows(fault, switchover, failback), truncated=truncated)


def with_windows(fault: FaultRun, switchover: Prediction, failback: Prediction) -> FaultRun:
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


def _address_of(url: str) -> str:
    """Return the address in a URL. Empty: the URL has a host name, which is not resolved."""
    try:
        return str(ip_address(urlsplit(url).hostname or ""))
    except ValueError:
        return ""


def _read_kept(recorded: object, node: str, directory: Path, vip: str) -> NodeKeepalived:
    """Return the recorded settings of one node; empty if the settings are malformed."""
    try:
        if isinstance(recorded, str):
            return read_copy(directory / Path(recorded).name, node, vip)
        if isinstance(recorded, Mapping) and recorded.get("group"):
            return NodeKeepalived()  # an earlier version recorded a sync group, for which nothing is predicted
        return NodeKeepalived(msgspec.convert(recorded, KeepalivedSettings))
    except (SwitchoverError, msgspec.ValidationError):
        return NodeKeepalived()


def _s(ms: float | None) -> float | None:
    return None if ms is None else ms / 1000


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1000, 3)
