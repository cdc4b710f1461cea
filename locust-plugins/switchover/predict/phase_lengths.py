"""The length of each phase of a drill, from the predictions."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from switchover.predict.prediction import Prediction
from switchover.rundir.run_directory import CutPhase, PhaseToCut, Plan

STABILITY_WINDOW_S = 5.0
"""The time without impairment after which recovery is confirmed (RFC 6412 section 3.7.6: at least 5 s)."""

MARGIN_S = 1.0
"""The seconds that are added to the longest predicted outage, for the time-out of a probe and the end of a scrape."""

WITHOUT_END_S = 12.0
"""The observation time of a fault without a predicted recovery: three master down intervals at 1 s adverts."""


_Length = tuple[PhaseToCut, float, float]
"""A phase, its length in seconds, and the length in seconds that the prediction needs."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The lengths of the phases, in seconds: start to fault, fault to heal, and heal to end."""

    baseline_s: float
    hold_s: float
    recover_s: float
    truncated: list[CutPhase] = field(default_factory=list)
    """The phases that the user set too short for the prediction and the stability window."""


def derive_timing(
    baseline_s: float,
    hold_s: float | None,
    recover_s: float | None,
    switchover: Prediction | None,
    failback: Prediction | None,
) -> Timing:
    """Return the lengths of all phases. A length that the user did not set is derived from the predictions."""
    needed_hold_s, needed_recover_s = needed_s(switchover), needed_s(failback)
    hold = needed_hold_s if hold_s is None else hold_s
    recover = needed_recover_s if recover_s is None else recover_s
    lengths: list[_Length] = [("hold", hold, needed_hold_s), ("recover", recover, needed_recover_s)]
    return Timing(baseline_s, hold, recover, _too_short(lengths, chosen=True))


def cut_short(plan: Plan, switchover: Prediction, failback: Prediction, end_us: int) -> list[CutPhase]:
    if plan.fired_from_us is None:
        return []
    heal_us = end_us if plan.heal_from_us is None else min(plan.heal_from_us, end_us)
    lengths: list[_Length] = [("hold", (heal_us - plan.fired_from_us) / 1e6, needed_s(switchover))]
    if heal_us < end_us:
        lengths.append(("recover", (end_us - heal_us) / 1e6, needed_s(failback)))
    return _too_short(lengths, chosen=False)


def _too_short(lengths: Iterable[_Length], *, chosen: bool) -> list[CutPhase]:
    return [CutPhase(phase, length_s, needed, chosen) for phase, length_s, needed in lengths if length_s < needed]


def needed_s(prediction: Prediction | None) -> float:
    """Return the seconds that a phase needs: until the predicted effects are over, plus a stability window and a
    margin."""
    if prediction is None:
        return STABILITY_WINDOW_S + MARGIN_S
    if prediction.settled_s is None:
        return max(WITHOUT_END_S, round((prediction.low_s or 0.0) + STABILITY_WINDOW_S + MARGIN_S, 1))
    return round(prediction.settled_s + STABILITY_WINDOW_S + MARGIN_S, 1)
