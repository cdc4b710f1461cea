"""What a log's times are: milliseconds as JMeter writes them, or another unit, or dates; found in its first rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from switchover.analysis.logs.dates import date_us, forms_of, plain_date_sql
from switchover.analysis.requests.store import sql_text

LOOKED_AT = 1000
"""Rows of which the times are looked at."""

_MS = "ms"
_UNITS = {"s": 1_000_000, _MS: 1000, "us": 1}
_NAMES = {"s": "seconds", "us": "microseconds", "ns": "nanoseconds"}
SURE = 10**8
"""Seconds from 1973 on, and larger numbers, tell their unit; smaller ones are milliseconds."""
_NUMBER = re.compile(r"[+-]?\d{1,25}(?:\.\d{1,9})?")
_LIKE_A_DATE = re.compile(r"(?:\d\D*){6}")


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
            form = sql_text(self.form)
            as_it_is, plain = (f"try_strptime({date}, {form})" for date in (text, plain_date_sql(text)))
            return f"epoch_us(coalesce({as_it_is}, {plain}))"
        if self.unit == "ns":
            return f"try_cast(try_cast(split_part({text}, '.', 1) AS HUGEINT) // 1000 AS BIGINT)"
        return f"try_cast(trunc(try_cast({text} AS DECIMAL(28, 6)) * {_UNITS[self.unit]}) AS BIGINT)"

    def another_unit_sql(self, microseconds: str) -> str:
        """Whether a time cannot be of this log's unit: it would lie before 1973 or after 5138."""
        return f"{microseconds} NOT BETWEEN {SURE * 1_000_000} AND {10**11 * 1_000_000}" if self.sure else "false"


def stamps_of(texts: Sequence[str], form: str = "") -> Stamps | None:
    """From the times of the first rows; None where they are dates of no known form. `form`: that of all dates, where
    the user says it; of a log without a row any will do."""
    known = [text.strip() for text in texts if text.strip()]
    if form:
        is_read = not known or any(date_us(text, form) is not None for text in known)
        return Stamps(unit="", form=form) if is_read else None
    numbers = [float(text) for text in known if _NUMBER.fullmatch(text)]
    if not known or 2 * len(numbers) > len(known):
        return _of_number(median(numbers), any("." in text for text in known)) if numbers else Stamps()
    dates = [text for text in known if _LIKE_A_DATE.search(text) and not _NUMBER.fullmatch(text)]
    forms = dict.fromkeys(form for text in dates[:: max(1, len(dates) // 9)] for form in forms_of(text))
    found = [(len(times), -_span(times), form) for form in forms if (times := _dates(known, form))]
    # A day that may be a month, too, is what makes the log the shorter: no test lasts from January to December.
    number, _, best = max(found, key=_rank, default=(0, 0, ""))
    if 2 * number > len(known):
        return Stamps(unit="", form=best)
    return None if 2 * len(dates) > len(known) else Stamps()


def _rank(found: tuple[int, int, str]) -> tuple[int, int, bool]:
    """Where nothing decides it, the month comes first with AM and PM, else the day."""
    number, span, form = found
    return number, span, "%p" in form and form.startswith("%m")


def _of_number(number: float, fractions: bool) -> Stamps:
    if number < SURE:
        return Stamps(fractions=fractions)
    for unit, limit in (("s", 10**11), (_MS, 10**14), ("us", 10**17)):
        if number < limit:
            return Stamps(unit, sure=True, fractions=fractions)
    return Stamps("ns", sure=True)


def _dates(texts: Sequence[str], form: str) -> list[int]:
    return [at_us for text in texts if (at_us := date_us(text, form)) is not None]


def _span(times: Sequence[int]) -> int:
    return max(times) - min(times)
