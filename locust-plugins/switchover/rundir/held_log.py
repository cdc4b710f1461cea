"""`connections*.jtl`: the sample log of the held connections, with four further columns.

`stream` is the kind of connection. `threadName` is its place and the number of the connection there, `pooled
7.3`. A row is one request or message. A row with `ended_by` and no error is a connection that was closed
gracefully.
"""

from enum import StrEnum
from pathlib import Path

from switchover.rundir.sample_log import Sample, SampleWriter

HELD_FILE = "connections.jtl"
RETRYING_CLIENT_FILE = "retrying_client.jtl"
"""The log of the retrying client: `attempts` counts its sends, and `threadName` begins with the name of the
client."""
HELD_COLUMNS = ("ended_by", "position", "worker", "change")


class EndedBy(StrEnum):
    """The end of a connection or a stream, as the client saw it."""

    FIN = "fin"
    RST = "rst"
    SILENCE = "silence"
    """No byte came within the timeout."""
    GOAWAY = "goaway"
    CLOSE = "close"
    """Announced by the protocol: `Connection: close`, a close frame, an end event."""


class HeldWriter(SampleWriter):
    """Writes rows with all columns to one file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, HELD_COLUMNS)

    def write_row(
        self, sample: Sample, *, ended_by: EndedBy | None, position: int | None, worker: str, change: int | None
    ) -> None:
        """Write a row. `position`: the last byte or message before its end. `change`: the number of its change."""
        values = (
            ended_by or "",
            "" if position is None else str(position),
            worker,
            "" if not change else str(change),
        )
        self.write(sample, values)
