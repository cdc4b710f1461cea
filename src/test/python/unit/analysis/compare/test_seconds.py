"""A phase second by second: what is counted of each, and what any weights of them give."""

import numpy as np
import pytest

from support.request_tables import run_data
from switchover.analysis.compare.bootstrap import Floats
from switchover.analysis.compare.seconds import CELL, Seconds, seconds_of
from switchover.analysis.phases import Phase, PhaseName
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.sample_log import Sample
from synthetic import SECOND, pair_run, refused, sample

WEB1, WEB2 = (Identity(name, "lb1", AnsweredBy.BACKEND) for name in ("web1", "web2"))
ONCE, LAST = np.ones((1, 3)), np.array([[0.0, 0.0, 3.0]])
"""Each of three seconds once; and only the last of them."""

MADE = Seconds(
    total=np.array([4.0, 4.0, 2.0]),
    failed=np.array([1.0, 0.0, 2.0]),
    late=np.zeros(3),
    answered={"web1": np.array([2.0, 4.0, 0.0]), "web2": np.array([1.0, 0.0, 0.0])},
    times=np.array([[2.0, 1.0], [4.0, 0.0], [0.0, 0.0]]),
    tops_ms=np.array([10.0, 40.0]),
    each=2,
)


def of(weights: Floats, seconds: Seconds = MADE) -> dict[str, float]:
    """What these weights of its seconds give."""
    found = {
        "failed": seconds.share_of(seconds.failed),
        "web1": seconds.share_of_backend("web1"),
        "web3": seconds.share_of_backend("web3"),
        "rate": seconds.rate(),
        "p50": seconds.quantile(50),
        "p90": seconds.quantile(90),
    }
    return {name: float(statistic(weights)[0]) for name, statistic in found.items()}


def test_each_figure_is_that_of_the_seconds_by_their_weights() -> None:
    assert of(ONCE) == pytest.approx({"failed": 0.3, "web1": 6 / 7, "web3": 0, "rate": 10 / 6, "p50": 10, "p90": 40})
    assert of(np.array([[3.0, 0.0, 0.0]])) == pytest.approx(
        {"failed": 0.25, "web1": 2 / 3, "web3": 0, "rate": 2, "p50": 10, "p90": 40}
    )


def test_a_share_is_known_of_a_single_request() -> None:
    assert of(np.array([[0.0, 0.0, 0.5]]))["failed"] == 1


def test_where_nothing_was_answered_there_is_no_latency_and_no_share_of_those_who_answered() -> None:
    unknown = float("nan")
    assert of(LAST) == pytest.approx(
        {"failed": 1, "web1": unknown, "web3": unknown, "rate": 1, "p50": unknown, "p90": unknown}, nan_ok=True
    )
    bare = Seconds(np.zeros(3), np.zeros(3), np.zeros(3))
    assert of(ONCE, bare) == pytest.approx(dict.fromkeys(of(ONCE), unknown) | {"rate": 0}, nan_ok=True)
    assert list(bare.quantile(50)(np.ones((2, 3)))) == pytest.approx([unknown] * 2, nan_ok=True)


def made_of(*times: list[float]) -> Seconds:
    """Answers that took 10, 40 and 90 ms, of each second."""
    none = np.zeros(len(times))
    return Seconds(none, none, none, times=np.array(times), tops_ms=np.array([10.0, 40.0, 90.0]))


def test_a_percentile_is_the_nearest_rank() -> None:
    """The 50th of four answers is the second, of five the third, of 204 the 102nd."""
    some = made_of([2.0, 2.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    halves = some.quantile(50)(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]]))
    assert list(halves) == [10, 40, 90]
    assert list(some.quantile(0)(LAST)) == [90]
    assert list(made_of([101.0, 103.0, 0.0]).quantile(50)(np.ones((1, 1)))) == [40]


def test_a_second_has_the_mean_of_its_answers_and_one_without_any_that_of_all() -> None:
    assert list(MADE.mean_ms()) == pytest.approx([20, 10, 100 / 7])
    assert list(made_of([1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]).mean_ms()) == [10, 90, 50]
    silent = Seconds(ONCE[0], ONCE[0], ONCE[0], times=np.zeros((3, 2)), tops_ms=np.array([10.0, 40.0]))
    assert list(silent.mean_ms()) == list(Seconds(ONCE[0], ONCE[0], ONCE[0]).mean_ms()) == [0, 0, 0]


