"""A systemd unit that restarts a dead balancer, possibly before Keepalived's check detects the death."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from switchover.model.errors import TargetError
from switchover.predict.keepalived import VrrpInstance
from switchover.predict.mistakes import Mistake, make_mistake
from switchover.predict.prediction import START_S, Prediction

AFTER_A_KILL = ("always", "on-failure", "on-abnormal", "on-abort")
"""The values of `Restart=` that restart a process after a signal has ended it (systemd.service(5))."""

DEFAULT_DELAY_S = 0.1
_UNITS = {"us": 1e-6, "ms": 1e-3, "": 1.0, "s": 1.0, "sec": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(us|ms|min|sec|s|m|h|)(?:\s+|$|(?=\d))")


def read_restart_delay(path: Path) -> float | None:
    """Return the seconds from a kill until the unit restarts its program. None: it does not restart the program."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise TargetError(f"cannot read {path}: {error.strerror}") from error
    pairs = [line.split("=", 1) for line in lines if "=" in line and not line.lstrip().startswith(("#", ";"))]
    values = {key.strip(): value for key, value in pairs}
    if "ExecStart" not in values and "Restart" not in values:
        raise TargetError(f"{path}: has no ExecStart= and no Restart=: this is no systemd service")
    return restart_delay(values, str(path))


def restart_delay(values: Mapping[str, str], place: str) -> float | None:
    """Return the restart delay from the values of a unit file or of `systemctl show`. None: no restart."""
    if values.get("Restart", "no").strip() not in AFTER_A_KILL:
        return None
    pause = values.get("RestartSec", values.get("RestartUSec", "")).strip()
    spans = _SPAN.findall(pause)
    if pause and not spans:
        raise TargetError(f"{place}: RestartSec={pause} is no time span such as 100ms or 5s")
    return sum(float(number) * _UNITS[unit] for number, unit in spans) if spans else DEFAULT_DELAY_S


def find_supervisor_mistake(node: VrrpInstance, delay_s: float) -> Mistake | None:
    """Return the mistake if the supervisor restarts the balancer before the check fails, or if there is no check."""
    latest = min((check.latest_s for check in node.settings.checks), default=None)
    if latest is not None and latest <= delay_s:
        return None
    needs = "no check of the balancer" if latest is None else f"the check needs up to {latest:g} s"
    return make_mistake("supervisor", node.place, delay=delay_s, check=needs)


def under_supervisor(prediction: Prediction, node: VrrpInstance, delay_s: float) -> Prediction:
    """Predict the outage of haproxy-kill if a supervisor restarts the balancer after `delay_s`."""
    soonest = min((check.soonest_s for check in node.settings.checks), default=None)
    restarted = f"the supervisor starts it again after {delay_s:g} s, which takes up to {START_S:g} s"
    if soonest is None or prediction.for_ever or soonest >= delay_s + START_S:
        return Prediction(delay_s, delay_s + START_S, restarted, moves=False)
    low, high = prediction.low_s or 0.0, prediction.high_s
    return replace(
        prediction,
        low_s=min(delay_s, low),
        high_s=None if high is None else max(high, delay_s + START_S),
        reason=f"{restarted}; if the check runs before that: {prediction.reason}",
        uniform=False,
    )
