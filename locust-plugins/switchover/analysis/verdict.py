"""The verdict on a run: every figure of `docs/measurement.md`, the budgets, and whether to believe any of it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from switchover.analysis.anatomy import Row, anatomy
from switchover.analysis.artefacts import Artefact, artefacts_of
from switchover.analysis.budget import Budget, BudgetName, BudgetResult, Unit, parse_budget, with_defaults
from switchover.analysis.distribution import Distribution, measure_distribution
from switchover.analysis.ledger import Reconciliation
from switchover.analysis.longest_gap import Span, longest_gap
from switchover.analysis.nodes import balancers_of, nodes_with
from switchover.analysis.outage import Outage, OutageKind, measure_outage
from switchover.analysis.ownership import ownership_of
from switchover.analysis.phases import PhaseName, healed_in_time_us, phases_of
from switchover.analysis.population import Counts, Population, population
from switchover.analysis.prediction_fit import PredictionFit, fit_prediction
from switchover.analysis.probes import Probes, is_probed, probes_of
from switchover.analysis.reconciliation import reconcile
from switchover.analysis.requests.table import concatenate
from switchover.analysis.run_data import RunData
from switchover.analysis.split_brain import SplitBrain, measure_split_brain
from switchover.analysis.trust import Watched, reasons_of, warnings_of
from switchover.rundir.run_directory import Run, late_us_of


def clock_bounds(clocks: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """By node, in microseconds: the wider of its bounds before and after the run, and what it drifted in between.

    A node that could not be asked once, or names no way to read its clock, is not in it: nothing is known of it.
    """
    asked: defaultdict[str, list[tuple[object, object]]] = defaultdict(list)
    for clock in clocks:
        asked[str(clock.get("node"))].append((clock.get("offset_us"), clock.get("bound_us")))
    found = {}
    for node, answers in asked.items():
        offsets = [offset for offset, _ in answers if isinstance(offset, int)]
        bounds = [bound for _, bound in answers if isinstance(bound, int)]
        if len(offsets) == len(bounds) == len(answers):
            found[node] = max(bounds) + max(offsets) - min(offsets)
    return found


NO_METRONOME = "there was no metronome"
NO_PROBE = "no probe was recorded"
NO_WITNESS = "no ownership witness on every balancer, all the time"

EXIT_PASSED, EXIT_BROKEN, EXIT_UNTRUSTED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run measured. None is what it could not know; it is never 0."""

    run: Run
    outage: Outage | None
    failback: Outage | None
    prediction: PredictionFit | None
    anatomy: tuple[Row, ...]
    probes: Population | None
    samples: Population | None
    split_brain: SplitBrain | None
    distribution: Distribution
    reconciliation: Reconciliation
    longest_gap: Span | None = None
    """Of the samples, between the fault and its heal."""
    artefacts: tuple[Artefact, ...] = ()
    budgets: tuple[BudgetResult, ...] = ()
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    @property
    def split_brain_ms(self) -> float | None:
        return None if self.split_brain is None else self.split_brain.total_us / 1000

    @property
    def recovered(self) -> bool:
        """As far as anybody looked, the service was back, and stayed, after the fault and after its heal."""
        return all(outage.recovered for outage in (self.outage, self.failback) if outage is not None)

    @property
    def trusted(self) -> bool:
        return not self.reasons

    @property
    def passed(self) -> bool:
        """Every budget is kept, by figures that can be trusted."""
        return self.trusted and all(result.passed is True for result in self.budgets)

    @property
    def exit_code(self) -> int:
        """0 all budgets kept, 1 one broken, 2 not trusted or not done; 2 outranks 1."""
        if not self.trusted:
            return EXIT_UNTRUSTED
        return EXIT_PASSED if self.passed else EXIT_BROKEN


def budgets_of(run: Run) -> list[Budget]:
    """The budgets that were asked for when the run was started."""
    asked = run.settings.get("budgets")
    return [parse_budget(str(text)) for text in asked] if isinstance(asked, list) else []


