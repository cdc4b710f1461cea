"""Periods in which no probe was sent: what could have hidden there was not seen."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.probes import Probe, in_send_order, one_by_one
from support.request_tables import table_of
from switchover.figures.probes import (
    Probes,
    is_probe_gap,
    is_probed,
    longest_unseen,
    probes_of,
    tolerated_us,
    usual_us,
    why_unprobed,
)
from switchover.model.failure_kind import FailureKind
from switchover.model.interval import Span
from switchover.model.outcome import Outcome
from synthetic import pair_run, sample

sends = st.lists(st.integers(-5, 40), max_size=12)
gaps = st.lists(
    st.builds(lambda start, length: Span(start, start + length), st.integers(-5, 40), st.integers(0, 15)), max_size=6
)


@given(sent=sends, since=st.integers(0, 20), until=st.integers(0, 40), away=gaps)
def test_the_longest_period_without_a_send_is_no_longer_than_any_outside_of_the_gaps(
    sent: list[int], since: int, until: int, away: list[Span]
) -> None:
    found = longest_unseen(in_send_order(Probe(at, at + 1, Outcome.GOOD) for at in sent), since, until, iter(away))
    if until <= since:
        assert found == Span(since, since)
        return
    times = sorted({since, until, *(at for at in sent if since < at < until)})
    left = [one for ends in pairwise(times) for one in Span(*ends).without(away)]
    assert found.duration_us == max((one.duration_us for one in left), default=0)
    assert found in left or found == Span(since, since)


def sent(*times: int) -> Probes:
    return in_send_order(Probe(at, at + 1, Outcome.GOOD) for at in times)


def test_an_outage_is_unknown_without_probes_or_without_a_prober() -> None:
    assert is_probed(pair_run(probe_rate=1.0)) and why_unprobed(pair_run()) == "no probe was recorded"
    without = pair_run(probe_rate=0.0)
    assert not is_probed(without) and why_unprobed(without) == "there was no prober"


@pytest.mark.parametrize(("number", "usual"), [(0, None), (1, 1), (100, 99), (101, 100), (200, 198)])
def test_the_usual_duration_is_the_99th_percentile_of_good_responses_before_the_fault(
    number: int, usual: int | None
) -> None:
    good = [Probe(0, took, Outcome.GOOD) for took in range(1, number + 1)]
    other = [Probe(0, 900, Outcome.FAILED), Probe(0, 900, Outcome.LATE), Probe(0, 1001, Outcome.GOOD)]
    assert usual_us(in_send_order([*good, *other]), 1000) == usual


@pytest.mark.parametrize(
    ("interval_us", "tolerated", "probe_gap_us"),
    [(1_000.0, 50_000, 3_001), (5_000.0, 50_000, 15_001), (5_001.0, 50_010, 15_004), (None, 50_000, 1)],
)
def test_ten_intervals_or_50_ms_are_tolerated_and_more_than_three_are_a_probe_gap(
    interval_us: float | None, tolerated: float, probe_gap_us: int
) -> None:
    assert tolerated_us(interval_us) == tolerated
    assert is_probe_gap(Span(7, 7 + probe_gap_us), interval_us) and not is_probe_gap(
        Span(7, 6 + probe_gap_us), interval_us
    )


def test_probes_are_of_one_stream_in_the_order_in_which_they_were_sent_less_what_was_not() -> None:
    requests = table_of(
        [
            sample(9, 12),
            sample(5, 9, success=False, error=FailureKind.RESET),
            sample(5, 8),
            sample(6, 106),
            sample(7, 8, success=False, error=FailureKind.GENERATOR),
            sample(1, 2, stream="kept"),
        ]
    )
    found = probes_of(requests, 99)
    assert one_by_one(found) == [
        Probe(5, 8, Outcome.GOOD),
        Probe(5, 9, Outcome.FAILED),
        Probe(6, 106, Outcome.LATE),
        Probe(9, 12, Outcome.GOOD),
    ]
    assert found.impaired.tolist() == [False, True, True, False] == [one.impaired for one in one_by_one(found)]
    impaired = found.only(found.impaired)
    assert one_by_one(impaired) == one_by_one(found)[1:3]
    assert impaired.proofs.tolist() == found.proofs[1:3].tolist()


@pytest.mark.parametrize(
    ("due_us", "sent_us", "proves_us"),
    [
        pytest.param(40_000, 40_050, 40_100, id="sent in time, just before"),
        pytest.param(38_999, 40_000, 0, id="sent late, just before"),
        pytest.param(39_000, 40_000, 40_100, id="sent a whole millisecond late, which is usual"),
        pytest.param(30_000, 39_099, 40_100, id="sent late, more than a millisecond before: all was read since"),
        pytest.param(30_000, 39_100, 0, id="sent late, a millisecond before"),
        pytest.param(39_099, 40_200, 0, id="overdue, and not yet sent"),
        pytest.param(39_100, 40_200, 40_100, id="due for a millisecond, and not yet sent"),
    ],
)
def test_an_answer_that_a_held_up_prober_read_proves_no_more_than_its_question(
    due_us: int, sent_us: int, proves_us: int
) -> None:
    asked = sample(0, 40_100, intended_us=0)
    following = sample(sent_us, sent_us + 300, intended_us=due_us)
    assert probes_of(table_of([asked, following]), 1_000_000).proofs[0] == proves_us
