"""Who answered how much."""

from collections.abc import Mapping
from typing import Any

import pytest

from support.request_tables import table_of
from switchover.figures.distribution import measure_distribution, weights_of
from switchover.figures.phases import Phase
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.points import Point
from switchover.rundir.run_directory import FaultRun
from switchover.rundir.sample_log import Sample
from switchover.verdict.record import ChiSquare, Distribution, PhaseName, Share
from synthetic import SECOND, pair_run, refused, sample

BASELINE = (Phase(PhaseName.BASELINE, 0, 5 * SECOND),)
EVERY_PHASE = (
    *BASELINE,
    Phase(PhaseName.SWITCHOVER, 5 * SECOND, 8 * SECOND),
    Phase(PhaseName.ON_BACKUP, 8 * SECOND, 20 * SECOND),
    Phase(PhaseName.FAILBACK, 20 * SECOND, 22 * SECOND),
    Phase(PhaseName.RECOVERED, 22 * SECOND, 30 * SECOND),
)


def answers(order: str, *, session: str = "", from_us: int = 1000) -> list[Sample]:
    """One answer a millisecond by web1, web2 and web3, as the digits say."""
    return [
        sample(
            from_us + number * 1000,
            from_us + number * 1000 + 100,
            identity=Identity(f"web{digit}", "lb1", AnsweredBy.BACKEND),
            session=session,
        )
        for number, digit in enumerate(order)
    ]


def counted(shares: Mapping[str, Share]) -> dict[str, int]:
    return {name: one.count for name, one in shares.items()}


def distributed(*given: Any) -> Any:
    """Any, for turns may be None in what another program wrote."""
    found: Distribution = measure_distribution(*given)
    return found


def test_counts_are_by_phase_backend_and_balancer() -> None:
    found = distributed(pair_run(), table_of([*answers("1231"), refused(2 * SECOND)]), BASELINE)
    answers_of = found.by_phase[PhaseName.BASELINE]
    assert counted(answers_of.backends) == {"web1": 2, "web2": 1, "web3": 1}
    assert answers_of.backends["web1"].share == 0.5
    assert counted(answers_of.balancers) == {"lb1": 4}
    assert found.turns == [] and found.chi_square is None and found.sessions is None


@pytest.mark.parametrize(
    ("kind", "judged"),
    [
        ("master", [PhaseName.BASELINE, PhaseName.ON_BACKUP, PhaseName.RECOVERED]),
        ("backend", [PhaseName.BASELINE, PhaseName.RECOVERED]),
        (None, [PhaseName.BASELINE, PhaseName.RECOVERED]),
    ],
)
def test_each_phase_has_its_own_answers_and_turns_where_every_backend_was_up(
    kind: str | None, judged: list[PhaseName]
) -> None:
    run = pair_run(algorithm="roundrobin")
    run.fault = FaultRun(name="x", kind=kind) if kind else None
    orders = {1: "123", 6: "11", 9: "231", 21: "22", 25: "312"}
    sent = [one for at_s, order in orders.items() for one in answers(order, from_us=at_s * SECOND)]
    found = distributed(run, table_of(sent), EVERY_PHASE)
    once = {"web1": 1, "web2": 1, "web3": 1}
    assert [counted(one.backends) for one in found.by_phase.values()] == [once, {"web1": 2}, once, {"web2": 2}, once]
    assert [turns.phase for turns in found.turns] == judged


@pytest.mark.parametrize(
    ("weights", "deviation"),
    [
        ({"web1": 0.25, "web2": 0.25, "web3": 0.5}, 3.0),
        ({"web1": 0.0, "web2": 0.0, "web3": 0.0}, 0.0),
        ({"web1": 1.0}, 2.333),
        ({"web1": 2.0, "web2": 1.0}, 1.0),
    ],
)
def test_weights_are_shares_of_their_sum_and_where_none_weighs_anything_no_share_is_expected(
    weights: dict[str, float], deviation: float
) -> None:
    run = pair_run(algorithm="roundrobin", weights=weights)
    (turns,) = distributed(run, table_of(answers("11112312")), BASELINE).turns
    assert turns.deviation == deviation


def test_a_backend_that_answered_nothing_through_a_balancer_lacks_its_whole_share() -> None:
    through_lb2 = sample(9, 10, identity=Identity("web3", "lb2", AnsweredBy.BACKEND))
    of_lb0_itself = sample(9, 10, identity=Identity("", "lb0", AnsweredBy.BALANCER))
    sent = table_of([*answers("12" * 10), through_lb2, of_lb0_itself])
    lb1, _ = distributed(pair_run(algorithm="roundrobin"), sent, BASELINE).turns
    assert lb1.counts == {"web1": 10, "web2": 10} and lb1.deviation == 6.667


def test_a_balancer_with_several_counters_of_turns_may_be_off_by_as_many() -> None:
    run = pair_run(algorithm="roundrobin", counters_per_balancer=4)
    (turns,) = distributed(run, table_of(answers("123")), BASELINE).turns
    assert turns.allowed == 4
    run = pair_run(algorithm="roundrobin", weights={"web1": 1.0})
    (turns,) = distributed(run, table_of(answers("123")), BASELINE).turns
    assert turns.allowed == 1, "an unknown weight is 1"


