r"""Line protocol: one point per line, for the journal, InfluxDB, Python and Java.

The grammar is InfluxDB's: https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/. Control
characters, and a backslash at the end, are removed from names. Line ends in a string are written as `\n` and `\r`. A
line without a timestamp is refused.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from switchover.rundir.former_names import FORMER_FIELDS

FieldValue = int | float | str | bool

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_MEASUREMENT_SPECIAL = re.compile(r"([, ])")
_NAME_SPECIAL = re.compile(r"([,= ])")
_STRING_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})

# A backslash escapes only a special character after it: `a\\,b` is a, backslash, comma, b.
_READ_MEASUREMENT = re.compile(r"(?:\\[, ]|\\(?![, ])|[^, \\])+")
_READ_SERIES = re.compile(r"(?:\\ |\\(?! )|[^ \\])+")
_NAME = r"((?:\\[,= ]|\\(?![,= ])|[^,= \\])++)"
_READ_TAG = re.compile(f",{_NAME}={_NAME}")
_READ_FIELD = re.compile(_NAME + r'=(?:(-?[0-9]{1,19})i(?=[, ])|"((?:[^"\\]|\\.)*+)"|([^, "]+))', re.DOTALL)
"""Matches the name and the value of a field. A single expression for speed: a report may read ten million fields."""
_ESCAPED_MEASUREMENT = re.compile(r"\\([, ])")
_ESCAPED_NAME = re.compile(r"\\([,= ])")
_ESCAPED_STRING = re.compile(r'\\([\\"nr])')
_INTEGER = re.compile(r"-?[0-9]{1,19}")
_FLOAT = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_BOOLEANS = dict.fromkeys(("t", "T", "true", "True", "TRUE"), True) | dict.fromkeys(
    ("f", "F", "false", "False", "FALSE"), False
)


@dataclass(frozen=True, slots=True)
class Point:
    """One point. `time_ns`: nanoseconds since the epoch."""

    measurement: str
    tags: Mapping[str, str]
    fields: Mapping[str, FieldValue]
    time_ns: int

    def number(self, field: str) -> float | None:
        """Return the value of a numeric field. None: the field is missing or is not a number."""
        value = self.fields.get(field)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def format_point(measurement: str, tags: Mapping[str, str], fields: Mapping[str, FieldValue], time_ns: int) -> str:
    """Return the line of a point, without a newline. Empty: no field can be written.

    Tags are sorted. Fields keep their order. Floats have three decimals, rounded half to even, and no exponent. NaN,
    infinities, and integers beyond 64 bits are left out.
    """
    written = format_fields(fields)
    return f"{format_series(measurement, tags)} {written} {time_ns}" if written else ""


def format_series(measurement: str, tags: Mapping[str, str]) -> str:
    """Return the start of a line: the measurement and the tags, which together identify a series."""
    name = _MEASUREMENT_SPECIAL.sub(r"\\\1", clean_name(measurement))
    if not name:
        raise ValueError("a point must have a measurement")
    cleaned = {clean_name(key): clean_name(value) for key, value in tags.items()}
    pairs = (f"{_escape_name(key)}={_escape_name(cleaned[key])}" for key in sorted(cleaned) if key and cleaned[key])
    return ",".join([name, *pairs])


def format_fields(fields: Mapping[str, FieldValue]) -> str:
    written = ((_field_name(key), _format_value(value)) for key, value in fields.items())
    return ",".join(f"{name}={value}" for name, value in written if name and value is not None)


def clean_name(text: str) -> str:
    """Return `text` without control characters and without backslashes at the end, as a name or tag value."""
    return _CONTROL.sub("", text).rstrip("\\")


def parse_point(line: str) -> Point:
    """Return the point of a line. Raises ValueError with the place of the problem."""
    series = _READ_SERIES.match(line)
    if series is None:
        raise ValueError("the line does not start with the name of a measurement")
    measurement, tags = _read_series(series[0])
    fields, position = _read_fields(line, series.end())
    time = line[position + 1 :]
    if not fields or not line.startswith(" ", position) or not _INTEGER.fullmatch(time):
        raise ValueError(f"no fields and timestamp at column {position + 1}")
    return Point(measurement, tags, fields, _int64(time))


@lru_cache(maxsize=16384)
def _read_series(text: str) -> tuple[str, Mapping[str, str]]:
    """Return the measurement and the tags. Cached, because a journal of several hours has only a few hundred
    series."""
    measurement = _READ_MEASUREMENT.match(text)
    if measurement is None:
        raise ValueError("the line does not start with the name of a measurement")
    tags: dict[str, str] = {}
    position = measurement.end()
    while position < len(text):
        tag = _READ_TAG.match(text, position)
        if tag is None:
            raise ValueError(f"no tag (name=value) at column {position + 2}")
        tags[_unescape_name(tag[1])] = _unescape_name(tag[2])
        position = tag.end()
    return _ESCAPED_MEASUREMENT.sub(r"\1", measurement[0]), tags


def _read_fields(line: str, position: int) -> tuple[dict[str, FieldValue], int]:
    """Return the fields, and the position after the last field. `position`: the space before the first field."""
    fields: dict[str, FieldValue] = {}
    separator = " "
    while line.startswith(separator, position):
        field = _READ_FIELD.match(line, position + 1)
        if field is None:
            raise ValueError(f"no field (name=value) at column {position + 2}")
        name, integer, string, bare = field.groups()
        if integer is not None:
            fields[_read_field_name(name)] = _int64(integer)
        elif string is not None:
            fields[_read_field_name(name)] = _ESCAPED_STRING.sub(_unescape_string, string)
        else:
            fields[_read_field_name(name)] = _read_bare(bare, field.start(4))
        position = field.end()
        separator = ","
    return fields, position


@lru_cache(maxsize=1024)
def _field_name(key: str) -> str:
    """Return the escaped name of a field. Cached, because every scrape has the same field names."""
    return _escape_name(clean_name(key))


def _escape_name(text: str) -> str:
    return _NAME_SPECIAL.sub(r"\\\1", text)


def _format_value(value: FieldValue) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value}i" if INT64_MIN <= value <= INT64_MAX else None
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        written = f"{value:.3f}"
        return "0.000" if written == "-0.000" else written
    return f'"{value.translate(_STRING_ESCAPES)}"'


@lru_cache(maxsize=1024)
def _unescape_name(text: str) -> str:
    return _ESCAPED_NAME.sub(r"\1", text)


@lru_cache(maxsize=1024)
def _read_field_name(text: str) -> str:
    name = _unescape_name(text)
    return FORMER_FIELDS.get(name, name)


def _read_bare(text: str, position: int) -> FieldValue:
    if _FLOAT.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    raise ValueError(f"no field value at column {position + 1}")


def _unescape_string(escape: re.Match[str]) -> str:
    return {"n": "\n", "r": "\r"}.get(escape[1], escape[1])


def _int64(text: str) -> int:
    number = int(text)
    if not INT64_MIN <= number <= INT64_MAX:
        raise ValueError(f"{text} is beyond 64 bits")
    return number
