"""The events of a run in time: what is looked for between which of them, and who saw it."""

from dataclasses import replace
from typing import Any

from support.request_tables import changed, run_data
from switchover.evidence.flaws import Flaw
from switchover.evidence.run_data import RunData
from switchover.figures.events import Events, find_events
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.run_directory import Plan, Run
from switchover.rundir.run_records import ClockReading, ProbeAccount, RunSettings, WorkerFacts
from switchover.rundir.sample_log import Sample
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Step
from synthetic import END, FIRED, HEAL, SECOND, STEP, drill, pair_run, probes, refused, sample


def good(from_us: int, to_us: int) -> list[Sample]:
    return [sample(at, at + 300) for at in range(from_us, to_us, STEP)]


def measured(*requests: Sample, first_due_us: int | None = None, plan: Plan | None = None) -> Events:
    """A run without a fault, at 100 probes a second."""
    run = Run(id="x", name="measure", plan=plan or Plan(start_us=0, end_us=END))
    run.settings = RunSettings.of({"probe_rate": 100.0})
    run.generator = ProbeAccount(first_due_us=first_due_us)
    return find_events(run_data(run, requests))


def planned(data: RunData, **times: Any) -> Events:
    return find_events(replace(data, run=replace(data.run, plan=replace(data.run.plan, **times))))


def test_without_a_fault_it_is_seen_from_the_first_probe_that_was_due() -> None:
    """Two seconds later nothing had been sent yet."""
    late = good(2 * SECOND, END)
    for first_due_us, unseen_us in ((0, 2 * SECOND), (None, STEP)):
        outage = measured(*late, first_due_us=first_due_us).outage
        assert outage is not None and outage.detection_limit_us == unseen_us
    held_up = measured(sample(SECOND, SECOND + 300), *late).outage
    assert held_up is not None and held_up.detection_limit_us == SECOND
    begun = measured(*late, first_due_us=SECOND)
    assert begun.outage is not None and begun.outage.detection_limit_us == SECOND
    assert begun.phases[0].from_us == SECOND


def test_in_a_run_with_changes_usual_responses_are_those_before_the_first_change() -> None:
    """Timeouts of 250 ms do not widen the interval of an outage of 600 ms."""
    away = [refused(at, 250_000) for at in range(5 * SECOND, 5_600_000, STEP)]
    plan = Plan(start_us=0, end_us=END, changes=[{"number": 1, "from_us": 5 * SECOND}])
    outage = measured(*good(0, 5 * SECOND), *away, *good(5_600_000, END), plan=plan).outage
    assert outage is not None and (outage.length.low, outage.duration_us) == (589_700, 610_000)


def test_an_answer_behind_the_heal_ends_no_outage_but_one_behind_the_end_of_the_run_does() -> None:
    """Each was asked for 5 ms before: what comes behind the heal may be its work."""

    def slow(at_us: int, *others: Sample) -> list[Sample]:
        return sorted([*others, sample(at_us - 5000, at_us + 5000)], key=lambda one: one.start_us)

    outage = find_events(drill(probes=slow(HEAL, *probes(15 * SECOND)))).outage
    assert outage is not None and (outage.to_us, outage.censored, outage.record.loss_derived_ms) == (
        HEAL,
        True,
        15_000,
    )
    unhealed = planned(
        drill(probes=slow(END, *probes(25 * SECOND))), heal_from_us=None, heal_to_us=None, healed_us=None
    )
    assert unhealed.outage is not None and unhealed.outage.to_us == END + 5000 and unhealed.failback is None
    again = [refused(one.start_us) if one.start_us >= END - SECOND else one for one in probes()]
    failback = find_events(drill(probes=slow(END, *again))).failback
    assert failback is not None
    assert (failback.from_us, failback.to_us, failback.record.loss_derived_ms) == (
        END - SECOND - STEP + 300,
        END + 5000,
        1000,
    )


def test_what_no_probe_looked_for_is_unknown() -> None:
    unprobed = drill()
    unprobed.run.settings |= {"probe_rate": 0.0}
    flaw = Flaw("probes.jtl", make_reason("file_damaged", what="cut off"))
    for data in (unprobed, drill(probes=[]), drill(flaws=(flaw,))):
        found = find_events(data)
        assert (found.outage, found.failback, found.watched) == (None, None, ())
    other = drill(flaws=(Flaw("journal.lp", flaw.reason),))
    assert find_events(other).outage is not None


def clocked(*bounds: tuple[str, int | None]) -> Events:
    data = drill()
    clocks = [
        ClockReading.of({"node": node, "when": "before", "offset_us": 0, "bound_us": us}) for node, us in bounds
    ]
    return find_events(replace(data, run=replace(data.run, clocks=clocks)))


def test_two_owners_are_told_apart_to_twice_the_widest_clock_of_a_balancer() -> None:
    found = clocked(("lb1", 100), ("lb2", 300), ("web1", 9000))
    assert (found.owners_bound_us, found.balancers) == (600, ("lb1", "lb2"))
    assert clocked(("lb1", 100)).owners_bound_us is None
    assert clocked(("lb1", 100), ("lb2", None)).owners_bound_us is None
    bare = find_events(run_data(Run(id="x", name="x", clocks=[])))
    assert (bare.owners_bound_us, bare.since_us, bare.end_us) == (None, 0, 0)


def test_what_a_source_is_proven_to_have_stamped_late_is_the_bound_where_it_is_more() -> None:
    """lb2 answered half a second before its source says that it had the address."""
    by_lb2 = Identity("web1", "lb2", AnsweredBy.BACKEND)
    early = FIRED + 2_500_000
    requests = [sample(early, early + 300, identity=by_lb2), *(one for one in probes() if one.start_us != early)]
    found = find_events(drill(probes=sorted(requests, key=lambda one: one.start_us)))
    assert found.owners_bound_us == FIRED + 2_998_000 - (early + 300)


def first_good_bound(**facts: object) -> int | None:
    data = changed(drill(probes=[one for one in probes() if one.start_us < FIRED]), **facts)
    (row,) = [row for row in find_events(data).timeline if row.step is Step.FIRST_GOOD]
    return None if row.bound_ms is None else round(row.bound_ms * 1000)


def test_the_first_good_answer_of_a_load_is_known_to_the_widest_clock_of_its_workers() -> None:
    by_lb2 = Identity("web1", "lb2", AnsweredBy.BACKEND)
    load = [sample(FIRED + SECOND, FIRED + SECOND + 300, identity=by_lb2)]
    run = pair_run(probe_rate=100.0)
    exact = first_good_bound(samples=load, run=run)
    run.workers = [WorkerFacts()]
    assert first_good_bound(samples=load, run=run) == exact
    run.workers = [WorkerFacts.of({"bound_us": us}) for us in (70, None, 50)]
    bound = first_good_bound(samples=load, run=run)
    assert exact is not None and bound == exact + 70
