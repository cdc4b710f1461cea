"""The length of each phase of a drill, from the predictions."""

from dataclasses import dataclass, field

from switchover.predict.prediction import Prediction
from switchover.rundir.run_directory import CutPhase, PhaseToCut, Plan

STABILITY_WINDOW_S = 5.0
"""The time without impairment after which recovery is confirmed (RFC 6412 section 3.7.6: at least 5 s)."""

MARGIN_S = 1.0
"""The seconds that are added to the longest predicted outage: a probe times out, a scrape finishes."""

WITHOUT_END_S = 12.0
"""The observation time of a fault without a predicted recovery: three master down intervals at 1 s adverts."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The lengths of the phases, in seconds: until the fault, until the heal, and until the end."""

    baseline_s: float
    hold_s: float
    recover_s: float
    truncated: list[CutPhase] = field(default_factory=list)
    """The phases that the user made too short for the prediction and the stability window."""


def derive_timing(
    baseline_s: float,
    hold_s: float | None,
    recover_s: float | None,
    switchover: Prediction | None,
    failback: Prediction | None,
) -> Timing:
    """Return the lengths of all phases. A length that the user did not set is derived from the predictions."""
    lengths: list[tuple[PhaseToCut, float | None, float]]
    lengths = [("hold", hold_s, needed_s(switchover)), ("recover", recover_s, needed_s(failback))]
    hold, recover = (needed if length is None else length for _, length, needed in lengths)
    cut = [
        CutPhase(name, length, needed, chosen=True)
        for name, length, needed in lengths
        if length is not None and length < needed
    ]
    return Timing(baseline_s, hold, recover, cut)


def cut_short(plan: Plan, switchover: Prediction, failback: Prediction, end_us: int) -> list[CutPhase]:
    if plan.fired_from_us is None:
        return []
    heal_us = end_us if plan.heal_from_us is None else min(plan.heal_from_us, end_us)
    lengths: list[tuple[PhaseToCut, int, float]]
    lengths = [("hold", heal_us - plan.fired_from_us, needed_s(switchover))]
    if heal_us < end_us:
        lengths.append(("recover", end_us - heal_us, needed_s(failback)))
    return [
        CutPhase(name, length_us / 1e6, needed, chosen=False)
        for name, length_us, needed in lengths
        if length_us < needed * 1e6
    ]


def needed_s(prediction: Prediction | None) -> float:
    """Return the seconds until the predicted effects are over, plus a stability window and a margin."""
    if prediction is None:
        return STABILITY_WINDOW_S + MARGIN_S
    if prediction.settled_s is None:
        return max(WITHOUT_END_S, round((prediction.low_s or 0.0) + STABILITY_WINDOW_S + MARGIN_S, 1))
    return round(prediction.settled_s + STABILITY_WINDOW_S + MARGIN_S, 1)
