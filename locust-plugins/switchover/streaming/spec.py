"""What the streaming process reads from standard input: secrets must not stand among its arguments."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from switchover.model.errors import UsageError
from switchover.streaming.influx.destination import Credentials, Database, parse_destination
from switchover.streaming.metrics.otlp import OtlpReceiver

WAIT_S = 10.0
"""How long the rest of the points may take at the end of a run."""


@dataclass(frozen=True, slots=True)
class StreamSpec:
    """One run directory, and who gets its points."""

    directory: Path
    database: Database | None = None
    wait_s: float = WAIT_S
    outside: Path | None = None
    """The socket of the process that streams instead, if this one's network is only a lab's."""
    prometheus: str | None = None
    """The address to listen on."""
    otlp: OtlpReceiver | None = None

    @property
    def has_metrics(self) -> bool:
        return bool(self.prometheus or self.otlp)

    def to_json(self) -> str:
        database = self.database
        return json.dumps(
            {
                "directory": str(self.directory),
                "url": database.destination.url if database else None,
                "credentials": asdict(database.credentials) if database else None,
                "wait_s": self.wait_s,
                "outside": str(self.outside) if self.outside else None,
                "prometheus": self.prometheus,
                "otlp": asdict(self.otlp) if self.otlp else None,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> "StreamSpec":
        """The spec that `to_json` or the jar wrote; UsageError for anything else."""
        try:
            values = json.loads(text)
            url, otlp = values["url"], values.get("otlp")
            return cls(
                Path(values["directory"]),
                Database(parse_destination(url), Credentials(**values["credentials"])) if url else None,
                float(values["wait_s"]),
                Path(values["outside"]) if values["outside"] else None,
                values.get("prometheus"),
                OtlpReceiver(**otlp) if otlp else None,
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise UsageError(f"the shipper was given no usable spec ({type(error).__name__})") from error
