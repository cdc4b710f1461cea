"""What the streaming process reads from standard input: secrets must not stand among its arguments."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from switchover.process.child_spec import ChildSpec
from switchover.streaming.influx.destination import Credentials, Database, parse_destination
from switchover.streaming.metrics.otlp import OtlpReceiver

WAIT_S = 10.0
"""How long the rest of the points may take at the end of a run."""


@dataclass(frozen=True, slots=True)
class StreamSpec(ChildSpec):
    """One run directory, and who gets its points. The jar writes the first five of its values."""

    child: ClassVar[str] = "shipper"

    directory: Path
    url: str | None = None
    """The database; None if there is none."""
    credentials: Credentials | None = None
    wait_s: float = WAIT_S
    outside: Path | None = None
    """The socket of the process that streams instead, if this one's network is only a lab's."""
    prometheus: str | None = None
    """The address to listen on."""
    otlp: OtlpReceiver | None = None

    @property
    def database(self) -> Database | None:
        return Database(parse_destination(self.url), self.credentials or Credentials()) if self.url else None

    @property
    def has_metrics(self) -> bool:
        return bool(self.prometheus or self.otlp)
