"""The verdict on a run: every figure of `docs/measurement.md`, the budgets, the word and the reasons for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from switchover.analysis.anatomy import Row, anatomy, latest_stamp_us
from switchover.analysis.artefacts import Artefact, artefacts_of
from switchover.analysis.budget import Budget, BudgetName, parse_budget, with_defaults
from switchover.analysis.budget_result import BudgetResult, Measured, State, figure_text, limit_text
from switchover.analysis.distribution import Distribution, measure_distribution
from switchover.analysis.effect import Effect, Evidence, look_for_effect
from switchover.analysis.fault_reasons import fault_reasons
from switchover.analysis.labels import Labels, measure_labels
from switchover.analysis.ledger import Reconciliation
from switchover.analysis.machine import MachineSecond, machine_seconds, name_cause
from switchover.analysis.node_life import node_lives
from switchover.analysis.nodes import balancers_of, clock_bounds, nodes_with
from switchover.analysis.outage import Outage, measure_outage
from switchover.analysis.ownership import ownership_of
from switchover.analysis.phases import Phase, PhaseName, healed_in_time_us, phases_of
from switchover.analysis.population import Population, population
from switchover.analysis.prediction_fit import PredictionFit, fit_prediction
from switchover.analysis.probes import Probes, is_hole, is_probed, probes_of, unseen_near
from switchover.analysis.reason import Figure, Reason, ReasonCode
from switchover.analysis.reconciliation import reconcile
from switchover.analysis.requests.table import concatenate, requests_of
from switchover.analysis.run_data import RunData
from switchover.analysis.split_brain import SplitBrain, measure_split_brain
from switchover.analysis.stretches import Stretches, find_stretches, longest_gap
from switchover.analysis.trust import Watched, reasons_of, truncated_of, warnings_of
from switchover.analysis.wholeness import Wholeness, look_at_pair, pair_warnings
from switchover.analysis.word import Word, loudest
from switchover.model.interval import Span
from switchover.rundir.run_directory import Run, late_us_of

NO_METRONOME = "there was no metronome"
NO_PROBE = "no probe was recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a run measured. None is what it could not know; it is never 0."""

    run: Run
    phases: tuple[Phase, ...]
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
    stretches: tuple[Stretches, ...] = ()
    """Without a good answer, of a load that neither probes nor a fault accompanied: of all requests first."""
    labels: Labels | None = None
    """Of such a load."""
    artefacts: tuple[Artefact, ...] = ()
    effect: Effect | None = None
    """None: no fault was fired."""
    wholeness: Wholeness | None = None
    """None: nothing was healed, or too late to look at the pair afterwards."""
    budgets: tuple[BudgetResult, ...] = ()
    reasons: tuple[Reason, ...] = ()
    """Why the word is no better; empty where it is PASSED, MEASURED or REHEARSED."""
    warnings: tuple[str, ...] = ()

    @property
    def split_brain_ms(self) -> float | None:
        return None if self.split_brain is None else self.split_brain.total_us / 1000

    @property
    def recovered(self) -> bool:
        """As far as the probes saw, the service was back, and stayed, after the fault and after its heal."""
        return all(outage.recovered for outage in (self.outage, self.failback) if outage is not None)

    @property
    def distrust(self) -> tuple[Reason, ...]:
        """Why a figure may be wrong, or be one of something else than the plan says."""
        return tuple(reason for reason in self.reasons if _is_distrust(reason.word))

    @property
    def trusted(self) -> bool:
        return not self.distrust

    @property
    def word(self) -> Word:
        """The loudest of what the reasons say. Without a reason: what was asked of the run."""
        if self.run.rehearsed:
            fine = Word.REHEARSED
        else:
            fine = Word.PASSED if any(not result.budget.default for result in self.budgets) else Word.MEASURED
        return loudest({reason.word for reason in self.reasons}, fine)

    @property
    def exit_code(self) -> int:
        return self.word.exit_code


