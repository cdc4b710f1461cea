"""The settings of the prober, for the prober and for run.json."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from switchover.drill.options import DrillSettings
from switchover.prober import ProberSpec
from switchover.rundir.run_directory import PROBER_JOURNAL, PROBES_FILE, Run
from switchover.target.model import Target

LAB_RATE, TARGET_RATE = 1000.0, 100.0
"""Probes per second for a lab, and for a real target."""

CONNECT_S, READ_S = 0.25, 1.0
"""Time-outs in seconds. The time-outs are short compared with outages, so that a recovery is detected soon."""


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """The settings of the prober. Times are in seconds, rates per second."""

    rate: float
    """Probes per second. 0: there is no prober, and the outage is not measured."""
    kept_rate: float
    timeout_connect_s: float
    timeout_read_s: float
    late_s: float

    def spec(self, target: Target, directory: Path, run: Run) -> ProberSpec:
        return ProberSpec(
            endpoint=target.endpoint,
            identity=target.identity,
            rate=self.rate,
            kept_rate=self.kept_rate,
            timeout_connect_s=self.timeout_connect_s,
            timeout_read_s=self.timeout_read_s,
            late_s=self.late_s,
            probes=directory / PROBES_FILE,
            journal=directory / PROBER_JOURNAL,
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


def probe_settings(settings: DrillSettings, target: Target) -> ProbeSettings:
    """Return the user's settings, otherwise the settings of the target file, otherwise the defaults for the
    target."""
    endpoint = target.endpoint
    usual_rate = LAB_RATE if target.lab else TARGET_RATE
    connect_s, read_s = settings.timeout_s or (endpoint.timeout_connect_s, endpoint.timeout_read_s)
    return ProbeSettings(
        rate=usual_rate if settings.probe_rate is None else settings.probe_rate,
        kept_rate=settings.kept_rate,
        timeout_connect_s=connect_s or CONNECT_S,
        timeout_read_s=read_s or READ_S,
        late_s=settings.late_s,
    )
