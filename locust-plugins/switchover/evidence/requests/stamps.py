"""Times in a log of another program: numbers with one unit, or dates with one format, detected from the first
rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from switchover.evidence.logs.dates import date_us, iso_date
from switchover.evidence.requests.store import sql_text
from switchover.evidence.requests.table import Requests

LOOKED_AT = 1000
"""The number of rows whose times are examined."""
EARLIEST = 10**8
"""The size of a number shows its unit if the number is at least this large (in seconds: 1973). Smaller numbers are
milliseconds."""
_UNITS = {"seconds": 1_000_000, "milliseconds": 1000, "microseconds": 1, "nanoseconds": 0.001}
_MS = "milliseconds"
ISO = "ISO 8601"


@dataclass(frozen=True, slots=True)
class Stamps:
    """The format of a log's times: the unit of numbers, a format for strptime, or `ISO`."""

    form: str = _MS
    is_local: bool = False
    """True if dates have no time zone."""
    earliest_us: int = 0
    """An earlier time must have another unit."""

    def note(self, name: str) -> str:
        """Return the note for times that are not JMeter's milliseconds."""
        zone = ", in UTC: they have no time zone" if self.is_local else ""
        return "" if self.is_plain else f"{name}: times are read as {self.form}{zone}"

    @property
    def is_plain(self) -> bool:
        """True for milliseconds, as JMeter writes them by default."""
        return self.form == _MS

    def number_sql(self, text: str) -> str:
        """Return SQL for the time of a row: milliseconds if `is_plain`, otherwise microseconds. NULL: an invalid
        time."""
        if self.is_plain:
            return f"try_cast(nullif({text}, '') AS BIGINT)"
        if self.form == ISO:
            zone = " || 'Z'" if self.is_local else ""
            return f"epoch_us(try_cast(translate({text}, '/,', '-.'){zone} AS TIMESTAMPTZ))"
        if self.form in _UNITS:
            return f"try_cast(trunc(try_cast(nullif({text}, '') AS DECIMAL(28, 6)) * {_UNITS[self.form]}) AS BIGINT)"
        return f"epoch_us(try_strptime({text}, {sql_text(self.form)}))"


def stamps_of(texts: Sequence[str], form: str = "") -> Stamps | None:
    """Detect the format of the times of the first rows.

    `form`: the user's format of dates, or empty. None if this format matches no date, or if dates need
    `--time-format`.
    """
    stamps = [text.strip() for text in texts if text.strip()]
    if form:
        is_read = not stamps or any(date_us(text, form) is not None for text in stamps)
        return Stamps(form=form, is_local="%z" not in form) if is_read else None
    numbers = [number for text in stamps if (number := _number(text)) is not None]
    dates = [at for text in stamps if (at := iso_date(text)) is not None]
    if 2 * len(dates) > len(stamps) and len(dates) > len(numbers):
        return Stamps(form=ISO, is_local=any(at.tzinfo is None for at in dates))
    if 2 * len(numbers) < len(stamps):
        return None
    return _of_number(median(numbers)) if numbers else Stamps()


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _of_number(number: float) -> Stamps:
    if number < EARLIEST:
        return Stamps()
    limits = zip(_UNITS, (10**11, 10**14, 10**17, float("inf")), strict=True)
    return Stamps(next(unit for unit, limit in limits if number < limit), earliest_us=EARLIEST * 1_000_000)


STEP_NAMES = {60_000_000: "a minute", 1_000_000: "a second", 100_000: "a tenth of a second"}
"""The possible resolutions (steps) of the times of a log, in microseconds, coarsest first. Finer steps are hardly
longer than `CUT_US`."""
SHARE = 4
"""A log has a step if more than one in `SHARE` requests fits the step. One in ten exact times fits a tenth of a
second by chance."""
MANY, STEP = 100_000, 16
"""If there are more than `MANY` rows, one in `STEP` rows is examined. `STEP` is a power of two for speed."""
FEWEST = 10
"""The minimum number of requests that must fit a step."""


def time_step_of(requests: Requests) -> int:
    """Return the resolution (step) of the times of a log, in microseconds; 0 for a millisecond or finer.

    A log has the start or the end of each request, and its duration. In a log with whole seconds, either all starts
    or all ends are therefore whole seconds. If there are several logs, the coarsest step is returned.
    """
    looked_at = "true" if len(requests) <= MANY else f"rowid & {STEP - 1} = 0"
    coarsest = 0
    # The finest step first: times that do not fit tenths of a second do not fit seconds.
    for step in reversed(STEP_NAMES):
        logs = requests.rows(
            f"SELECT count(*), count(*) FILTER (start_us % {step} = 0), count(*) FILTER (end_us % {step} = 0) "
            f"FROM {{requests}} WHERE {looked_at} GROUP BY part"
        )
        if not any(max(both) >= FEWEST and SHARE * max(both) > total for total, *both in logs):
            break
        coarsest = step
    return coarsest
