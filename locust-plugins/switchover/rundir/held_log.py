"""`held*.jtl`: the sample log of the load that feels a change, with four columns more.

`stream` is the kind of connection, `threadName` its place and the number of the connection there, `pooled 7.3`.
A row is one request or one message; one that has `ended_by` and no error is a connection that was closed politely.
"""

from enum import StrEnum
from pathlib import Path

from switchover.rundir.sample_log import Sample, SampleWriter

HELD_FILE = "connections.jtl"
RETRYING_CLIENT_FILE = "retrying_client.jtl"
"""The same of the retrying client: `attempts` says what it sent again, the first word of `threadName` which client it
is."""
HELD_COLUMNS = ("ended_by", "position", "worker", "change")


class EndedBy(StrEnum):
    """What ended a connection or a stream, as the client saw it."""

    FIN = "fin"
    RST = "rst"
    SILENCE = "silence"
    """Nothing came any more within the time-out."""
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
        """`position`: after which byte or message; `change`: the number of the change that it belongs to."""
        values = (
            ended_by or "",
            "" if position is None else str(position),
            worker,
            "" if not change else str(change),
        )
        self.write(sample, values)
