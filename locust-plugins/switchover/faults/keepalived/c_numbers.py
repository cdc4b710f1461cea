"""Numbers as Keepalived's parser reads them, strtol and strtoull included (keepalived: lib/parser.c).

A number with something behind it (`5s`, `2.7` where whole numbers are wanted) is only a warning to most keywords when
Keepalived runs, and the part before it counts. `keepalived --config-test` is stricter, and ignores it.
"""

import re

_NUMBER = re.compile(r"[ \t\n\v\f\r]*([+-]?)([0-9]*)(.*)", re.ASCII | re.DOTALL)
_INT_MAX, _LONG_MAX, _ULONG_MAX = 2**31 - 1, 2**63 - 1, 2**64 - 1


def read_int(text: str, low: int, high: int, *, lenient: bool) -> int | None:
    """A whole number with a sign, from `low` to `high`; None: refused."""
    value, rest = _strtol(text)
    return value if low <= value <= high and (lenient or not rest) else None


def read_refused_int(text: str) -> int:
    """What stands in the variable after a refusal: a few keywords use it all the same."""
    return (_strtol(text)[0] + _INT_MAX + 1) % 2**32 - _INT_MAX - 1


def read_unsigned(text: str, low: int, high: int, *, lenient: bool) -> int | None:
    """A whole number without a minus, from `low` to `high`; None: refused."""
    value, rest, negative = _strtoul(text)
    return value if low <= value <= high and (lenient or not (rest or negative)) else None


def read_decimal(text: str, low: int, high: int, places: int) -> int | None:
    """A decimal number in units of its last place, further places rounded; None: refused.

    Missing places are filled up with zeros at the end of the text before it is read: `5s` with six places is
    `5s000000`, which is 5 millionths, and not 5.
    """
    if text.startswith("-"):
        return None
    whole, _, fraction = text.partition(".")
    value = _strtoul(whole + fraction[:places].ljust(places, "0"))[0]
    if value == _ULONG_MAX:
        return None
    value += "5" <= fraction[places : places + 1] <= "\x7f"
    return value if low <= value <= high else None


def _strtol(text: str) -> tuple[int, str]:
    sign, value, rest = _parts(text)
    return max(-_LONG_MAX - 1, min(_LONG_MAX, -value if sign == "-" else value)), rest


def _strtoul(text: str) -> tuple[int, str, bool]:
    """Value, what stands behind it, and whether there is a minus: then the value wraps around, as in C."""
    sign, value, rest = _parts(text)
    if value > _ULONG_MAX:
        return _ULONG_MAX, rest, sign == "-"
    return (-value % 2**64 if sign == "-" else value), rest, sign == "-"


def _parts(text: str) -> tuple[str, int, str]:
    """Sign, value and rest; a text without digits is all rest. 21 digits are more than any variable holds."""
    match = _NUMBER.match(text)
    if match is None or not match[2]:
        return "", 0, text
    return match[1], int(match[2].lstrip("0")[:21] or "0"), match[3]
