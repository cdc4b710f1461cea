"""Limits as text, and against what was measured."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.figures.outage import Gap, Outage
from switchover.figures.split_brain import _length
from switchover.model.errors import UsageError
from switchover.model.interval import Interval, Span
from switchover.verdict.judge import judge
from switchover.verdict.limit import LIMITS, Limit, parse_limit, with_defaults
from switchover.verdict.limit_checks import (
    NO_CLOCKS,
    Measured,
    compare_with_limit,
    figure_text,
    judge_count,
    judge_outage,
    limit_text,
    result_of,
)
from switchover.verdict.record import LimitName, OutageKind, SplitBrain, State, Unit
from synthetic import drill, gap_of
from vectors import cases


@pytest.mark.parametrize("case", cases("limits"), ids=lambda case: case["text"] or "empty")
def test_limit_is_read_as_the_vectors_say(case: dict[str, Any]) -> None:
    if case.get("error"):
        with pytest.raises(UsageError) as caught:
            parse_limit(case["text"])
        assert str(caught.value) == case["error"] and "\n" not in case["error"]
    else:
        limit = parse_limit(case["text"])
        assert [limit.name, limit.limit, limit.unit, str(limit)] == [
            case["name"],
            pytest.approx(case["limit"]),
            case["unit"],
            case["printed"],
        ]


def test_each_figure_has_a_row_whose_examples_have_its_units() -> None:
    assert list(LIMITS) == list(LimitName)
    for name, kind in LIMITS.items():
        examples = [parse_limit(example) for example in kind.example.split(" or ")]
        assert [(example.name, example.unit) for example in examples] == [(name, unit) for unit in kind.units]


@given(st.text(max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        again = parse_limit(str(parse_limit(text)))
    except UsageError:
        return
    assert again.name in LimitName


def test_defaults_hold_only_where_they_are_observed_and_not_asked_for() -> None:
    asked = [parse_limit("split-brain=2s")]
    assert with_defaults(asked, {LimitName.SPLIT_BRAIN: True, LimitName.UNACCOUNTED: False}) == asked
    both = [parse_limit("unaccounted=3"), *asked]
    assert with_defaults(both, {LimitName.SPLIT_BRAIN: True, LimitName.UNACCOUNTED: True}) == both
    assert with_defaults([], {LimitName.SPLIT_BRAIN: False, LimitName.UNACCOUNTED: False}) == []
    assert with_defaults([], {LimitName.SPLIT_BRAIN: True, LimitName.UNACCOUNTED: True}) == [
        Limit(LimitName.SPLIT_BRAIN, 0.0, Unit.MILLISECONDS, default=True),
        Limit(LimitName.UNACCOUNTED, 0.0, Unit.REQUESTS, default=True),
    ]


def gap(duration_us: int, early_us: int, closed: bool) -> Gap:
    return gap_of(0, duration_us, early_us=early_us, closed=closed)


def outage_of(case: dict[str, Any]) -> Outage:
    kind, early_us = OutageKind(case["kind"]), case["early_us"]
    return Outage(
        kind=kind,
        gaps=() if kind is OutageKind.NONE else (gap(case["duration_us"], early_us, not case["censored"]),),
        censored=case["censored"],
        later_gaps=tuple(gap(*later_gap) for later_gap in case["later_gaps"]),
        interval_us=case["interval_us"],
        unseen=Span(0, case["detection_limit_us"]),
    )


@pytest.mark.parametrize("case", cases("limits", "judged"), ids=lambda case: case["name"])
def test_limit_is_judged_as_the_vectors_say(case: dict[str, Any]) -> None:
    limit = parse_limit(case["asked"])
    if "outage" in case:
        result = judge_outage(limit, outage_of(case["outage"]), case["truncated"])
    elif "count" in case:
        result = judge_count(limit, **case["count"], none="no request")
    else:
        result = compare_with_limit(limit, Interval(*case["figure"]))
    assert [result.low, result.high] == [case["low"], case["high"]]
    assert [result.state, result.note] == [case["state"], case["note"]]
    assert [figure_text(result), limit_text(result)] == [case["printed"], case["limit"]]


def test_a_figure_above_its_limit_by_less_than_six_decimals_tell_is_rounded_down_to_it() -> None:
    result = compare_with_limit(parse_limit("outage=0.1s"), Interval(100.0000006, 200.0))
    assert (result.state, figure_text(result)) == (State.EXCEEDED, "100 to 200 ms")


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_limit_is_kept_or_exceeded_only_if_both_ends_agree(low: float, width: float, most: float) -> None:
    limit = Limit(LimitName.OUTAGE, most, Unit.MILLISECONDS)
    state = compare_with_limit(limit, Interval(low, low + width)).state
    ends = {compare_with_limit(limit, Interval(end, end)).state for end in (low, low + width)}
    assert {state} == ends if len(ends) == 1 else state is State.INCONCLUSIVE


@pytest.mark.parametrize(
    ("bound_us", "length_us", "figure", "state", "note"),
    [
        (1_000, 2_000_000, Interval(1_999.0, 2_001.0), State.EXCEEDED, ""),
        (None, 2_000_000, Interval(0.0, None), State.INCONCLUSIVE, NO_CLOCKS),
        (None, 0, Interval(0.0, 0.0), State.KEPT, ""),
    ],
)
def test_a_split_brain_without_clocks_has_no_end(
    bound_us: int | None, length_us: int, figure: Interval, state: State, note: str
) -> None:
    verdict, limit = judge(drill(), []), parse_limit("split-brain=1s")
    overlaps = [Span(0, length_us)] if length_us else []
    length = _length(overlaps, [], bound_us)
    split_brain = SplitBrain(
        low_ms=length.low / 1000,
        high_ms=None if length.high is None else length.high / 1000,
        overlaps=[],
        handovers=[],
        bound_ms=None,
    )
    figures = replace(verdict.figures, split_brain=split_brain)
    found = Measured(verdict.events, figures, unread=0, truncated={}).judge(limit)
    assert found == result_of(limit, figure, state, note)
