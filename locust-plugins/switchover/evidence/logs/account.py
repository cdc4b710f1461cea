"""What reading logs understood of them, and why they cannot be trusted where that is not enough."""

from switchover.rundir.damaged_lines import Ignored

LOST_SHARE = 0.001
"""Of the bytes of the logs: where more was not understood, figures of the rest are not figures of the load."""


class Account(Ignored):
    """What was left out, and what was noticed, while logs were read."""

    __slots__ = ("damage", "damaged", "logs", "notes", "text_bytes")

    def __init__(self) -> None:
        super().__init__()
        self.text_bytes = 0
        """How long the logs are as text."""
        self.logs: list[str] = []
        """The path of each that was read, by the number that the table has as `part`."""
        self.damage: list[str] = []
        """Each a reason not to trust the logs."""
        self.damaged: list[str] = []
        """Names of logs of a run that do not match their seals. They are not read."""
        self.notes: list[str] = []
        """What a reader should know: a unit that was found, rows that are no requests."""

    @property
    def share_lost(self) -> float:
        """Of the bytes, that which was not understood."""
        return min(1.0, self.lost_bytes / self.text_bytes) if self.text_bytes else 0.0

    def why_invalid(self) -> list[str]:
        """Why the logs cannot be trusted, one line each."""
        found = list(self.damage)
        if self.share_lost > LOST_SHARE:
            found.append(f"{self.share_lost:.2%} of the bytes of the logs could not be understood: {self}")
        return found

    def warnings(self) -> list[str]:
        """What should be known though the figures stand."""
        lines = "line" if self.total == 1 else "lines"
        return [*self.notes, *([f"{self.total:,} {lines} could not be read: {self}"] if self.total else [])]
