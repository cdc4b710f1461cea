"""Who answered how much."""

from switchover.analysis.distribution import measure_distribution
from switchover.analysis.phases import Phase, PhaseName
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.points import Point
from switchover.rundir.run_directory import FaultRun
from switchover.rundir.sample_log import Sample
from synthetic import SECOND, pair_run, refused, sample

BASELINE = (Phase(PhaseName.BASELINE, 0, 5 * SECOND),)


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


def test_counts_are_by_phase_backend_and_balancer() -> None:
    found = measure_distribution(pair_run(), [*answers("1231"), refused(2 * SECOND)], BASELINE)
    assert found.by_phase == {
        PhaseName.BASELINE: {"backends": {"web1": 2, "web2": 1, "web3": 1}, "balancers": {"lb1": 4}}
    }
    assert found.turns == () and found.chi_square is None and found.sessions is None


def test_round_robin_may_be_one_off_and_no_more() -> None:
    run = pair_run(algorithm="roundrobin")
    assert all(turns.kept for turns in measure_distribution(run, answers("12312312"), BASELINE).turns)
    (turns,) = measure_distribution(run, answers("11112312"), BASELINE).turns
    assert not turns.kept and turns.deviation > turns.allowed == 1


def test_with_requests_of_others_in_between_ours_take_no_turns() -> None:
    run = pair_run(algorithm="roundrobin")
    run.target["exclusive"] = False
    assert measure_distribution(run, answers("11112312"), BASELINE).turns == ()


def test_weights_come_from_haproxy_itself() -> None:
    run = pair_run(algorithm="roundrobin")
    points = [
        Point("switchover_haproxy", {"node": "lb1", "type": "server", "server": name}, {"weight": weight}, 0)
        for name, weight in (("web1", 200), ("web2", 100), ("web3", 100))
    ]
    (turns,) = measure_distribution(run, answers("1213" * 100), BASELINE, points).turns
    assert turns.kept and turns.deviation == 0
    (turns,) = measure_distribution(run, answers("123" * 100), BASELINE, points).turns
    assert not turns.kept


def test_what_was_in_flight_at_the_edge_of_a_phase_may_count_elsewhere() -> None:
    run = pair_run(algorithm="roundrobin")
    edge = [sample(-50, 10, identity=Identity("web1", "lb1", AnsweredBy.BACKEND))]
    (turns,) = measure_distribution(run, [*edge, *answers("123")], BASELINE).turns
    assert turns.allowed == 2


def test_chance_is_tested_only_where_the_algorithm_is_chance() -> None:
    found = measure_distribution(pair_run(algorithm="random"), answers("123" * 40), BASELINE)
    assert found.turns == () and found.chi_square is not None and found.chi_square.p == 1.0
    skewed = measure_distribution(pair_run(algorithm="random"), answers("1" * 100 + "23" * 30), BASELINE)
    assert skewed.chi_square is not None and skewed.chi_square.p < 0.001
    assert measure_distribution(pair_run(algorithm="random"), answers("123"), BASELINE).chi_square is None


def test_a_session_that_leaves_a_living_backend_has_moved() -> None:
    found = measure_distribution(pair_run(), answers("111", session="a") + answers("112", session="b"), BASELINE)
    assert (found.sessions, found.sessions_moved) == (2, 1)


def test_a_session_may_leave_a_backend_that_was_killed() -> None:
    run = pair_run()
    run.fault = FaultRun(name="backend-kill", kind="backend", victim="web1")
    found = measure_distribution(run, answers("12", session="a", from_us=5 * SECOND), BASELINE)
    assert (found.sessions, found.sessions_moved) == (1, 0)
