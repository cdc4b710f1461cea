"""Parse and format dates in logs."""

from datetime import UTC, datetime


def iso_date(text: str) -> datetime | None:
    """Parse a date in ISO 8601, with hyphens or slashes. Return None for any other text."""
    try:
        return datetime.fromisoformat(text.strip().replace("/", "-"))
    except ValueError:
        return None


def epoch_us(at: datetime) -> int:
    """Convert a date to microseconds since the epoch. A date without a time zone is read as UTC."""
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1_000_000)


def utc(at_us: int) -> str:
    """Format a time for messages: UTC, in whole seconds."""
    return f"{datetime.fromtimestamp(at_us / 1e6, UTC):%Y-%m-%d %H:%M:%S}"