@pytest.mark.parametrize(
    ("edges", "allowed"),
    [
        ([(-50, 0), (5 * SECOND, 5 * SECOND + 9)], 3),
        ([(-50, -1), (5 * SECOND + 1, 5 * SECOND + 9)], 1),
        ([(-50, 5 * SECOND)], 3),
    ],
)
def test_an_answer_that_touches_an_edge_of_a_phase_may_count_on_either_side(
    edges: list[tuple[int, int]], allowed: int
) -> None:
    at_edges = [sample(*times, identity=Identity("web1", "lb1", AnsweredBy.BACKEND)) for times in edges]
    of_lb2 = [sample(-50, 9, identity=Identity("web1", "lb2", AnsweredBy.BACKEND))]
    sent = table_of([*at_edges, *of_lb2, *answers("123")])
    found = distributed(pair_run(algorithm="roundrobin"), sent, BASELINE)
    assert [(turns.balancer, turns.allowed) for turns in found.turns] == [("lb1", allowed), ("lb2", 2)]


def test_round_robin_may_be_one_off_and_no_more() -> None:
    run = pair_run(algorithm="roundrobin")
    assert all(turns.kept for turns in distributed(run, table_of(answers("12312312")), BASELINE).turns)
    (turns,) = distributed(run, table_of(answers("11112312")), BASELINE).turns
    assert not turns.kept and turns.deviation > turns.allowed == 1


@pytest.mark.parametrize(
    ("kind", "fired_us", "moved"), [("backend", 2100, 1), ("backend", 2101, 2), ("master", 0, 2)]
)
def test_a_session_moves_when_another_backend_answers_unless_its_backend_was_the_victim(
    kind: str, fired_us: int, moved: int
) -> None:
    run = pair_run()
    run.fault, run.plan.fired_from_us = FaultRun(name="x", kind=kind, victim="web2"), fired_us
    orders = {"a": "111", "b": "1211", "c": "21", "": "123"}
    sent = [one for session, order in orders.items() for one in answers(order, session=session)]
    sent.append(sample(9000, 9100, session="d", identity=Identity("", "lb1", AnsweredBy.BALANCER)))
    found = distributed(run, table_of(sent), BASELINE)
    assert (found.sessions, found.sessions_moved) == (3, moved)


def test_a_single_backend_takes_no_turns() -> None:
    assert distributed(pair_run(algorithm="roundrobin"), table_of(answers("11")), BASELINE).turns == []


def test_among_requests_of_others_there_are_no_turns() -> None:
    run = pair_run(algorithm="roundrobin")
    run.target |= {"dedicated": False}
    assert distributed(run, table_of(answers("11112312")), BASELINE).turns == []


def scrape(at_us: int, *answered: int, generation: str = "1") -> list[Point]:
    """Return the rows of web1, web2 and web3 in one scrape of HAProxy."""
    return [
        Point(
            "switchover_haproxy",
            {"node": "lb1", "type": "server", "proxy": "web", "server": f"web{number}"},
            {"hrsp_2xx": count, "generation": generation},
            at_us * 1000,
        )
        for number, count in enumerate(answered, 1)
    ]


def test_weights_come_from_haproxy_itself() -> None:
    run = pair_run(algorithm="roundrobin")
    points = [
        Point("switchover_haproxy", {"node": "lb1", "type": "server", "server": name}, {"weight": weight}, 0)
        for name, weight in (("web1", 200), ("web2", 100), ("web3", 100))
    ]
    (turns,) = distributed(run, table_of(answers("1213" * 100)), BASELINE, points).turns
    assert (turns.deviation, turns.allowed, turns.kept) == (0, 2, True)
    (turns,) = distributed(run, table_of(answers("123" * 100)), BASELINE, points).turns
    assert not turns.kept


def test_weights_are_those_of_the_settings_or_what_haproxy_said_first_of_each_server() -> None:
    told: list[tuple[str, str, str, int | str]] = [
        ("switchover_haproxy", "backend", "BACKEND", 9),
        ("switchover_scrape", "server", "web1", 9),
        ("switchover_haproxy", "server", "web1", 2),
        ("switchover_haproxy", "server", "web1", 3),
        ("switchover_haproxy", "server", "web2", "many"),
    ]
    points = [
        Point(measurement, {"type": kind, "server": server}, {"weight": weight}, 0)
        for measurement, kind, server, weight in told
    ]
    points.append(Point("switchover_haproxy", {"type": "server"}, {"weight": 4}, 0))
    assert weights_of(pair_run(), points) == {"web1": 2.0, "": 4.0}
    assert weights_of(pair_run(weights={"web1": 5.0}), points) == {"web1": 5.0}


def test_chance_is_tested_only_where_the_algorithm_is_chance() -> None:
    found = distributed(pair_run(algorithm="random"), table_of(answers("123" * 40)), BASELINE)
    assert found.turns == [] and found.chi_square is not None and found.chi_square.p == 1.0
    skewed = distributed(pair_run(algorithm="random"), table_of(answers("1" * 100 + "23" * 30)), BASELINE)
    assert skewed.chi_square is not None and skewed.chi_square.p < 0.001
    usual = distributed(pair_run(algorithm="random"), table_of(answers("123" * 10 + "12" * 5 + "1" * 5)), BASELINE)
    assert usual.chi_square == ChiSquare(statistic=3.333333, degrees=2, p=0.188875603)
    for order, is_enough in (("12" * 5, True), ("12" * 4 + "1", False), ("1" * 20, False)):
        chi_square = distributed(pair_run(algorithm="random"), table_of(answers(order)), BASELINE).chi_square
        assert (chi_square is not None) is is_enough, order


def test_of_an_algorithm_that_takes_turns_or_is_not_known_chance_is_not_asked() -> None:
    sent = table_of(answers("123" * 40))
    for algorithm in ("roundrobin", "leastconn", None):
        found = distributed(pair_run(algorithm=algorithm), sent, BASELINE)
        assert (found.algorithm, found.chi_square) == (algorithm, None)
    for algorithm in ("random", "hash consistent", "url_param user"):
        assert distributed(pair_run(algorithm=algorithm), sent, BASELINE).chi_square is not None
    assert distributed(pair_run(algorithm="random"), sent, ()).chi_square is None
