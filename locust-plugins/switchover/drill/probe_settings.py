"""The prober's settings in a drill, for the prober and for run.json."""

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
"""Probes per second. A lab can be loaded freely; a real target cannot."""

CONNECT_S, READ_S = 0.25, 1.0
"""Time-outs in seconds. They are well below relevant outages, so that a recovery is seen soon after it happens."""


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
    """Return the chosen settings, otherwise those of the target file, otherwise the defaults for the target."""
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
"""Seconds of one attempt. The prober reports its counts each second."""
LOWER = (1000.0, 500.0, 200.0, 100.0, 50.0, 20.0)
"""Lower rates to try, if they are below the usual one."""
TRIES = 4
OPEN_SHARE = 0.25
"""The largest share of a second's probes that may be unanswered at its end.

Above it, an answer takes longer than a quarter of a second. The probes wait in an accept queue, and their read
time-out has not come yet.
"""
_OF_THE_RATE = frozenset({FailureKind.CONNECT_TIMEOUT, FailureKind.READ_TIMEOUT, FailureKind.GENERATOR})
"""Failures that a lower rate may avoid. A refused connection is refused at any rate."""


def is_carried(seen: ProberProgress | None) -> bool:
    """Return True if a lower rate would help no failed or waiting probe, or if that is unknown."""
    if seen is None:
        return True
    if seen.failed and seen.last_error not in _OF_THE_RATE:
        return True
    return not (seen.failed or seen.late or seen.unsent or seen.open > OPEN_SHARE * seen.sent)


def find_carried_rate(usual: float, attempt: Callable[[float], ProberProgress | None]) -> tuple[float, str]:
    """Return the highest rate that `attempt` shows to be carried, and a warning if it is below the usual one.

    If no rate is carried, the rate is not the cause, so return the usual rate.
    """
    first: ProberProgress | None = None
    for rate in (usual, *(rate for rate in LOWER if rate < usual))[:TRIES]:
        seen = attempt(rate)
        first = first or seen
        if is_carried(seen):
            return rate, "" if first is None or rate == usual else _reason(usual, rate, first)
    return usual, ""


def at_carried_rate(
    probing: ProbeSettings, target: Target, observer: DrillObserver
) -> tuple[ProbeSettings, list[str]]:
    """Return the settings with a rate that machine and target carry, and a warning if it is lower than usual.

    Each attempt takes about a second.
    """

    def attempt(rate: float) -> ProberProgress | None:
        with tempfile.TemporaryDirectory(prefix="switchover-warm-up-") as directory:
            one = replace(probing, rate=rate).spec(target, Path(directory), Run(id="warm-up", name="warm-up"))
            with Prober.start(one, Clock.of_process()) as prober:
                time.sleep(TRY_S)
                return prober.progress()

    rate, note = find_carried_rate(probing.rate, attempt) if probing.rate else (0.0, "")
    if note:
        observer.note(note)
    return replace(probing, rate=rate), [note] if note else []


def _reason(usual: float, rate: float, seen: ProberProgress) -> str:
    bad = seen.failed + seen.late + seen.unsent + seen.open
    error = f" ({seen.last_error})" if seen.last_error else ""
    return (
        f"{rate:,g} probes/s instead of {usual:,g}: at {usual:,g}/s {bad:,} of {seen.sent:,} failed or waited long "
        f"for their answer before anything was done{error}; --probe-rate {usual:g} asks for them nevertheless"
    )
