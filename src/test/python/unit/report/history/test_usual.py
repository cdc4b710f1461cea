"""What is usual: which of the past says it, when a run above it is chance, and when it is not."""

import itertools
import random

import pytest

from switchover.report.history.entry import Entry, Length
from switchover.report.history.usual import (
    FALSE_ALARM,
    Past,
    chance_of_longer,
    comparable,
    past_of,
    rank_of_limit,
    resolve,
    usual_of,
)
from switchover.verdict.limit import parse_limit
from switchover.verdict.record import LimitName

INCONCLUSIVE, BROKEN, PASSED = "INCONCLUSIVE", "FAILED", "PASSED"


def past(*lengths: float) -> list[Past]:
    return [Past(length) for length in lengths]


def mixed(count: int) -> list[int]:
    """Numbers from 0, without an order in which later ones are longer."""
    found = list(range(count))
    random.Random(5).shuffle(found)
    return found


def back(high_ms: float | None) -> Length:
    return Length("failback", 0.0, high_ms, 0.0, censored=high_ms is None, recovered=high_ms is not None)


def run(number: int, length_ms: float | None = 3000.0, **values: object) -> Entry:
    length = Length("outage", length_ms or 0.0, length_ms, 0.0, censored=length_ms is None, recovered=bool(length_ms))
    known: dict[str, object] = {"start_us": number, "target": "shop", "what": "node-down", "status": PASSED}
    named: dict[str, object] = {"path": str(number), "valid": True, "outage": length, "setting": "[1]"}
    return Entry(run=f"run-{number}", **{**known, **named, **values})  # type: ignore[arg-type]


def test_too_short_a_past_says_nothing() -> None:
    usual = usual_of(past(*range(7)))
    assert (usual.limit_ms, usual.decides) == (None, False)
    assert usual.why == "7 earlier runs that can be compared; what is usual needs 8"


def test_of_few_runs_the_longest_is_the_limit_and_one_run_above_it_may_be_chance() -> None:
    usual = usual_of(past(*(3001 + length for length in mixed(12))))
    assert (usual.limit_ms, usual.decides) == (3012, False)
    assert usual.why == "usual: the longest of 12 runs; one run above it may be chance"


@pytest.mark.parametrize(("runs", "rank"), [(8, 8), (28, 28), (29, 29), (45, 45), (46, 45), (100, 96)])
def test_the_limit_is_above_the_90th_percentile_with_95_percent_confidence(runs: int, rank: int) -> None:
    assert rank_of_limit(runs) == rank


def test_a_margin_is_added_and_the_limit_is_a_whole_millisecond() -> None:
    usual = usual_of(past(*[3000.2] * 8), 0.8)
    assert (usual.limit_ms, usual.decides) == (5401, False)
    assert "the longest of 8 runs and 80 %" in usual.why


def test_only_the_last_hundred_runs_count() -> None:
    usual = usual_of(past(9000, *mixed(100)))
    assert (usual.limit_ms, usual.why) == (
        95,
        "usual: number 96 of 100 runs in order; one run above it may be chance",
    )


def test_when_those_before_were_longer_too_a_run_above_the_limit_breaks_it() -> None:
    usual = usual_of(past(*(3000 + length for length in mixed(16)), 3500, 3600))
    assert (usual.limit_ms, usual.decides) == (3015, True)
    assert usual.why == "usual: the longest of 16 runs before the last 2, which were longer, too"


def test_runs_that_are_as_long_as_one_another_say_that_one_above_them_may_be_chance() -> None:
    assert not usual_of(past(*[3000] * 12)).decides


def test_fewer_than_eight_runs_do_not_say_that_those_after_them_were_longer() -> None:
    usual = usual_of(past(1, 2, 3, 4, 5, 106, 105, 104, 103, 102, 101, 100))
    assert (usual.limit_ms, usual.decides) == (106, False)
    usual = usual_of(past(1, 2, 3, 4, 5, 6, 7, 8, 103, 102, 101, 100))
    assert (usual.limit_ms, usual.decides) == (8, True)


def test_of_two_limits_that_a_run_may_break_the_lower_one_counts() -> None:
    usual = usual_of(past(19, *mixed(19), 103, 102, 101, 100, 104, 105, 106))
    assert (usual.limit_ms, usual.decides) == (19, True)
    assert usual.why == "usual: the longest of 20 runs before the last 7, which were longer, too"


