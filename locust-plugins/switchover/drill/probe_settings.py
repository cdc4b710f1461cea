"""How the metronome probes in a drill: its settings, as it is told them and as run.json has them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from switchover.drill.options import DrillSettings
from switchover.metronome import MetronomeSpec
from switchover.rundir.run_directory import METRONOME_JOURNAL, PROBES_FILE, Run
from switchover.target.model import Target

LAB_RATE, TARGET_RATE = 1000.0, 100.0
"""Probes a second: the lab is ours to load; a real target is not."""

CONNECT_S, READ_S = 0.25, 1.0
"""Time-outs well below any outage worth measuring, so that a recovery is seen soon after it happens."""


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """Times in seconds, rates per second."""

    rate: float
    """0: there is no metronome, and the outage is not measured."""
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


def usual_rate(target: Target) -> float:
    """The probe rate that suits the target, where none was chosen."""
    return LAB_RATE if target.lab else TARGET_RATE


def probe_settings(settings: DrillSettings, target: Target) -> ProbeSettings:
    """How to probe: as was chosen, else as the target file says, else as suits the target."""
    endpoint = target.endpoint
    connect_s, read_s = settings.timeout_s or (endpoint.timeout_connect_s, endpoint.timeout_read_s)
    return ProbeSettings(
        rate=usual_rate(target) if settings.probe_rate is None else settings.probe_rate,
        kept_rate=settings.kept_rate,
        timeout_connect_s=connect_s or CONNECT_S,
        timeout_read_s=read_s or READ_S,
        late_s=settings.late_s,
    )
