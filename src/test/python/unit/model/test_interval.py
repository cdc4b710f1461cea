"""Periods as sets of microseconds, and durations that are known between two ends."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.model.interval import Interval, Span, longest_of, merge_spans

spans = st.builds(lambda start, length: Span(start, start + length), st.integers(0, 30), st.integers(1, 9))
ends = st.floats(0, 100)
intervals = st.builds(
    lambda low, more: Interval(low, None if more is None else low + more), ends, st.one_of(st.none(), ends)
)


def cells(*of: Span) -> set[int]:
    return {cell for span in of for cell in range(span.from_us, span.to_us)}


@given(st.lists(spans, max_size=6))
def test_merged_periods_cover_the_same_with_gaps_between_them(given_spans: list[Span]) -> None:
    merged = merge_spans(given_spans)
    assert cells(*merged) == cells(*given_spans)
    assert all(earlier.to_us < later.from_us for earlier, later in itertools.pairwise(merged))


@given(spans, st.lists(spans, max_size=6))
def test_what_is_left_of_a_period_is_what_was_not_taken(one: Span, taken: list[Span]) -> None:
    left = one.without(taken)
    assert cells(*left) == cells(one) - cells(*taken)
    assert all(span.duration_us > 0 for span in left)
    assert left == sorted(left)


def test_periods_that_touch_share_nothing_and_leave_nothing_of_no_length() -> None:
    assert not Span(0, 5).overlaps(Span(5, 9)) and not Span(5, 9).overlaps(Span(0, 5))
    assert Span(0, 10).without([Span(0, 5)]) == [Span(5, 10)]
    assert Span(0, 10).without([Span(5, 10)]) == [Span(0, 5)]
    assert Span(5, 10).without([Span(0, 5), Span(10, 12)]) == [Span(5, 10)]


@pytest.mark.parametrize(
    ("interval", "limit", "kept"),
    [
        (Interval(1, 2), 2, True),
        (Interval(1, 2), 1.5, None),
        (Interval(1, 2), 1, None),
        (Interval(1, 2), 0.9, False),
        (Interval(1, None), 5, None),
        (Interval(1, None), 0.9, False),
    ],
)
def test_a_limit_is_kept_or_exceeded_by_the_whole_interval(
    interval: Interval, limit: float, kept: bool | None
) -> None:
    assert interval.is_within(limit) is kept


@given(st.lists(intervals, max_size=5))
def test_the_longest_of_durations_is_at_least_each_and_at_most_the_longest_end(every: list[Interval]) -> None:
    longest = longest_of(iter(every))
    assert longest.low == max([0.0, *(one.low for one in every)])
    if any(one.high is None for one in every):
        assert longest.high is None
    else:
        assert longest.high == max([0.0, *(one.high or 0.0 for one in every)])
