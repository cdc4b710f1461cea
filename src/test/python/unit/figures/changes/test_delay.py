"""How much longer requests waited because of a change: which belong to one, and what is usual between them."""

from dataclasses import replace

import numpy as np
import pytest

from support.changes import EVERY_US, SECOND_US, START_US, change
from switchover.figures.changes.delay import (
    FELT_US,
    Delay,
    delay_of,
    felt_until_us,
)
from switchover.model.interval import Interval

FIRST_US, SECOND_CHANGE_US = START_US + EVERY_US, START_US + 2 * EVERY_US
"""When two changes begin; each has settled after a second."""
MADE = [change(1), change(2)]


def waits(*, between: int, during: int, longest_us: int = 5_000) -> Delay:
    """Between the changes waits of 1, 2, 3 ... microseconds; within the first one some of 10, and one."""
    at = np.array([START_US] * between + [FIRST_US] * during, dtype=np.int64)
    delays = np.array([*range(between, 0, -1), *[10] * (during - 1), longest_us], dtype=np.int64)
    found = delay_of(at, at, delays, MADE)
    assert found is not None
    return found


def delay(by_change: dict[int, int], usual: Interval) -> Delay:
    return Delay(longest_us=max(by_change.values()), usual=usual, by_change=by_change)


def test_a_change_is_felt_until_it_has_settled_or_for_a_second_after_the_last_that_is_known_of_it() -> None:
    made = replace(change(1), undone_us=FIRST_US + 500_000)
    ends = [felt_until_us(made)]
    for unknown in ("settled_us", "undone_us", "confirmed_us", "to_us"):
        setattr(made, unknown, None)
        ends.append(felt_until_us(made))
    assert FELT_US == SECOND_US
    assert [end - FIRST_US for end in ends] == [1_000_000, 1_500_000, 1_120_000, 1_100_000, 1_000_000]


@pytest.mark.parametrize(
    ("between", "during", "low", "high"),
    [
        (200, 1, 87, 115),
        (200, 10, 184, 198),
        (200, 100, 198, None),
        (12, 2, 7, None),
        (20, 2, 12, 20),
        (1, 1, 1, None),
    ],
)
def test_the_usual_is_the_percentile_that_the_longest_of_so_many_is(
    between: int, during: int, low: int, high: int | None
) -> None:
    """Of 200 between and one within a change: the median, whose rank is 100 +- 1.96 * sqrt(50)."""
    assert waits(between=between, during=during).usual == Interval(low, high)


@pytest.mark.parametrize(
    ("usual", "caused"),
    [
        (Interval(60, 90), Interval(10, 40)),
        (Interval(60, 99.5), Interval(0.5, 40)),
        (Interval(60, 250), Interval(0, 40)),
        (Interval(60, None), Interval(0, 40)),
        (Interval(150, 250), Interval(0, 0)),
    ],
)
def test_what_was_caused_is_what_the_longest_exceeds_the_usual_by(usual: Interval, caused: Interval) -> None:
    assert delay({1: 100}, usual).caused == caused
