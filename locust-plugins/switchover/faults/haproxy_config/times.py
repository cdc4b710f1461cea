"""Times in a haproxy.cfg: a whole number and one unit, milliseconds where none is given (manual, section 2.5)."""

import re

from switchover.faults.haproxy_config.words import HaproxyLine
from switchover.model.errors import TargetError

_TIME = re.compile(r"([0-9]{1,18})(us|ms|s|m|h|d)?", re.ASCII)
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def time_s(line: HaproxyLine, position: int = 1) -> float:
    """Seconds. Raises TargetError for what is no time: HAProxy refuses it too."""
    text = line.value(position)
    match = _TIME.fullmatch(text)
    if match is None:
        raise TargetError(f"{line.place}: {line.text!r} has no time such as 500ms, 30s or 2m: HAProxy refuses it")
    return int(match[1]) * _UNITS[match[2] or "ms"]
