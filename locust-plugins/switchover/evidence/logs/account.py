"""An account of the logs that were read: ignored lines, notes, and reasons why a log is not reliable."""

from switchover.rundir.damaged_lines import Ignored

LOST_SHARE = 0.001
"""The largest share of unreadable bytes. With a larger share, the logs are not reliable."""


class Account(Ignored):
    """The ignored lines of the logs that were read, notes about them, and the damage that was found."""

    __slots__ = ("damage", "damaged", "logs", "notes", "text_bytes")

    def __init__(self) -> None:
        super().__init__()
        self.text_bytes = 0
        """The uncompressed size of the logs, in bytes."""
        self.logs: list[str] = []
        """The path of each log that was read, in the order of `part` in the table."""
        self.damage: list[str] = []
        """The reasons why the logs are not reliable."""
        self.damaged: list[str] = []
        """The names of the logs that do not match their seals. These logs are not read."""
        self.notes: list[str] = []
        """Notes for the user, such as the format of times, or the number of rows that are not requests."""

    @property
    def share_lost(self) -> float:
        """The share of the bytes that could not be read."""
        return min(1.0, self.lost_bytes / self.text_bytes) if self.text_bytes else 0.0

    def why_invalid(self) -> list[str]:
        """List the reasons why the logs are not reliable. Each reason is one line."""
        reasons = list(self.damage)
        if self.share_lost > LOST_SHARE:
            reasons.append(f"{self.share_lost:.2%} of the bytes of the logs could not be read: {self}")
        return reasons

    def warnings(self) -> list[str]:
        """List the notes that have no effect on a figure."""
        lines = "line" if self.total == 1 else "lines"
        return [*self.notes, *([f"{self.total:,} {lines} could not be read: {self}"] if self.total else [])]
