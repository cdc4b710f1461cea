"""Dates as logs write them: ISO 8601, and the patterns of `--time-format`.

A form is one of strptime's, as Python and DuckDB read it; a pattern is one of Java's, as JMeter's `timestamp_format`
has it.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from switchover.model.errors import UsageError

_LETTERS = {
    "yyyy": "%Y", "uuuu": "%Y", "y": "%Y", "yy": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d",
    "d": "%d", "HH": "%H", "H": "%H", "hh": "%I", "h": "%I", "mm": "%M", "m": "%M", "ss": "%S", "s": "%S", "a": "%p",
    "Z": "%z", "X": "%z", "XX": "%z", "XXX": "%z", "EEE": "%a", "E": "%a", "EEEE": "%A",
}  # fmt: skip
_TRIED = datetime(2026, 2, 3, tzinfo=UTC)
"""A date of which no part is what strptime takes for a part that is not there."""


def iso_date(text: str) -> datetime | None:
    """A date in ISO 8601, perhaps with slashes between its numbers; None if it is none."""
    try:
        return datetime.fromisoformat(text.strip().replace("/", "-"))
    except ValueError:
        return None


def date_us(text: str, form: str) -> int | None:
    """Microseconds since the epoch, in UTC where no zone is named; None where the form does not read the date."""
    try:
        return epoch_us(datetime.strptime(text, form))
    except (ValueError, OverflowError, re.error):  # the last where a part of a date comes twice
        return None


def epoch_us(at: datetime) -> int:
    """Of a date that names no zone in UTC."""
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1_000_000)


def utc(at_us: int) -> str:
    """A time as messages name it."""
    try:
        return f"{datetime.fromtimestamp(at_us / 1e6, UTC):%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError, OSError):
        return f"{at_us / 1e6:.0f} s after 1970"


def form_of_pattern(pattern: str) -> str:
    """Of Java's or strptime's pattern the form. UsageError where it is none."""
    form = pattern if "%" in pattern else "".join(_form_pieces(pattern))
    if not _reads_dates(form):
        raise UsageError(
            f"--time-format {pattern!r} reads no date: write it as JMeter's timestamp_format, such as "
            "'yyyy/MM/dd HH:mm:ss.SSS', or as strptime has it, '%Y/%m/%d %H:%M:%S.%f'"
        )
    return form


def _reads_dates(form: str) -> bool:
    try:
        text = _TRIED.strftime(form)
    except ValueError:  # what is no text: the command line may have any bytes
        return False
    return date_us(text, form) == epoch_us(_TRIED)


def _form_pieces(pattern: str) -> Iterator[str]:
    for found in re.finditer(r"'(?P<quoted>(?:[^']|'')*)'|(?P<letters>([A-Za-z])\3*)|(?P<other>.)", pattern):
        letters = found["letters"]
        if letters is None:
            yield found["other"] or found["quoted"].replace("''", "'") or "'"
        elif set(letters) == {"S"}:
            yield "%f"
        elif letters in _LETTERS:
            yield _LETTERS[letters]
        else:
            raise UsageError(f"--time-format {pattern!r}: {letters} is no part of a date; text stands in quotes")
