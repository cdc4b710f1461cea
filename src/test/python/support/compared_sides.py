"""Sides of a comparison whose verdicts are made by hand, of nothing but what is compared."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

from switchover.analysis.compare.comparison import Side
from switchover.analysis.outage import Outage
from switchover.analysis.phases import Phase, PhaseName
from switchover.analysis.population import Counts, Population
from switchover.analysis.prediction_fit import PredictionFit
from switchover.analysis.run_data import RunData
from switchover.analysis.verdict import Verdict


def verdict_of(
    outage: Outage | None = None,
    failback: Outage | None = None,
    *,
    name: str = "a",
    probes: Population | None = None,
    samples: Population | None = None,
    split_brain_ms: float | None = None,
    window: tuple[float | None, float | None] | None = None,
    phases: Sequence[Phase] = (),
    distrust: Sequence[str] = (),
) -> Verdict:
    """`window`: what theory predicts, in milliseconds."""
    fit = None if window is None else PredictionFit("node-down", *window, None, None)
    facts: dict[str, Any] = {
        "run": SimpleNamespace(id=name),
        "events": SimpleNamespace(outage=outage, failback=failback, phases=phases),
        "figures": SimpleNamespace(probes=probes, samples=samples, split_brain_ms=split_brain_ms, prediction=fit),
        "distrust": [SimpleNamespace(text=text) for text in distrust],
    }
    return cast(Verdict, SimpleNamespace(**facts))


def population_of(by_phase: Mapping[PhaseName, Counts]) -> Population:
    return Population(Counts(), by_phase)


def side_of(*verdicts: Verdict, data: RunData | None = None) -> Side:
    """`data`: of each; what is compared event by event needs none."""
    return Side("side", [(cast(RunData, data), verdict) for verdict in verdicts])
