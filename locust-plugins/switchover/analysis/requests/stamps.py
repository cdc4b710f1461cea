"""What a log's times are: milliseconds as JMeter writes them, or another unit, or dates; found in its first rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median

LOOKED_AT = 1000
"""Rows of which the times are looked at."""

_MS = "ms"
_UNITS = {"s": 1_000_000, _MS: 1000, "us": 1}
_NAMES = {"s": "seconds", "us": "microseconds", "ns": "nanoseconds"}
SURE = 10**8
"""Seconds from 1973 on, and larger numbers, tell their unit; smaller ones are milliseconds."""

DATE_FORMS = (
    "%Y/%m/%d %H:%M:%S.%f", "%Y/%m/%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S,%f",
    "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%dT%H:%M:%S%z",
    "%Y-%m-%d %H:%M:%S%z", "%Y-%m-%d %H:%M:%S.%f%z", "%Y/%m/%d %H:%M:%S:%f", "%Y/%m/%d %H:%M",
    "%d/%m/%Y %H:%M:%S.%f", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S.%f", "%m/%d/%Y %H:%M:%S",
    "%m/%d/%y %H:%M:%S", "%d/%m/%y %H:%M:%S", "%d.%m.%Y %H:%M:%S.%f", "%d.%m.%Y %H:%M:%S",
    "%m/%d/%Y %I:%M:%S %p", "%d/%b/%Y:%H:%M:%S.%f", "%d/%b/%Y:%H:%M:%S", "%d/%b/%Y:%H:%M:%S %z",
    "%Y%m%d %H:%M:%S", "%Y%m%d%H%M%S", "%b %d, %Y %I:%M:%S %p",
)  # fmt: skip
"""As strptime reads them, in Python and in DuckDB."""


@dataclass(frozen=True, slots=True)
class Stamps:
    """`unit`: s, ms, us or ns; empty for dates, which `form` reads."""

    unit: str = _MS
    form: str = ""
    sure: bool = False
    """Rows whose times are of another unit can be told from the others."""
    fractions: bool = False
    """Its numbers have a decimal point."""

    def note(self, name: str) -> str:
        """What is said of times that are not JMeter's milliseconds."""
        if self.form:
            zone = "" if "%z" in self.form else ", in UTC: they name no zone"
            return f"{name}: times are dates, read as {self.form}{zone}"
        return f"{name}: times are in {_NAMES[self.unit]}" if self.unit != _MS else ""

    @property
    def is_plain(self) -> bool:
        """Whole milliseconds, as JMeter writes them by default."""
        return self.unit == _MS and not self.fractions

    @property
    def is_local(self) -> bool:
        """Dates without a zone."""
        return bool(self.form) and "%z" not in self.form

    def microseconds_sql(self, text: str) -> str:
        """The time of a row; NULL where it cannot be read. Not for milliseconds, which have a quicker way."""
        if self.form:
            zoned = f"regexp_replace({text}, 'Z$', '+0000')" if "%z" in self.form else text
            return f"epoch_us(try_strptime({zoned}, '{self.form}'))"
        if self.unit == "ns":
            return f"try_cast(try_cast(split_part({text}, '.', 1) AS HUGEINT) // 1000 AS BIGINT)"
        return f"try_cast(trunc(try_cast({text} AS DECIMAL(28, 6)) * {_UNITS[self.unit]}) AS BIGINT)"

    def another_unit_sql(self, microseconds: str) -> str:
        """Whether a time cannot be of this log's unit: it would lie before 1973 or after 5138."""
        return f"{microseconds} NOT BETWEEN {SURE * 1_000_000} AND {10**11 * 1_000_000}" if self.sure else "false"


def stamps_of(texts: Sequence[str]) -> Stamps:
    """From the times of the first rows: milliseconds where they are neither numbers nor dates of a known form."""
    known = [text.strip() for text in texts if text.strip()]
    numbers = [float(text) for text in known if re.fullmatch(r"[+-]?\d{1,25}(?:\.\d{1,9})?", text)]
    if not known or 2 * len(numbers) > len(known):
        return _of_number(median(numbers), any("." in text for text in known)) if numbers else Stamps()
    forms = [(len(found), -_span(found), form) for form in DATE_FORMS if (found := _dates(known, form))]
    if not forms:
        return Stamps()
    # A day that may be a month, too, is what makes the log the shorter: no test lasts from January to December.
    number, _, form = max(forms, key=lambda one: one[:2])
    return Stamps(unit="", form=form) if 2 * number > len(known) else Stamps()


def _of_number(number: float, fractions: bool) -> Stamps:
    if number < SURE:
        return Stamps(fractions=fractions)
    for unit, limit in (("s", 10**11), (_MS, 10**14), ("us", 10**17)):
        if number < limit:
            return Stamps(unit, sure=True, fractions=fractions)
    return Stamps("ns", sure=True)


def _dates(texts: Sequence[str], form: str) -> list[float]:
    found = []
    for text in texts:
        try:
            at = datetime.strptime(text, form)
        except ValueError:
            continue
        found.append((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())
    return found


def _span(times: Sequence[float]) -> float:
    return max(times) - min(times)