def judge(data: RunData, budgets: Sequence[Budget] | None = None) -> Verdict:
    """Every figure of a run, and the budgets against it: those given, or else those that the run was started with."""
    data = data.tabulated()
    run, plan = data.run, data.run.plan
    late_us = late_us_of(run)
    rate = _number(run.settings.get("probe_rate"), 0.0) or None
    fresh = probes_of(data.probes, late_us)
    end_us = plan.end_us or (int(fresh.ends.max()) if fresh else 0)
    since_us = plan.fired_from_us or plan.start_us or 0
    horizon_us = plan.heal_from_us or end_us
    outage = failback = None
    if is_probed(run) and fresh:  # where nobody looked, nobody says that there was none
        outage = measure_outage(
            fresh, since_us=since_us, horizon_us=horizon_us, rate=rate, next_event=plan.heal_from_us is not None
        )
        if healed_in_time_us(plan) is not None:
            failback = measure_outage(fresh, since_us=horizon_us, horizon_us=end_us, rate=rate, next_event=False)
    phases = phases_of(plan, outage, failback, _first_due_us(run))
    ownership = ownership_of(data.points)
    balancers, clocks = balancers_of(run), clock_bounds(run.clocks)
    clock_us = 2 * max(clocks[node] for node in balancers) if balancers and clocks.keys() >= set(balancers) else None
    probes = population(data.probes, phases, late_us) if is_probed(run) else None
    samples = population(data.samples, phases, late_us, data.points, own_time=True) if data.samples else None
    split_brain = measure_split_brain(ownership, balancers, since_us, end_us, clock_us)
    reconciliation = reconcile(run, data.probes, data.samples, data.points, data.access, data.balancer_logs)
    chosen = with_defaults(
        budgets_of(run) if budgets is None else list(budgets),
        split_brain_witnessed=split_brain is not None
        or (len(balancers) > 1 and set(balancers) <= set(nodes_with(run, "vip_owner"))),
        exclusive=reconciliation.unexplained is not None
        or (reconciliation.exclusive and bool(nodes_with(run, "haproxy"))),
    )
    measured = _Measured(outage, failback, samples or probes, split_brain, reconciliation, unprobed(run))
    results = tuple(measured.against(budget) for budget in chosen)
    distribution = measure_distribution(run, concatenate(data.probes, data.samples), phases, data.points)
    watched = []
    if outage is not None and plan.fired_from_us is None:
        watched.append(Watched("run", outage, _begun_us(run, fresh, since_us), end_us))
    elif outage is not None:
        watched.append(Watched("outage", outage, since_us, horizon_us))
    if failback is not None:
        watched.append(Watched("failback", failback, horizon_us, end_us))
    return Verdict(
        run=run,
        outage=outage,
        failback=failback,
        prediction=fit_prediction(plan, run.fault, outage),
        anatomy=anatomy(plan, run.fault, outage, data.probes, ownership, data.points, clocks, late_us),
        probes=probes,
        samples=samples,
        split_brain=split_brain,
        distribution=distribution,
        reconciliation=reconciliation,
        longest_gap=None if plan.fired_from_us is None else longest_gap(data.samples, since_us, horizon_us),
        artefacts=artefacts_of(run, data.samples, outage, failback, _rate(samples)),
        budgets=results,
        reasons=tuple(reasons_of(data, fresh, watched, probes, distribution, results)),
        warnings=tuple(warnings_of(data, fresh, watched, probes)),
    )


def unprobed(run: Run) -> str:
    """Why an outage is unknown."""
    return NO_PROBE if is_probed(run) else NO_METRONOME


@dataclass(frozen=True, slots=True)
class _Measured:
    """The figures that budgets are about."""

    outage: Outage | None
    failback: Outage | None
    requests: Population | None
    split_brain: SplitBrain | None
    reconciliation: Reconciliation
    unprobed: str
    """Why there is no outage, where there is none."""

    def against(self, budget: Budget) -> BudgetResult:
        match budget.name:
            case BudgetName.OUTAGE:
                if self.outage is None:
                    return BudgetResult(budget, None, None, self.unprobed)
                return _outage_result(budget, self.outage)
            case BudgetName.FAILBACK:
                if self.failback is None:
                    none = "nothing was healed while the load ran, so no failback was seen"
                    return BudgetResult(budget, None, None, self.unprobed if self.outage is None else none)
                return _outage_result(budget, self.failback)
            case BudgetName.FAILED | BudgetName.LATE:
                by_phase = self.requests.by_phase if self.requests else {}
                return _count_result(budget, by_phase.get(PhaseName.SWITCHOVER), "no switchover phase")
            case BudgetName.FAILED_TOTAL:
                return _count_result(budget, self.requests.whole if self.requests else None, "no request")
            case BudgetName.SPLIT_BRAIN:
                if self.split_brain is None:
                    return BudgetResult(budget, None, None, NO_WITNESS)
                return _result(budget, self.split_brain.total_us / 1000)
            case BudgetName.UNEXPLAINED:
                unexplained = self.reconciliation.unexplained
                if self.reconciliation.uncounted and self.reconciliation.exclusive:
                    missing = ", ".join(self.reconciliation.uncounted)
                    return BudgetResult(budget, None, None, f"no counters of {missing} from before the load on")
                if unexplained is None:
                    return BudgetResult(budget, None, None, "the target is not exclusive, or nothing but us counted")
                return _result(budget, float(unexplained))


def _outage_result(budget: Budget, outage: Outage) -> BudgetResult:
    """The upper estimate counts; so does a later gap that is longer. Not recovered, or away again at the horizon, is
    over any limit."""
    value = max(outage.duration_us, outage.longest_stray_us) / 1000
    if outage.censored:
        return BudgetResult(budget, value, False, "not recovered: at least this long")
    if not outage.recovered:
        return BudgetResult(budget, value, False, "not recovered: away again at the end of the phase")
    note = "less than one probe interval" if outage.kind is OutageKind.NONE else ""
    return BudgetResult(budget, value, value <= budget.limit, note)


def _count_result(budget: Budget, counts: Counts | None, none: str) -> BudgetResult:
    if counts is None or not counts.total:
        return BudgetResult(budget, None, None, f"{none} to count in")
    number = counts.late if budget.name is BudgetName.LATE else counts.failed
    value = number / counts.total if budget.unit is Unit.SHARE else float(number)
    return BudgetResult(budget, value, value <= budget.limit, f"{number:,} of {counts.total:,}")


def _result(budget: Budget, value: float) -> BudgetResult:
    return BudgetResult(budget, value, value <= budget.limit)


def _first_due_us(run: Run) -> int | None:
    """The generator starts a moment after the run does."""
    begun_us = run.generator.get("first_due_us")
    return begun_us if isinstance(begun_us, int) else None


def _begun_us(run: Run, probes: Probes, otherwise: int) -> int:
    begun_us = _first_due_us(run)
    return begun_us if begun_us is not None else (probes[0].start_us if probes else otherwise)


def _rate(samples: Population | None) -> float | None:
    """What the load sent a second while all was well."""
    baseline = samples.by_phase.get(PhaseName.BASELINE) if samples else None
    return baseline.rate if baseline else None


def _number(value: object, default: float) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else default
