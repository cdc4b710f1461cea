"""Account of the logs that were read: lines left out, notes, and reasons not to trust them."""

from switchover.rundir.damaged_lines import Ignored

LOST_SHARE = 0.001
"""Share of the bytes of the logs. If more was not understood, figures of the rest are not figures of the load."""


class Account(Ignored):
    """Lines that were left out, and notes, while logs were read."""

    __slots__ = ("damage", "damaged", "logs", "notes", "text_bytes")

    def __init__(self) -> None:
        super().__init__()
        self.text_bytes = 0
        """Bytes of the logs as text."""
        self.logs: list[str] = []
        """The path of each that was read, by the number that the table has as `part`."""
        self.damage: list[str] = []
        """Each a reason not to trust the logs."""
        self.damaged: list[str] = []
        """Names of logs of a run that do not match their seals. They are not read."""
        self.notes: list[str] = []
        """Notes for the reader: a unit that was found, rows that are no requests."""

    @property
    def share_lost(self) -> float:
        """Share of the bytes that was not understood."""
        return min(1.0, self.lost_bytes / self.text_bytes) if self.text_bytes else 0.0

    def why_invalid(self) -> list[str]:
        """Why the logs cannot be trusted, one line each."""
        found = list(self.damage)
        if self.share_lost > LOST_SHARE:
            found.append(f"{self.share_lost:.2%} of the bytes of the logs could not be understood: {self}")
        return found

    def warnings(self) -> list[str]:
        """List the notes that change no figure."""
        lines = "line" if self.total == 1 else "lines"
        return [*self.notes, *([f"{self.total:,} {lines} could not be read: {self}"] if self.total else [])]
