"""The format and the resolution of the times in a log. JMeter's CSV has milliseconds, or dates in ISO 8601."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from switchover.evidence.requests.table import Requests

LOOKED_AT = 1000
"""The number of rows whose times are examined."""
EARLIEST_MS, LATEST_MS = 10**11, 10**14
"""Times in this range (the years 1973 to 5138) are read as milliseconds since 1970."""
SMALL_MS = 10**8
"""Times below this limit are read as milliseconds since the start of a test."""


@dataclass(frozen=True, slots=True)
class Stamps:
    """The format of a log's times: milliseconds, or dates in ISO 8601."""

    is_date: bool = False
    is_local: bool = False
    """True if dates have no time zone."""
    earliest_us: int = 0
    """A time before `earliest_us` is rejected, because the unit of the time is not milliseconds."""

    def notes(self, name: str) -> list[str]:
        """Return a note if the times are dates."""
        zone = ", in UTC: they have no time zone" if self.is_local else ""
        return [f"{name}: times are read as ISO 8601{zone}"] if self.is_date else []

    def number_sql(self, text: str) -> str:
        """Return SQL for the time of a row, in µs if the log has dates, otherwise in ms; NULL for an invalid time."""
        if not self.is_date:
            return text
        zone = " || 'Z'" if self.is_local else ""
        return f"epoch_us(try_cast(translate({text}, '/,', '-.'){zone} AS TIMESTAMPTZ))"


def stamps_of(texts: Sequence[str]) -> Stamps | None:
    """Detect the format of the times in the first rows of a log; None if the format is unknown."""
    stamps = [text.strip() for text in texts if text.strip()]
    numbers = list(_parsed(float, stamps))
    dates = list(_parsed(datetime.fromisoformat, [text.replace("/", "-") for text in stamps]))
    if 2 * len(dates) > len(stamps) and len(dates) > len(numbers):
        return Stamps(is_date=True, is_local=any(at.tzinfo is None for at in dates))
    if 2 * len(numbers) < len(stamps):
        return None
    usual = median(numbers) if numbers else 0.0
    if usual < SMALL_MS:
        return Stamps()
    return Stamps(earliest_us=EARLIEST_MS * 1000) if EARLIEST_MS <= usual < LATEST_MS else None


def _parsed(parse: Callable[[str], Any], texts: Sequence[str]) -> Iterator[Any]:
    for text in texts:
        with suppress(ValueError):
            yield parse(text)


STEP_NAMES = {60_000_000: "a minute", 1_000_000: "a second", 100_000: "a tenth of a second"}
"""The resolutions (steps), in microseconds, that can be detected. The coarsest step is first."""
SHARE = 4
"""A log has a step if more than 1/`SHARE` of its times are multiples of the step. In a log without a step, at most a
tenth of the times are multiples by chance."""
MANY, STEP = 100_000, 16
"""If all logs together have more than `MANY` rows, only every `STEP`th row is examined. `STEP` is a power of two for
speed."""
FEWEST = 10
"""A log has a step only if at least this number of times are multiples of the step."""


def time_step_of(requests: Requests) -> int:
    """Return the coarsest resolution (step) of the times of all logs, in microseconds; 0 for a millisecond or finer.
    In a log with whole seconds, all starts or all ends of requests are whole seconds."""
    looked_at = "true" if len(requests) <= MANY else f"rowid & {STEP - 1} = 0"
    coarsest = 0
    # The finest step is checked first. If times are not tenths of a second, times are not whole seconds either.
    for step in reversed(STEP_NAMES):
        logs = requests.rows(
            f"SELECT count(*), count(*) FILTER (start_us % {step} = 0), count(*) FILTER (end_us % {step} = 0) "
            f"FROM {{requests}} WHERE {looked_at} GROUP BY part"
        )
        if not any(max(both) >= FEWEST and SHARE * max(both) > total for total, *both in logs):
            break
        coarsest = step
    return coarsest
