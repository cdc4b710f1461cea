"""Line protocol: one point on one line, the form that the journal, InfluxDB and both languages share.

The grammar is InfluxDB's: https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/.
Two things go beyond it, so that a journal stays a file of lines:

* Control characters are removed from names and tag values, and so is a backslash at their end: line protocol
  has no way to carry either there.
* In a string field, newline and carriage return are written as `\\n` and `\\r`. `parse_point` turns them back;
  InfluxDB, which knows only `\\"` and `\\\\`, keeps the two characters.

A line without its timestamp is refused: nothing here may be stamped on arrival.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

FieldValue = int | float | str | bool

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_MEASUREMENT_SPECIAL = re.compile(r"([, ])")
_NAME_SPECIAL = re.compile(r"([,= ])")
_STRING_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})

# A backslash escapes only what is special after it: `a\\,b` is a, backslash, comma, b.
_READ_MEASUREMENT = re.compile(r"(?:\\[, ]|\\(?![, ])|[^, \\])+")
_READ_NAME = re.compile(r"(?:\\[,= ]|\\(?![,= ])|[^,= \\])+")
_READ_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_READ_BARE = re.compile(r'[^, "]+')
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
    """One point; `time_ns` in nanoseconds since the epoch."""

    measurement: str
    tags: Mapping[str, str]
    fields: Mapping[str, FieldValue]
    time_ns: int

    def number(self, field: str) -> float | None:
        """None where it is not there, or no number."""
        value = self.fields.get(field)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def format_point(measurement: str, tags: Mapping[str, str], fields: Mapping[str, FieldValue], time_ns: int) -> str:
    """The point's line, without a newline; empty if no field is left to write.

    Tags are sorted by key, empty ones dropped; fields keep their order. Floats have three decimals, rounded half
    to even from their exact binary value, and no exponent. Not written, because no database takes them: NaN,
    infinities, and integers beyond 64 bits.
    """
    written = format_fields(fields)
    return f"{format_series(measurement, tags)} {written} {time_ns}" if written else ""


def format_series(measurement: str, tags: Mapping[str, str]) -> str:
    """Measurement and tags: what identifies a series, and the first part of its points' lines."""
    name = _MEASUREMENT_SPECIAL.sub(r"\\\1", clean_name(measurement))
    if not name:
        raise ValueError("a point needs a measurement")
    parts = [name]
    cleaned = {clean_name(key): clean_name(value) for key, value in tags.items()}
    for key, value in sorted(cleaned.items()):
        if key and value:
            parts.append(f"{_escape_name(key)}={_escape_name(value)}")
    return ",".join(parts)


def format_fields(fields: Mapping[str, FieldValue]) -> str:
    parts = []
    for key, value in fields.items():
        name, written = _field_name(key), _format_value(value)
        if name and written is not None:
            parts.append(f"{name}={written}")
    return ",".join(parts)


def clean_name(text: str) -> str:
    """`text` as a name or tag value can carry it: no control characters, no backslash at the end."""
    return _CONTROL.sub("", text).rstrip("\\")


def parse_point(line: str) -> Point:
    """The point that a line holds; ValueError, which says where, if it holds none."""
    measurement = _READ_MEASUREMENT.match(line)
    if measurement is None:
        raise ValueError("a line starts with a measurement")
    tags: dict[str, str] = {}
    position = measurement.end()
    while line.startswith(",", position):
        key, position = _read_key(line, position + 1)
        value = _READ_NAME.match(line, position)
        if value is None:
            raise ValueError(f"tag value expected at column {position + 1}")
        tags[key] = _unescape_name(value[0])
        position = value.end()
    fields: dict[str, FieldValue] = {}
    separator = " "
    while line.startswith(separator, position):
        key, position = _read_key(line, position + 1)
        fields[key], position = _read_value(line, position)
        separator = ","
    time = line[position + 1 :]
    if not fields or not line.startswith(" ", position) or not _INTEGER.fullmatch(time):
        raise ValueError(f"fields and a timestamp expected at column {position + 1}")
    return Point(_ESCAPED_MEASUREMENT.sub(r"\1", measurement[0]), tags, fields, _int64(time))


@lru_cache(maxsize=1024)
def _field_name(key: str) -> str:
    """Cached, because a scrape writes the same hundred keys for every server."""
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


def _read_key(line: str, position: int) -> tuple[str, int]:
    key = _READ_NAME.match(line, position)
    if key is None or not line.startswith("=", key.end()):
        raise ValueError(f"key=value expected at column {position + 1}")
    return _unescape_name(key[0]), key.end() + 1


@lru_cache(maxsize=1024)
def _unescape_name(text: str) -> str:
    """Cached as in `_field_name`: they are read as often as they are written."""
    return _ESCAPED_NAME.sub(r"\1", text)


def _read_value(line: str, position: int) -> tuple[FieldValue, int]:
    string = _READ_STRING.match(line, position)
    if string is not None:
        return _ESCAPED_STRING.sub(_unescape_string, string[1]), string.end()
    bare = _READ_BARE.match(line, position)
    if bare is None:
        raise ValueError(f"field value expected at column {position + 1}")
    text, end = bare[0], bare.end()
    if text[-1] == "i" and _INTEGER.fullmatch(text, 0, len(text) - 1):
        return _int64(text[:-1]), end
    if _FLOAT.fullmatch(text) and math.isfinite(number := float(text)):
        return number, end
    if text in _BOOLEANS:
        return _BOOLEANS[text], end
    raise ValueError(f"no field value at column {position + 1}")


def _unescape_string(escape: re.Match[str]) -> str:
    return {"n": "\n", "r": "\r"}.get(escape[1], escape[1])


def _int64(text: str) -> int:
    number = int(text)
    if not INT64_MIN <= number <= INT64_MAX:
        raise ValueError(f"{text} is beyond 64 bits")
    return number
