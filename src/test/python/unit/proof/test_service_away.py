"""The source that is no client: when it says that the service was away."""

from typing import Any

import pytest

from proof.service_away import is_proved, missed_ms, table, truth_of
from support.kernel_trace import Ended
from support.syn_source import Away, Syn, away

EVERY_US = 100


def syns(*answered: tuple[bool, int]) -> list[Syn]:
    """So many with this answer, one after the other."""
    each = [is_answered for is_answered, count in answered for _ in range(count)]
    return [Syn(number * EVERY_US, is_answered) for number, is_answered in enumerate(each)]


def test_it_was_away_from_the_first_syn_without_an_answer_to_the_first_with_one() -> None:
    seen = away(syns((True, 10), (False, 20), (True, 10)), 0, 10_000)
    assert seen == Away(last_good_us=900, first_bad_us=1000, last_bad_us=2900, first_good_us=3000)


def test_a_syn_that_was_lost_between_answered_ones_is_no_outage() -> None:
    assert away(syns((True, 10), (False, 2), (True, 10)), 0, 10_000) is None


def test_parts_of_an_outage_are_one() -> None:
    seen = away(syns((True, 10), (False, 5), (True, 5), (False, 5), (True, 5)), 0, 10_000)
    assert seen is not None and (seen.first_bad_us, seen.first_good_us) == (1000, 2500)


def test_what_began_after_the_heal_is_not_the_faults() -> None:
    assert away(syns((True, 10), (False, 5), (True, 5)), 0, 1000) is None


def test_a_process_ends_before_its_socket_does() -> None:
    seen = Away(last_good_us=900, first_bad_us=1000, last_bad_us=2900, first_good_us=3000)
    assert truth_of(seen, None) == {"truth_low_ms": 1.9, "truth_high_ms": 2.1}
    assert truth_of(seen, Ended(400, 600)) == {"truth_low_ms": 2.3, "truth_high_ms": 2.6}
    assert truth_of(seen, Ended(400, 1200)) == {"truth_low_ms": 1.9, "truth_high_ms": 2.6}


@pytest.mark.parametrize(
    ("low_ms", "high_ms", "missed"),
    [(90.0, 110.0, 0.0), (100.2, 110.0, 0.0), (101.0, 110.0, 0.75), (90.0, 99.0, 0.75), (90.0, None, None)],
)
def test_a_miss_is_what_no_moment_of_the_source_allows(low_ms: float, high_ms: float, missed: float | None) -> None:
    row: dict[str, Any] = {"low_ms": low_ms, "high_ms": high_ms, "truth_low_ms": 99.9, "truth_high_ms": 100.1}
    assert missed_ms(row) == (None if missed is None else pytest.approx(missed))
    assert is_proved(row | {"verdict": "MEASURED"}) == (missed == 0.0)
    assert is_proved(row | {"verdict": "INVALID"})


def test_a_drill_without_an_end_is_counted_apart_and_not_as_one_that_says_that_it_is_not_to_be_trusted() -> None:
    common: dict[str, Any] = {"fault": "node-down", "load": "busy", "load_average": 20.0, "low_ms": 90.0}
    common["prediction"] = {"inside": True}
    measured = common | {"verdict": "MEASURED", "high_ms": 110.0, "truth_low_ms": 99.9, "truth_high_ms": 100.1}
    rows = [measured, measured | {"verdict": "NOT RECOVERED", "high_ms": None}, measured | {"verdict": "INVALID"}]
    last = table(rows).splitlines()[-1]
    assert last == "3 drills: 1 INVALID, 1 with a low end alone, 1 compared; the truth inside in 1."
