"""What an exporter's process reads from its standard input: headers too, which must not stand among its arguments."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from switchover.model.errors import UsageError
from switchover.streaming.metrics.otlp import OtlpReceiver


@dataclass(frozen=True, slots=True)
class ExportSpec:
    """One run directory, and who gets its metrics."""

    directory: Path
    prometheus: str | None = None
    """The address to listen on."""
    otlp: OtlpReceiver | None = None
    outside: Path | None = None
    """The socket of the process that runs the exporter instead, where this one's network is only a lab's."""

    def to_json(self) -> str:
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str) -> "ExportSpec":
        """The spec that `to_json` wrote; UsageError for anything else."""
        try:
            values = json.loads(text)
            otlp = OtlpReceiver(**values["otlp"]) if values["otlp"] else None
            outside = Path(values["outside"]) if values["outside"] else None
            return cls(Path(values["directory"]), values["prometheus"], otlp, outside)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise UsageError(f"the exporter was given no usable spec ({type(error).__name__})") from error
