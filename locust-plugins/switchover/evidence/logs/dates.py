"""Dates in logs: ISO 8601, and the formats of `--time-format`, which are those of strptime."""

import re
from datetime import UTC, datetime

from switchover.model.errors import UsageError

_TRIED = datetime(2026, 2, 3, tzinfo=UTC)
"""A date in which no part equals the value that strptime uses for a missing part."""


def iso_date(text: str) -> datetime | None:
    """Parse a date in ISO 8601, also with slashes between its numbers; None for other text."""
    try:
        return datetime.fromisoformat(text.strip().replace("/", "-"))
    except ValueError:
        return None


def date_us(text: str, form: str) -> int | None:
    """Return microseconds since the epoch, in UTC without a zone; None if the format does not fit the date."""
    try:
        return epoch_us(datetime.strptime(text, form))
    except (ValueError, OverflowError, re.error):  # the last if a part of a date occurs twice
        return None


def epoch_us(at: datetime) -> int:
    """Convert a date to microseconds since the epoch. A date without a zone is UTC."""
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1_000_000)


def utc(at_us: int) -> str:
    """Format a time for messages."""
    try:
        return f"{datetime.fromtimestamp(at_us / 1e6, UTC):%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError, OSError):
        return f"{at_us / 1e6:.0f} s after 1970"


def check_form(form: str) -> str:
    """Return a format of strptime. Raise UsageError if it reads no dates."""
    if "%" not in form or not _reads_dates(form):
        raise UsageError(f"--time-format {form!r} reads no date: write it as strptime has it, '%Y/%m/%d %H:%M:%S.%f'")
    return form


def _reads_dates(form: str) -> bool:
    try:
        text = _TRIED.strftime(form)
    except ValueError:  # no valid text: the command line may contain any bytes
        return False
    return date_us(text, form) == epoch_us(_TRIED)
