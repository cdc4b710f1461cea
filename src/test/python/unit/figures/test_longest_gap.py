"""How long a load had no good answer."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.request_tables import table_of
from switchover.figures import longest_gap as longest_gaps
from switchover.figures.longest_gap import longest_gap
from switchover.model.interval import Span
from synthetic import refused, sample


def test_it_is_the_longest_time_between_two_good_answers() -> None:
    samples = [sample(0, 10), sample(5, 20), refused(30), sample(40, 95), sample(96, 100)]
    assert longest_gap(table_of(samples), 0, 100) == Span(20, 95)


def test_one_that_ended_before_the_fault_is_none_of_its() -> None:
    assert longest_gap(table_of([sample(0, 10), sample(80, 90), sample(91, 99)]), 90, 100) == Span(90, 99)


def test_one_that_never_ended_goes_to_the_horizon() -> None:
    assert longest_gap(table_of([sample(0, 10), refused(50)]), 20, 100) == Span(10, 100)


def test_without_a_good_answer_there_is_none() -> None:
    assert longest_gap(table_of([refused(50)]), 0, 100) is None
    assert longest_gap(table_of([]), 0, 100) is None


@given(st.lists(st.integers(0, 1000), min_size=1), st.integers(0, 1000))
def test_no_good_answer_lies_within_it(ends: list[int], since: int) -> None:
    gap = longest_gap(table_of([sample(0, end) for end in ends]), since, 1000)
    if gap is not None:
        assert not any(gap.from_us < end < gap.to_us for end in ends)
        assert gap.to_us >= since


@given(st.lists(st.integers(0, 60), max_size=20), st.integers(0, 59), st.integers(1, 9))
@settings(max_examples=50)
def test_in_spans_of_any_width_the_first_of_the_longest_is_found(ends: list[int], since: int, spans: int) -> None:
    within = sorted({end for end in ends if since < end})
    before = [end for end in ends if end <= since]
    edges = [*([max(before)] if before else []), *within, 60]
    longest = max((later - earlier for earlier, later in pairwise(edges)), default=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(longest_gaps, "GAP_SPANS", spans)
        found = longest_gap(table_of([sample(0, end) for end in ends]), since, 60)
    assert (found and found.duration_us) == longest
    if found is not None:
        assert (found.from_us, found.to_us) == next(
            pair for pair in pairwise(edges) if pair[1] - pair[0] == found.duration_us
        )


@pytest.mark.parametrize(
    ("ends", "until", "expected"),
    [
        ([0, 10, 12, 14, 20], 20, Span(0, 10)),
        ([2, 3, 4], 4, Span(2, 3)),
    ],
)
def test_one_that_is_shorter_than_a_span_is_looked_for_in_shorter_ones(
    ends: list[int], until: int, expected: Span, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(longest_gaps, "GAP_SPANS", 1)
    assert longest_gap(table_of([sample(0, end) for end in ends]), 0, until) == expected


def test_no_time_has_no_gap() -> None:
    assert longest_gap(table_of([sample(0, 10)]), 50, 50) is None
    assert longest_gap(table_of([sample(0, 10)]), 50, 51) == Span(10, 51)
