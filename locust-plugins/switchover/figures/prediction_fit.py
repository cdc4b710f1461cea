"""Does the measured outage lie where theory puts it, and over many drills, does it lie there evenly?"""

from collections.abc import Sequence
from dataclasses import dataclass

from switchover.figures.outage import Outage
from switchover.figures.statistics import kolmogorov_uniform
from switchover.rundir.run_directory import FaultRun, Plan
from switchover.verdict.record import OutageKind, Prediction, milliseconds

REJECTED_BELOW = 0.001
"""Only a fit that chance gives less than once in a thousand repeats of the whole series counts as refuted."""
OUTSIDE_LIMIT = 2
"""So many drills wholly outside of the window refute it; one may have had a cause of its own."""


def fit_prediction(plan: Plan, fault: FaultRun | None, outage: Outage | None) -> Prediction | None:
    """Return None without a fault. `inside` is None if the run cannot tell.

    The outage counts from the last good response, the window from the kill: they differ by at most the time of the
    kill and two probe intervals, the tolerance.
    """
    if fault is None or fault.kind == "none" or plan.fired_from_us is None:
        return None
    low, high = fault.predict_low_ms, fault.predict_high_ms
    tolerance_ms = inside = None
    if outage is not None:
        kill_us = (plan.fired_to_us or plan.fired_from_us) - plan.fired_from_us
        tolerance_us = kill_us + 2 * (outage.interval_us or 0)
        tolerance_ms, inside = milliseconds(tolerance_us), _inside(low, high, tolerance_us, outage)
    return Prediction(fault=fault.name, low_ms=low, high_ms=high, tolerance_ms=tolerance_ms, inside=inside)


def _inside(low_ms: float | None, high_ms: float | None, tolerance_us: float, outage: Outage) -> bool | None:
    """Inside if the interval in which the true outage lies touches the widened window."""
    if low_ms is None or outage.kind is OutageKind.PARTIAL:
        return None
    length = outage.length
    long_enough = length.high is None or length.high >= low_ms * 1000 - tolerance_us
    if high_ms is None:
        return long_enough
    short_enough = length.low <= high_ms * 1000 + tolerance_us
    if outage.censored:
        return None if short_enough else False
    return long_enough and short_enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The outages of repeated drills of one fault against its predicted window."""

    outages_ms: tuple[float, ...]
    """Of the drills that can be trusted and recovered."""
    low_ms: float | None
    high_ms: float | None
    outside: int | None
    """How many lie outside the window by more than their tolerance."""
    distance: float | None = None
    """Kolmogorov's D against the uniform distribution over the window."""
    p: float | None = None
    not_recovered: int = 0
    """Drills that are left out because their outage had not ended; of those that can be trusted."""
    invalid: int = 0
    """Drills that are left out because nothing they say can be believed."""

    @property
    def is_refuted_by_window(self) -> bool:
        return self.outside is not None and self.outside >= OUTSIDE_LIMIT

    @property
    def is_refuted_by_fit(self) -> bool:
        return self.p is not None and self.p < REJECTED_BELOW

    @property
    def refuted(self) -> bool:
        return self.is_refuted_by_window or self.is_refuted_by_fit


def fit_series(fits: Sequence[Prediction], outages: Sequence[Outage], *, uniform: bool, invalid: int) -> Series:
    """`fits` and `outages` of the drills that can be trusted; how many others there were is `invalid`.

    Each outage stands at the middle of what its bound allows. `uniform`: theory also gives the distribution.
    """
    recovered = [outage for outage in outages if not outage.censored]
    middles = tuple((outage.length.low + (outage.length.high or 0)) / 2000 for outage in recovered)
    windows = {(fit.low_ms, fit.high_ms) for fit in fits}
    low, high = windows.pop() if len(windows) == 1 else (None, None)
    verdicts = [fit.inside for fit in fits]
    outside = verdicts.count(False) if any(verdict is not None for verdict in verdicts) else None
    distance = p = None
    if uniform and middles and low is not None and high is not None and high > low:
        distance, p = kolmogorov_uniform(middles, low, high)
    return Series(
        outages_ms=middles,
        low_ms=low,
        high_ms=high,
        outside=outside,
        distance=distance,
        p=p,
        not_recovered=len(outages) - len(recovered),
        invalid=invalid,
    )
