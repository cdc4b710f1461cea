"""Compute the figures of a run, for example requests, responses by backend, split brain, accounting and changes."""

from dataclasses import dataclass

from switchover.evidence.flaws import JOURNAL_STEM, SAMPLES_STEM, why_flawed
from switchover.evidence.run_data import RunData
from switchover.figures.accounting.account import account
from switchover.figures.accounting.ledger import add_up
from switchover.figures.artefacts import artefacts_of
from switchover.figures.changes.changes import ChangeFigures, measure_changes
from switchover.figures.dead_connections import measure_dead
from switchover.figures.distribution import measure_distribution
from switchover.figures.events import Events
from switchover.figures.latency import measure_labels
from switchover.figures.outage import Outage
from switchover.figures.population import population
from switchover.figures.probes import is_probed
from switchover.figures.silences import find_silences, longest_gap
from switchover.figures.split_brain import measure_split_brain
from switchover.rundir.run_directory import FaultRun, Plan
from switchover.verdict.record import (
    Accounting,
    DeadConnections,
    Distribution,
    Load,
    OutageKind,
    PhaseName,
    Population,
    Prediction,
    Silences,
    SplitBrain,
    milliseconds,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of a run. An unknown figure is None, never 0."""

    probes: Population | None
    samples: Population | None
    split_brain: SplitBrain | None
    distribution: Distribution
    accounting: Accounting
    changes: ChangeFigures | None
    """The losses and delays that a series of changes caused."""
    dead: list[DeadConnections]
    """The figures of the held connections that were open when the fault was fired."""
    prediction: Prediction | None
    load: Load | None

    @property
    def requests(self) -> Population | None:
        return self.samples or self.probes

    @property
    def whole_silences(self) -> list[Silences]:
        return [silences for silences in (self.load.silences if self.load else ()) if not silences.label]


def take_figures(data: RunData, events: Events) -> Figures:
    run, late_us = events.run, events.run.settings.late_us
    probes = population(data.probes, events.phases, late_us) if is_probed(run) else None
    samples = population(data.samples, events.phases, late_us, data.points, own_time=True) if data.samples else None
    return Figures(
        probes=probes,
        samples=samples,
        split_brain=None
        if why_flawed(data.flaws, JOURNAL_STEM)
        else measure_split_brain(
            events.ownership, events.balancers, events.since_us, events.end_us, events.owners_bound_us
        ),
        distribution=measure_distribution(run, events.requests, events.phases, data.points),
        accounting=add_up(run.target.dedicated) if data.flaws or data.missing else account(data),
        changes=measure_changes(
            run.plan.made_changes,
            data.connections,
            events.end_us,
            samples=data.samples,
            retrying_clients=data.retrying_clients,
            unread=data.lost_rows.get(SAMPLES_STEM, 0),
        ),
        dead=measure_dead(data.connections, run.plan.fired_from_us, events.end_us),
        prediction=fit_prediction(run.plan, run.fault, events.outage),
        load=_measure_load(data, events, samples) if samples else None,
    )


def _measure_load(data: RunData, events: Events, samples: Population) -> Load:
    baseline = samples.by_phase.get(PhaseName.BASELINE)
    rate = baseline.rate if baseline else None
    labels, more_labels = measure_labels(data.samples)
    return Load(
        longest_gap=longest_gap(data.samples, events.since_us, events.horizon_us) if events.is_fired else None,
        artefacts=artefacts_of(events.run, data.samples, events.outage, events.failback, rate),
        silences=find_silences(data.samples, data.scope) if events.is_load_alone else [],
        labels=labels,
        more_labels=more_labels,
    )


def fit_prediction(plan: Plan, fault: FaultRun | None, outage: Outage | None) -> Prediction | None:
    """Compare the measured outage with the prediction. None: the run has no fault. The measured outage begins at the
    last good response, and the predicted outage begins at the kill. The tolerance is the longest possible time
    between the last good response and the kill: the kill command's duration plus two probe intervals."""
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
    """Return True if the measured outage overlaps the predicted outage, widened by the tolerance. None: unknown."""
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
