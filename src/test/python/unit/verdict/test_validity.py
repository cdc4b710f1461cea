"""What makes figures unbelievable, at the edges of each rule."""

from dataclasses import replace
from typing import Any

import pytest

from support.request_tables import changed
from support.verdict_scenarios import observed
from switchover.evidence.flaws import Flaw
from switchover.evidence.run_data import RunData
from switchover.figures.events import Watched
from switchover.figures.outage import Outage
from switchover.model.identity import AnsweredBy, Identity
from switchover.model.interval import Span
from switchover.rundir.run_records import WorkerFacts
from switchover.verdict.judge import judge
from switchover.verdict.limit import parse_limit
from switchover.verdict.limit_checks import result_of
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Figure, Limit, Reason, State
from switchover.verdict.validity import _figure_reasons, count_recorded
from synthetic import FIRED, SECOND, away, drill, probes, refused, sample, steady

SINCE_US = 5_000_000


def reasons_of(outage: Outage, tolerated_us: float = 1e9, *results: Limit) -> list[Reason]:
    limit = parse_limit("outage=1s").name
    watched = Watched(limit, "outage", "fault", outage, SINCE_US, 20_000_000)
    return list(_figure_reasons(watched, tolerated_us, results, ()))


@pytest.mark.parametrize(
    ("duration_us", "early_us", "is_wide"),
    [
        (100_000, 100_000, False),
        (300_000, 100_000, False),
        (300_000, 100_001, True),
        (800_000, 200_000, False),
        (800_000, 200_001, True),
    ],
)
def test_a_bound_says_too_little_if_it_is_a_quarter_of_the_figure_and_100_ms(
    duration_us: int, early_us: int, is_wide: bool
) -> None:
    assert bool(reasons_of(away(duration_us, early_us))) is is_wide


@pytest.mark.parametrize(
    ("limit", "state", "is_told"),
    [
        ("outage=5s", State.KEPT, False),
        ("outage=5s", State.EXCEEDED, False),
        ("outage=5s", State.INCONCLUSIVE, True),
        ("outage=5s", State.UNMEASURED, True),
        ("failback=5s", State.KEPT, True),
    ],
)
def test_a_wide_bound_says_enough_where_it_decides_a_limit_on_it(limit: str, state: State, is_told: bool) -> None:
    result = result_of(parse_limit(limit), None, state)
    assert bool(reasons_of(away(800_000, 300_000), 1e9, result)) is is_told


def test_a_period_that_was_not_seen_is_told_if_it_is_longer_than_what_is_tolerated() -> None:
    unseen = away(800_000, unseen=Span(SINCE_US + 1_250_000, SINCE_US + 1_350_600))
    assert reasons_of(unseen, 100_600.0) == []
    assert reasons_of(unseen, 100_599.0) == [
        make_reason("unseen", figure="outage", event="fault", unseen_ms=101, after_s=1.25)
    ]


def codes(data: RunData) -> set[str]:
    return {reason.code for reason in judge(data, []).record.reasons}


@pytest.mark.parametrize(
    ("good", "failed", "is_told"), [(99, 1, False), (98, 2, True), (199, 2, False), (0, 0, False)]
)
def test_one_in_a_hundred_requests_of_a_load_may_fail_before_the_fault(good: int, failed: int, is_told: bool) -> None:
    load = [*steady(0, good * 1000), *[refused(SECOND)] * failed, *[refused(FIRED + SECOND)] * 50]
    assert ("load_failed_before" in codes(changed(observed(), samples=load))) is is_told


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("probes.jtl", {"load_failed_before"}),
        ("samples-2.jtl", {"failed_before"}),
        ("journal.lp", {"load_failed_before", "failed_before"}),
    ],
)
def test_a_file_that_is_incomplete_is_the_reason_and_not_what_it_says_of_the_baseline(
    name: str, told: set[str]
) -> None:
    data = changed(drill(probes=[refused(1_000_500), *probes()]), samples=[sample(0, 9), refused(SECOND)])
    reason = make_reason("file_damaged", name=name, what=f"{name} is damaged")
    found = codes(replace(data, flaws=(Flaw(name, reason),)))
    assert found & {"load_failed_before", "failed_before"} == told
    assert "file_damaged" in found


