"""The comparison of the measured outage with the predicted window."""

from switchover.figures.outage import Outage
from switchover.rundir.run_directory import FaultRun, Plan
from switchover.verdict.record import OutageKind, Prediction, milliseconds


def fit_prediction(plan: Plan, fault: FaultRun | None, outage: Outage | None) -> Prediction | None:
    """Compare the outage with the prediction for its fault; None without a fault. `inside` is None if it is unknown.

    The outage begins at the last good response, but the predicted window begins at the kill. These two times differ
    by at most the tolerance: the duration of the kill plus two probe intervals.
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
    """Return True if the interval of the outage overlaps the window, widened by the tolerance; None: unknown."""
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
