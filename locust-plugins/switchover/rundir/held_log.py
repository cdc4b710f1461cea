"""`connections*.jtl`: the sample log of the held connections, with four additional columns.

`stream` is the kind of connection. `threadName` has the kind, the place, and the number of the connection at this
place. For example, `pooled 7.3` is connection 3 at place 7. A row is one request or message. A row with `ended_by`
and without an error is a connection that was closed gracefully.
"""

from enum import StrEnum
from pathlib import Path

from switchover.rundir.sample_log import Sample, SampleWriter

HELD_FILE = "connections.jtl"
RETRYING_CLIENT_FILE = "retrying_client.jtl"
"""The log of the retrying clients. `attempts`: the number of times that the client sent the request. `threadName`
begins with the name of the client."""
HELD_COLUMNS = ("ended_by", "position", "worker", "change")


class EndedBy(StrEnum):
    """The end of a connection or a stream, as the client saw it."""

    FIN = "fin"
    RST = "rst"
    SILENCE = "silence"
    """No byte arrived within the timeout."""
    GOAWAY = "goaway"
    CLOSE = "close"
    """The server announced the end: by `Connection: close`, a close frame, or an end event."""


class HeldWriter(SampleWriter):
    """Writes rows with all columns to one file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, HELD_COLUMNS)

    def write_row(
        self, sample: Sample, *, ended_by: EndedBy | None, position: int | None, worker: str, change: int | None
    ) -> None:
        """Write a row.

        `position`: the number of the last byte or message before the end of the connection. `change`: the number of
        the change that the request belongs to.
        """
        values = (
            ended_by or "",
            "" if position is None else str(position),
            worker,
            "" if not change else str(change),
        )
        self.write(sample, values)
