"""The settings of the prober, for the prober and for run.json."""

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from switchover.drill.options import DrillSettings
from switchover.drill.wait import DrillObserver
from switchover.model.clock import Clock
from switchover.model.failure_kind import FailureKind
from switchover.prober import Prober, ProberProgress, ProberSpec
from switchover.rundir.run_directory import PROBER_JOURNAL, PROBES_FILE, Run
from switchover.target.model import Target

LAB_RATE, TARGET_RATE = 1000.0, 100.0
"""Probes per second for a lab, and for a real target."""

CONNECT_S, READ_S = 0.25, 1.0
"""Time-outs in seconds. They are short compared with outages, so that a recovery is detected soon."""


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


def usual_rate(target: Target) -> float:
    return LAB_RATE if target.lab else TARGET_RATE


def probe_settings(settings: DrillSettings, target: Target) -> ProbeSettings:
    """Return the user's settings, otherwise the settings of the target file, otherwise the defaults for the
    target."""
    endpoint = target.endpoint
    connect_s, read_s = settings.timeout_s or (endpoint.timeout_connect_s, endpoint.timeout_read_s)
    return ProbeSettings(
        rate=usual_rate(target) if settings.probe_rate is None else settings.probe_rate,
        kept_rate=settings.kept_rate,
        timeout_connect_s=connect_s or CONNECT_S,
        timeout_read_s=read_s or READ_S,
        late_s=settings.late_s,
    )


TRY_S = 1.2
"""The seconds of one attempt. The prober reports its counts every second."""
LOWER = (1000.0, 500.0, 200.0, 100.0, 50.0, 20.0)
"""The lower rates that are tried if they are below the usual rate."""
TRIES = 4
OPEN_SHARE = 0.25
"""The largest share of a second's probes that may be unanswered at the end of the second.

Above this share, responses take longer than a quarter of a second, because probes wait in an accept queue.
"""
_OF_THE_RATE = frozenset({FailureKind.CONNECT_TIMEOUT, FailureKind.READ_TIMEOUT, FailureKind.GENERATOR})
"""The kinds of failures that a lower rate may avoid. A refused connection is refused at any rate."""


def is_carried(progress: ProberProgress | None) -> bool:
    """Return True if the target carries the rate: failures and waiting probes do not depend on it, or are unknown."""
    if progress is None:
        return True
    if progress.failed and progress.last_error not in _OF_THE_RATE:
        return True
    return not (progress.failed or progress.late or progress.unsent or progress.open > OPEN_SHARE * progress.sent)


def find_carried_rate(usual: float, attempt: Callable[[float], ProberProgress | None]) -> tuple[float, str]:
    """Return the highest rate that the target carries, and a warning if it is below the usual rate.

    If the target carries no rate, the rate is not the cause, so return the usual rate.
    """
    first: ProberProgress | None = None
    for rate in (usual, *(rate for rate in LOWER if rate < usual))[:TRIES]:
        progress = attempt(rate)
        first = first or progress
        if is_carried(progress):
            return rate, "" if first is None or rate == usual else _reason(usual, rate, first)
    return usual, ""


def at_carried_rate(
    probing: ProbeSettings, target: Target, observer: DrillObserver
) -> tuple[ProbeSettings, list[str]]:
    """Return the settings with a rate that the machine and the target carry, and a warning if it is below the usual
    rate. Each attempt takes about a second."""

    def attempt(rate: float) -> ProberProgress | None:
        with tempfile.TemporaryDirectory(prefix="switchover-warm-up-") as directory:
            trial = replace(probing, rate=rate).spec(target, Path(directory), Run(id="warm-up", name="warm-up"))
            with Prober.start(trial, Clock.of_process()) as prober:
                time.sleep(TRY_S)
                return prober.progress()

    rate, note = find_carried_rate(probing.rate, attempt) if probing.rate else (0.0, "")
    if note:
        observer.note(note)
    return replace(probing, rate=rate), [note] if note else []


def _reason(usual: float, rate: float, progress: ProberProgress) -> str:
    bad = progress.failed + progress.late + progress.unsent + progress.open
    error = f" ({progress.last_error})" if progress.last_error else ""
    return (
        f"{rate:,g} probes/s instead of {usual:,g}: at {usual:,g}/s {bad:,} of {progress.sent:,} failed or waited "
        f"long for their response before the first fault or change{error}; --probe-rate {usual:g} forces the "
        "usual rate"
    )
