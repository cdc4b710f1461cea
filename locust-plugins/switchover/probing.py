"""How the metronome probes in a drill: its settings, as it is told them and as run.json has them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from switchover.metronome import MetronomeSpec
from switchover.rundir import PROBES_FILE, Run
from switchover.target import Target

METRONOME_JOURNAL = "journal-metronome.lp"


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """Times in seconds, rates per second."""

    rate: float
    kept_rate: float
    timeout_connect_s: float
    timeout_read_s: float
    late_s: float

    def spec(self, target: Target, directory: Path, run: Run) -> MetronomeSpec:
        return MetronomeSpec(
            endpoint=target.endpoint,
            identity=target.identity,
            rate=self.rate,
            kept_rate=self.kept_rate,
            timeout_connect_s=self.timeout_connect_s,
            timeout_read_s=self.timeout_read_s,
            late_s=self.late_s,
            probes=directory / PROBES_FILE,
            journal=directory / METRONOME_JOURNAL,
            run=run.id,
        )

    def facts(self) -> dict[str, Any]:
        return {
            "probe_rate": self.rate,
            "kept_rate": self.kept_rate,
            "timeout_connect_ms": self.timeout_connect_s * 1000,
            "timeout_read_ms": self.timeout_read_s * 1000,
            "late_ms": self.late_s * 1000,
        }
