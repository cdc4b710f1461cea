"""Dates in logs: ISO 8601, and the formats of `--time-format`, as for strptime."""

import re
from datetime import UTC, datetime


def iso_date(text: str) -> datetime | None:
    """Parse a date in ISO 8601, with hyphens or slashes; None for other text."""
    try:
        return datetime.fromisoformat(text.strip().replace("/", "-"))
    except ValueError:
        return None


def date_us(text: str, form: str) -> int | None:
    """Return microseconds since the epoch; None if the format does not fit the date. A date without a zone is UTC."""
    try:
        return epoch_us(datetime.strptime(text, form))
    except (ValueError, OverflowError, re.error):  # re.error: a part of a date occurs twice
        return None


def epoch_us(at: datetime) -> int:
    """Convert a date to microseconds since the epoch. A date without a zone is UTC."""
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1_000_000)


def utc(at_us: int) -> str:
    """Format a time for messages."""
    return f"{datetime.fromtimestamp(at_us / 1e6, UTC):%Y-%m-%d %H:%M:%S}"
