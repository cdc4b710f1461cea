"""Dates as logs write them: the forms that are known, and patterns for those that are not.

A form is one of strptime's, as Python and DuckDB read it; a pattern is one of Java's, as JMeter's `timestamp_format`
has it.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime

from switchover.model.errors import UsageError

_DAYS = (
    "%Y/%m/%d", "%Y-%m-%d", "%Y.%m.%d", "%d/%m/%Y", "%m/%d/%Y", "%d/%m/%y", "%m/%d/%y", "%y/%m/%d", "%d.%m.%Y",
    "%d.%m.%y", "%d-%m-%Y", "%m-%d-%Y", "%d-%m-%y", "%m-%d-%y", "%y-%m-%d", "%d/%b/%Y", "%d-%b-%Y", "%d %b %Y",
    "%d. %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%a, %d %b %Y", "%Y%m%d",
)  # fmt: skip
_DATE = re.compile(
    r"(?P<day>.{6,30}?)(?P<between>T|, | at |[ :_-])"
    r"(?P<hour>[01]?\d|2[0-4])(?P<colon>[:.]?)\d\d(?:(?P=colon)(?P<second>\d\d)(?:(?P<dot>[.,:])\d{1,9})?)?"
    r"(?:(?P<gap> ?)(?P<half>[AaPp][Mm]))?(?:(?P<zone_gap> ?)(?P<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?"
)
_SPACES = "\u00a0\u202f"
"""What newer versions of Java write before AM and PM."""
_LETTERS = {
    "yyyy": "%Y", "uuuu": "%Y", "y": "%Y", "yy": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d",
    "d": "%d", "HH": "%H", "H": "%H", "hh": "%I", "h": "%I", "mm": "%M", "m": "%M", "ss": "%S", "s": "%S", "a": "%p",
    "Z": "%z", "X": "%z", "XX": "%z", "XXX": "%z", "EEE": "%a", "E": "%a", "EEEE": "%A",
}  # fmt: skip
_TRIED = datetime(2026, 2, 3, tzinfo=UTC)
"""A date of which no part is what strptime takes for a part that is not there."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def forms_of(text: str) -> Iterator[str]:
    """The known forms that read a date; several where a day may be a month, too."""
    found = _DATE.fullmatch(plain_date(text))
    if found is None:
        return
    clock = "%I" if found["half"] else "%H"
    time = f"{clock}{found['colon']}%M"
    if found["second"] is not None:
        time += f"{found['colon']}%S" + (f"{found['dot']}%f" if found["dot"] else "")
    if found["half"]:
        time += f"{found['gap']}%p"
    if found["zone"]:
        time += f"{found['zone_gap']}%z"
    for day in _DAYS:
        form = f"{day}{found['between']}{time}"
        if date_us(text, form) is not None:
            yield form


def date_us(text: str, form: str) -> int | None:
    """Microseconds since the epoch, in UTC where no zone is named; None where the form does not read the date."""
    try:
        return epoch_us(datetime.strptime(plain_date(text), form))
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


def plain_date(text: str) -> str:
    """As strptime reads it: usual spaces, zones as numbers with minutes, no more than microseconds."""
    text = text.strip().translate(dict.fromkeys(map(ord, _SPACES), " "))
    text = re.sub(r"(?:Z|UTC|GMT)$", "+0000", text)
    text = re.sub(r"([:.]\d\d(?:[.,:]\d{1,9})?(?: ?[AaPp][Mm])? ?[+-]\d\d)$", r"\g<1>00", text)
    return re.sub(r"([.,:]\d{6})\d{1,3}(?!\d)", r"\1", text)


def plain_date_sql(text: str) -> str:
    """The same in SQL, but for zones without minutes, which DuckDB reads."""
    spaces = f"translate(trim({text}), '{_SPACES}', '  ')"
    zoned = f"regexp_replace({spaces}, '(?:Z|UTC|GMT)$', '+0000')"
    return f"regexp_replace({zoned}, '([.,:]\\d{{6}})\\d{{1,3}}', '\\1')"


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


def find_pattern(text: str) -> str:
    """Java's pattern that reads a date of no known form; empty where none is found."""
    guessed = guess_pattern(text)
    turned = re.sub("MM|dd", lambda found: "dd" if found[0] == "MM" else "MM", guessed)
    for pattern in (guessed, turned):
        with suppress(UsageError):
            if date_us(text, form_of_pattern(pattern)) is not None:
                return pattern
    return ""


def guess_pattern(text: str) -> str:
    """Java's pattern that would read a date, perhaps: the year first or last, then hours, minutes, seconds."""
    pieces = re.findall(r"[+-]\d\d:?\d\d$|Z$|GMT$|UTC$|\d+|[A-Za-z]+|[^\dA-Za-z]", text.strip())
    has_half = any(piece.lower() in ("am", "pm") for piece in pieces)
    first = next((piece for piece in pieces if piece.isdecimal()), "")
    slots = ["yyyy", "MM", "dd"] if len(first) == 4 else ["yyyyMMdd"] if len(first) == 8 else ["dd", "MM", "yyyy"]
    slots += ["hh" if has_half else "HH", "mm", "ss", "SSS"]
    if "MM" in slots and any(piece[:3].lower() in _MONTHS for piece in pieces if piece.isalpha()):
        slots.remove("MM")
    return "".join(_guessed(piece, slots) for piece in pieces)


def _guessed(piece: str, slots: list[str]) -> str:
    if piece.isdecimal():
        slot = slots.pop(0) if slots else "SSS"
        return "yy" if slot == "yyyy" and len(piece) == 2 else "S" * len(piece) if slot == "SSS" else slot
    if piece in ("Z", "GMT", "UTC") or piece[-1].isdecimal():  # of those that are no number alone only +01:00
        return "X"
    if piece.lower() in ("am", "pm"):
        return "a"
    if piece[:3].lower() in _MONTHS:
        return "MMM" if len(piece) == 3 else "MMMM"
    if piece[:3].lower() in _WEEKDAYS:
        return "EEE" if len(piece) == 3 else "EEEE"
    return f"'{piece}'" if piece.isalpha() else piece
