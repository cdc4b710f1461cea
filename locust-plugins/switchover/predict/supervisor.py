"""Predict whether systemd restarts a dead balancer before Keepalived's check detects the failure."""

import re
from collections.abc import Mapping

from switchover.model.errors import TargetError

AFTER_A_KILL = ("always", "on-failure", "on-abnormal", "on-abort")
"""The values of `Restart=` that restart a process after a signal has ended it (systemd.service(5))."""

DEFAULT_DELAY_S = 0.1
_UNITS = {"us": 1e-6, "ms": 1e-3, "": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(us|ms|min|s|h|)(?:\s+|$|(?=\d))")


def restart_delay(values: Mapping[str, str], place: str) -> float | None:
    """Return the seconds from a kill to the restart; None: no restart. `values`: unit properties from `systemctl
    show`."""
    if values.get("Restart", "no").strip() not in AFTER_A_KILL:
        return None
    pause = values.get("RestartUSec", "").strip()
    spans = _SPAN.findall(pause)
    if pause and not spans:
        raise TargetError(f"{place}: RestartUSec={pause} is not a time span such as 100ms or 5s")
    return sum(float(number) * _UNITS[unit] for number, unit in spans) if spans else DEFAULT_DELAY_S