def test_a_missing_log_of_probes_is_the_only_reason() -> None:
    data = replace(drill(probes=[]), missing=("probes.jtl",))
    assert codes(data) & {"no_probe", "no_probe_before", "part_missing"} == {"part_missing"}


def test_logs_that_cannot_be_read_and_parts_that_are_missing_are_named() -> None:
    data = replace(drill(), unread=("a.csv is no table", "b.csv is none"), missing=("samples-2.jtl",))
    assert judge(data, []).record.reasons == [
        make_reason("part_missing", name="samples-2.jtl"),
        make_reason("logs_damaged", why="a.csv is no table"),
        make_reason("logs_damaged", why="b.csv is none"),
    ]


def test_of_a_series_of_changes_no_probe_says_that_all_was_well_before() -> None:
    data = drill(probes=[refused(1_000_500), *probes()])
    assert "failed_before" in codes(data)
    data.run.plan.changes = [{"number": 1}]
    assert "failed_before" not in codes(data)


@pytest.mark.parametrize(
    ("late", "told"),
    [(0, None), (5, None), (6, {"late": 6, "total": 500}), (500, {"late": 400, "total": 400})],
)
def test_more_than_one_late_probe_in_a_hundred_before_a_fault_says_that_others_are_late_without_one(
    late: int, told: dict[str, Figure] | None
) -> None:
    """Of 500 in the baseline, less those of its last second that end after it."""
    slow = [one._replace(end_us=one.start_us + 1_000_001) if at < late else one for at, one in enumerate(probes())]
    data = drill(probes=slow)
    late_before = [reason for reason in judge(data, []).record.reasons if reason.code == "late_before"]
    assert late_before == ([] if told is None else [make_reason("late_before", **told)])
    data.run.plan = replace(data.run.plan, fired_from_us=None, heal_from_us=None)
    assert "late_before" not in codes(data), "without a fault it is what was measured"


def test_a_load_that_sent_nothing_in_the_outage_has_an_artefact() -> None:
    data = changed(observed(), samples=[*steady(0, FIRED, 10_000), *steady(FIRED + 4 * SECOND, FIRED + 9 * SECOND)])
    load = judge(data, []).record.load
    assert load is not None and "omission" in [artefact.name for artefact in load.artefacts or ()]


def test_what_fails_of_a_load_without_a_fault_is_what_it_measured() -> None:
    data = changed(observed(), samples=[sample(0, 9), refused(SECOND)])
    assert "load_failed_before" in codes(data)
    data.run.plan.fired_from_us = None
    assert "load_failed_before" not in codes(data)


def test_a_service_of_which_no_probe_spoke_before_the_fault_is_not_known_to_have_been_well() -> None:
    assert "no_probe_before" in codes(drill(probes=[one for one in probes() if one.start_us >= FIRED]))
    assert "no_probe_before" not in codes(drill())


@pytest.mark.parametrize(
    ("kind", "by", "is_told"), [("master", "lb2", True), ("backend", "lb2", False), ("master", "x", False)]
)
def test_before_a_fault_of_the_master_no_other_balancer_answers(kind: str, by: str, is_told: bool) -> None:
    other = Identity("web1", by, AnsweredBy.BACKEND)
    data = drill(probes=[one._replace(identity=other) if one.start_us == 0 else one for one in probes()])
    assert data.run.fault is not None
    data.run.fault.kind = kind
    assert ("other_master" in codes(data)) is is_told


@pytest.mark.parametrize(
    ("workers", "recorded"),
    [
        ([], None),
        ([{"samples": 5}], 5),
        ([{"samples": 5, "lost": 2}, {"samples": 4}], 7),
        ([{"samples": 0}], 0),
        ([{"samples": 5}, {"samples": None}], None),
    ],
)
def test_what_a_load_recorded_is_known_where_all_of_its_processes_said_it(
    workers: list[dict[str, Any]], recorded: int | None
) -> None:
    run = drill().run
    run.workers = [WorkerFacts.of(one) for one in workers]
    assert count_recorded(run) == recorded
