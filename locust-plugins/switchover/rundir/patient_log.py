"""`patient*.jtl`: the sample log of the load that feels a change, with four columns more.

`stream` is the kind of connection, `threadName` its place and the number of the connection there, `pooled 7.3`.
A row is one request or one message; one that has `ended_by` and no error is a connection that was closed politely.
"""

from enum import StrEnum
from pathlib import Path

from switchover.rundir.sample_log import Sample, SampleWriter
from switchover.rundir.seal import Seals

PATIENT_FILE = "patient.jtl"
TWIN_FILE = "twin.jtl"
"""The same of the twin: `attempts` says what it sent again."""
GO_TWIN_FILE = "twin-go.jtl"
PATIENT_COLUMNS = ("ended_by", "position", "worker", "change")


class EndedBy(StrEnum):
    """What ended a connection or a stream, as the client saw it."""

    FIN = "fin"
    RST = "rst"
    SILENCE = "silence"
    """Nothing came any more within the time-out."""
    GOAWAY = "goaway"
    CLOSE = "close"
    """Announced by the protocol: `Connection: close`, a close frame, an end event."""


class PatientWriter:
    """Writes rows to one file, as `SampleWriter` does."""

    def __init__(self, path: Path) -> None:
        self._samples = SampleWriter(path, PATIENT_COLUMNS)

    @property
    def lost(self) -> int:
        return self._samples.lost

    def write(
        self, sample: Sample, *, ended_by: EndedBy | None, position: int | None, worker: str, change: int | None
    ) -> None:
        """`position`: after which byte or message; `change`: the number of the change that it belongs to."""
        values = (
            ended_by or "",
            "" if position is None else str(position),
            worker,
            "" if not change else str(change),
        )
        self._samples.write(sample, values)

    @property
    def seals(self) -> Seals:
        """Once it is closed."""
        return self._samples.seals

    def flush(self) -> None:
        self._samples.flush()

    def close(self) -> None:
        self._samples.close()