def test_what_was_broken_does_not_become_usual_and_confirms_the_inconclusive_runs_before_it() -> None:
    statuses = [PASSED, INCONCLUSIVE, PASSED, INCONCLUSIVE, INCONCLUSIVE, BROKEN, INCONCLUSIVE]
    entries = [run(number, status=status) for number, status in enumerate(statuses)]
    assert [one.counts for one in past_of(entries, LimitName.OUTAGE)] == [
        True,
        True,
        True,
        False,
        False,
        False,
        True,
    ]


def test_a_run_that_did_not_recover_has_no_length() -> None:
    away_again = run(4, outage=Length("outage", 0.0, 9000.0, 0.0, censored=False, recovered=False))
    assert past_of([run(1), run(2, None), run(3), away_again], LimitName.OUTAGE) == past(3000, 3000)


def test_runs_are_held_against_trusted_earlier_ones_of_the_same_target_fault_and_setting() -> None:
    now = run(10)
    others = [
        run(1),
        run(2, valid=False),
        run(3, target="other"),
        run(4, what="partition"),
        run(5, setting="[2]"),
        run(11),
        run(6, start_us=None),
        run(7, start_us=10),
        run(10),
        run(0),
    ]
    assert [other.run for other in comparable(now, others)] == ["run-0", "run-1"]


def test_runs_whose_setting_is_not_known_are_like_no_other() -> None:
    """Those that were fetched from a database, even among themselves."""
    assert comparable(run(9, setting=""), [run(number, setting="") for number in range(8)]) == []


def test_a_limit_is_resolved_from_the_past_and_written_with_where_it_comes_from() -> None:
    entries = [run(number, 3001.0 + length) for number, length in enumerate(mixed(12))]
    limit = resolve(parse_limit("outage=usual+10%"), run(20), entries)
    assert (
        limit.written
        == "outage=usual+10%:3.314s (usual: the longest of 12 runs and 10 %; one run above it may be chance)"
    )
    assert parse_limit(limit.written) == limit
    few = resolve(parse_limit("outage=usual"), run(20), entries[:3])
    assert few.written == "outage=usual (3 earlier runs that can be compared; what is usual needs 8)"
    assert parse_limit(few.written) == few


def test_a_failback_is_held_against_failbacks() -> None:
    entries = [run(number, failback=back(100.0 + length)) for number, length in enumerate(mixed(12))]
    assert resolve(parse_limit("failback=usual"), run(20), entries).limit == 111


def test_a_limit_that_a_run_breaks_is_written_as_one_of_its_own() -> None:
    lengths = [*(3000 + length for length in mixed(16)), 3500, 3600]
    entries = [run(number, float(length)) for number, length in enumerate(lengths)]
    limit = resolve(parse_limit("outage=usual"), run(20), entries)
    assert limit.written == "outage=3.015s (usual: the longest of 16 runs before the last 2, which were longer, too)"
    assert not limit.usual and parse_limit(limit.written) == limit


def test_a_limit_that_has_its_limit_is_left_as_it_is() -> None:
    for text in ("outage=5s", "outage=usual:4s (the longest of 8 runs)", "outage=usual (3 earlier runs)"):
        assert (
            resolve(parse_limit(text), run(20), [run(number) for number in range(12)]).written
            == parse_limit(text).written
        )


@pytest.mark.parametrize(("runs", "more"), [(1, 1), (3, 2), (4, 3)])
def test_the_chance_of_longer_runs_is_that_of_all_orders(runs: int, more: int) -> None:
    counts = [
        sum(other > one for one in set(range(runs + more)) - set(chosen) for other in chosen)
        for chosen in itertools.combinations(range(runs + more), more)
    ]
    for count, chance in enumerate(chance_of_longer(runs, more)):
        assert chance == pytest.approx(sum(found >= count for found in counts) / len(counts))


@pytest.mark.parametrize("runs", [8, 13, 30])
def test_equal_runs_break_what_is_usual_at_most_once_in_a_hundred(runs: int) -> None:
    rng = random.Random(runs)
    broken = 0
    for _ in range(1500):
        lengths = [rng.uniform(2609, 3609) for _ in range(runs)]
        usual = usual_of(past(*lengths))
        broken += usual.decides and rng.uniform(2609, 3609) > (usual.limit_ms or 0)
    assert broken / 1500 <= FALSE_ALARM
