"""Times in an nginx.conf: `75`, `75s`, `1m30s`, `500ms`; seconds where no unit is given (ngx_parse_time)."""

import re

from switchover.faults.nginx_config.syntax import Directive
from switchover.model.errors import TargetError

_PART = re.compile(r"([0-9]{1,12})(ms|[smhdwMy]?)\s*", re.ASCII)
_UNITS = {"ms": 1e-3, "": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_UNITS |= {"M": 30 * 86400.0, "y": 365 * 86400.0}


def time_s(directive: Directive, position: int = 1) -> float:
    """Seconds. Raises TargetError for what is no time: Nginx refuses it too."""
    text = directive.value(position)
    parts = list(_PART.finditer(text))
    if not text or "".join(part[0] for part in parts) != text:
        raise TargetError(
            f"{directive.place}: {directive.text!r} has no time such as 500ms, 30s or 2m: Nginx refuses it"
        )
    return sum(int(part[1]) * _UNITS[part[2]] for part in parts)
