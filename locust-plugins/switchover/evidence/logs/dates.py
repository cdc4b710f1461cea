"""Dates as logs write them: ISO 8601, and the forms of `--time-format`, which are strptime's."""

import re
from datetime import UTC, datetime

from switchover.model.errors import UsageError

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
    """Convert a date; without a zone it is UTC."""
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1_000_000)


def utc(at_us: int) -> str:
    """A time as messages name it."""
    try:
        return f"{datetime.fromtimestamp(at_us / 1e6, UTC):%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError, OSError):
        return f"{at_us / 1e6:.0f} s after 1970"


def check_form(form: str) -> str:
    """A form of strptime that reads dates. UsageError: it reads none."""
    if "%" not in form or not _reads_dates(form):
        raise UsageError(f"--time-format {form!r} reads no date: write it as strptime has it, '%Y/%m/%d %H:%M:%S.%f'")
    return form


def _reads_dates(form: str) -> bool:
    try:
        text = _TRIED.strftime(form)
    except ValueError:  # what is no text: the command line may have any bytes
        return False
    return date_us(text, form) == epoch_us(_TRIED)