def _is_distrust(word: Word) -> bool:
    return word.exit_code == 2 and word is not Word.UNDECIDED


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
    if is_probed(run) and fresh:  # without a probe an outage is unknown, not absent
        begun_us = since_us if plan.fired_from_us is not None else _begun_us(run, fresh, since_us)
        outage = measure_outage(
            fresh,
            since_us=since_us,
            horizon_us=horizon_us,
            rate=rate,
            next_event=plan.heal_from_us is not None,
            seen_from_us=begun_us,
        )
        if healed_in_time_us(plan) is not None:
            failback = measure_outage(fresh, since_us=horizon_us, horizon_us=end_us, rate=rate, next_event=False)
    phases = phases_of(plan, outage, failback, _first_due_us(run))
    ownership = ownership_of(data.points)
    balancers, clocks = balancers_of(run), clock_bounds(run.clocks)
    load_clock_us = max((int(worker.get("bound_us") or 0) for worker in run.workers), default=0)
    every = concatenate(data.probes, data.samples)
    steps = anatomy(plan, run.fault, outage, every, ownership, data.points, clocks, late_us, load_clock_us)
    clock_us = 2 * max(clocks[node] for node in balancers) if balancers and clocks.keys() >= set(balancers) else None
    late_stamp_us = latest_stamp_us(steps)
    stamp_us = None if clock_us is None and not late_stamp_us else max(clock_us or 0, late_stamp_us)
    probes = population(data.probes, phases, late_us) if is_probed(run) else None
    samples = population(data.samples, phases, late_us, data.points, own_time=True) if data.samples else None
    split_brain = measure_split_brain(ownership, balancers, since_us, end_us, stamp_us)
    reconciliation = reconcile(run, data.probes, data.samples, data.points, data.access, data.balancer_logs)
    chosen = with_defaults(
        budgets_of(run) if budgets is None else list(budgets),
        split_brain_witnessed=split_brain is not None
        or (len(balancers) > 1 and set(balancers) <= set(nodes_with(run, "vip_owner"))),
        exclusive=reconciliation.unexplained is not None
        or (reconciliation.exclusive and bool(nodes_with(run, "haproxy"))),
    )
    measured = Measured(
        outage=outage,
        failback=failback,
        requests=samples or probes,
        unread=data.lost_rows.get("samples" if samples else "probes", 0),
        split_brain=split_brain,
        reconciliation=reconciliation,
        unprobed=why_unprobed(run),
        truncated=truncated_of(run),
    )
    results = tuple(measured.judge(budget) for budget in chosen)
    distribution = measure_distribution(run, every, phases, data.points)
    lives = node_lives(data.points)
    effect = wholeness = None
    if run.fault is not None and run.fault.kind != "none" and plan.fired_from_us is not None:
        evidence = Evidence(run, plan.fired_from_us, horizon_us, outage, ownership, lives, every)
        effect, wholeness = look_for_effect(evidence), look_at_pair(run, balancers, ownership, lives)
    watched = []
    if outage is not None:
        fired = plan.fired_from_us is not None
        name, event = ("outage", "fault") if fired else ("run", "start")
        watched.append(Watched(BudgetName.OUTAGE, name, event, outage, since_us, horizon_us))
    if failback is not None:
        watched.append(Watched(BudgetName.FAILBACK, "failback", "heal", failback, horizon_us, end_us))
    labels = measure_labels(requests_of(data.samples)) if samples and _is_load_alone(run) else None
    reasons = [
        *fault_reasons(run, effect, wholeness, data.points),
        *reasons_of(data, fresh, watched, (probes, samples), distribution, results),
        *_not_recovered(watched),
        *_not_kept(results, watched, fresh, machine_seconds(data.points)),
    ]
    return Verdict(
        run=run,
        phases=phases,
        outage=outage,
        failback=failback,
        prediction=fit_prediction(plan, run.fault, outage),
        anatomy=steps,
        probes=probes,
        samples=samples,
        split_brain=split_brain,
        distribution=distribution,
        reconciliation=reconciliation,
        longest_gap=None if plan.fired_from_us is None else longest_gap(data.samples, since_us, horizon_us),
        stretches=_stretches(data, samples, labels),
        labels=labels,
        artefacts=artefacts_of(run, data.samples, outage, failback, _rate(samples)),
        effect=effect,
        wholeness=wholeness,
        budgets=results,
        reasons=tuple(reasons),
        warnings=(*warnings_of(data, fresh, watched, probes), *pair_warnings(run, wholeness)),
    )


def _stretches(data: RunData, samples: Population | None, labels: Labels | None) -> tuple[Stretches, ...]:
    """Of a load alone, which is told by its labels."""
    if samples is None or labels is None:
        return ()
    known_us = {("label", one.name): one.p99_us for one in labels.found if one.p99_us is not None}
    if samples.whole.latency is not None:
        known_us["", ""] = samples.whole.latency.from_send.p99_us
    return tuple(find_stretches(requests_of(data.samples), known_us))


def _is_load_alone(run: Run) -> bool:
    """Neither probes nor a fault were with it."""
    return not is_probed(run) and run.plan.fired_from_us is None


def why_unprobed(run: Run) -> str:
    """Why an outage is unknown."""
    return NO_PROBE if is_probed(run) else NO_METRONOME


def _not_recovered(watched: Sequence[Watched]) -> Iterator[Reason]:
    for one in watched:
        if not one.outage.recovered:
            low_ms = int(one.outage.length.low) // 1000
            yield Reason(ReasonCode.NOT_RECOVERED, {"figure": one.name, "low_ms": low_ms})


def _not_kept(
    results: Sequence[BudgetResult], watched: Sequence[Watched], probes: Probes, machine: Sequence[MachineSecond]
) -> Iterator[Reason]:
    """Broken and undecided budgets, each with its figure; an undecided one with the hole that made it so."""
    codes = {State.BROKEN: ReasonCode.BUDGET_BROKEN, State.UNDECIDED: ReasonCode.BUDGET_UNDECIDED}
    for result in results:
        if result.state in codes:
            figures: dict[str, Figure] = {
                "budget": str(result.budget),
                "figure": f"{result.budget.name} {figure_text(result)}",
                "limit": limit_text(result.budget),
                "why": f" ({result.note})" if result.note else "",
            }
            outages = [one.outage for one in watched if one.budget is result.budget.name]
            if result.state is State.UNDECIDED and outages and not result.note:
                figures |= _hole_in_doubt(outages[0], probes, machine)
            yield Reason(codes[result.state], figures)


def _hole_in_doubt(outage: Outage, probes: Probes, machine: Sequence[MachineSecond]) -> dict[str, Figure]:
    """Why an outage is no sharper: the longest time without a probe at one of its edges, or the one that was longer
    than all that was seen. Nothing where the probes kept their schedule."""
    if outage.resolution_us > outage.duration_us:
        hole = outage.unseen
    elif outage.longest_stray_us > outage.duration_us:
        return {}
    else:
        hole = max((unseen_near(probes, edge) for edge in outage.edges), key=lambda one: one.duration_us)
    if not is_hole(hole, outage.interval_us):
        return {}
    still: dict[str, Figure] = {"why": f"; the probes stood still for {round(hole.duration_us / 1000):,} ms"}
    return still | name_cause(machine, hole)


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