def counted(
    samples: list[Sample], from_us: int, to_us: int, *, scheduled: bool = True, table: str = "samples"
) -> Seconds:
    run = pair_run()
    tables = run_data(run, samples if table == "probes" else [], samples if table == "samples" else []).tables()
    return seconds_of(tables, table, Phase(PhaseName.BASELINE, from_us, to_us), scheduled=scheduled)


END = sample(4 * SECOND, 4 * SECOND + 300)
"""The load goes on up to here and a little more."""


@pytest.mark.parametrize("table", ["probes", "samples"])
def test_requests_count_in_the_second_of_their_start_by_what_became_of_them(table: str) -> None:
    samples = [
        sample(SECOND - 1, SECOND + 100),
        sample(SECOND, SECOND + 10_000, identity=WEB2),
        refused(SECOND + 1),
        refused(SECOND + 2),
        sample(2 * SECOND - 1, 4 * SECOND),
        sample(3 * SECOND, 3 * SECOND + 10, success=False, error=FailureKind.GENERATOR),
        sample(3 * SECOND + 1, 3 * SECOND + 10, identity=Identity("", "lb1", AnsweredBy.BALANCER)),
        END,
    ]
    found = counted(samples, SECOND, 9 * SECOND, table=table)
    assert (len(found), found.each) == (3, 1)
    assert [list(one) for one in (found.total, found.failed, found.late)] == [[4, 0, 1], [2, 0, 0], [1, 0, 0]]
    assert {name: list(counts) for name, counts in found.answered.items()} == {"web1": [1, 0, 0], "web2": [1, 0, 0]}
    assert list(found.times.sum(axis=1)) == [2, 0, 1]


def test_backends_are_in_the_order_of_their_names_and_count_in_each_second() -> None:
    samples = [sample(at * SECOND, at * SECOND + 9, identity=who) for at, who in ((0, WEB2), (1, WEB1), (3, WEB2))]
    found = counted([*samples, END], 0, 9 * SECOND)
    assert [(name, list(counts)) for name, counts in found.answered.items()] == [
        ("web1", [0, 1, 0, 0]),
        ("web2", [1, 0, 0, 1]),
    ]


def test_a_phase_counts_from_the_first_request_to_the_last_and_is_cut_to_whole_seconds() -> None:
    samples = [sample(at, at + 300) for at in range(1_500_000, 6 * SECOND, 500_000)]
    assert list(counted(samples, 0, 9 * SECOND).total) == [2, 2, 2, 2]
    assert list(counted(samples, 2 * SECOND, 4_900_000).total) == [2, 2]
    assert len(counted(samples, 7 * SECOND, 9 * SECOND)) == len(counted([], 0, 9 * SECOND)) == 0


@pytest.mark.parametrize(("scheduled", "took_ms"), [(True, [30, 20]), (False, [10, 20])])
def test_answers_are_timed_from_when_they_were_due_where_all_were(scheduled: bool, took_ms: list[float]) -> None:
    """To 1 %: the top of a cell."""
    samples = [sample(50_000, 60_000, intended_us=30_000), sample(1_500_000, 1_520_000, intended_us=None), END]
    found = counted(samples, 0, 3 * SECOND, scheduled=scheduled)
    for second, ms in enumerate(took_ms):
        (told,) = found.quantile(50)(np.eye(2)[[second]])
        assert ms <= told <= ms * 1.01
    assert list(found.tops_ms) == sorted(found.tops_ms)


def test_cells_are_of_one_percent_and_an_answer_at_once_took_no_time() -> None:
    found = counted([sample(0, 0), sample(SECOND, SECOND + 1_000_000), END], 0, 2 * SECOND)
    assert pytest.approx(0.00995, abs=1e-5) == CELL
    assert found.tops_ms[0] == 0
    # 1.01^1388 is 995,559, and 1.01^1389 the first power above 1,000,001.
    assert found.tops_ms[1] == pytest.approx((1.01**1389 - 1) / 1000)
    assert counted([sample(SECOND, SECOND - 5), END], 0, 2 * SECOND).tops_ms[0] == 0


@pytest.mark.parametrize(("seconds", "each", "pieces"), [(3600, 1, 3600), (3601, 2, 1800), (7201, 3, 2400)])
def test_of_a_phase_of_more_than_an_hour_several_seconds_are_one(seconds: int, each: int, pieces: int) -> None:
    samples = [sample(0, 300), sample(each * SECOND, each * SECOND + 300), sample(seconds * SECOND, seconds * SECOND)]
    found = counted(samples, 0, seconds * SECOND)
    assert (found.each, len(found)) == (each, pieces)
    assert list(found.total[:3]) == [1, 1, 0]
