"""Where the times of a log go back: a clock that was set, or rows that came late."""

import time
from collections.abc import Iterable, Sequence
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.request_tables import table_of, tables_of
from switchover.analysis import clock_jumps
from switchover.analysis.clock_jumps import (
    FEW,
    Jump,
    LateRows,
    as_summer_time,
    jumps_of,
    missing_us,
    seconds_text,
    tell_jumps,
    utc,
)
from switchover.analysis.overlapping_requests import doubled_times
from switchover.model.interval import Span
from switchover.rundir.sample_log import Sample
from synthetic import SECOND, sample

BEGIN_US = 1_767_225_600 * SECOND
MS = 1000


def rows(*times_ms: float, took_ms: float = 0) -> list[Sample]:
    """In the order of the log."""
    return [row(at_ms, at_ms + took_ms) for at_ms in times_ms]


def row(from_ms: float, to_ms: float, user: str = "") -> Sample:
    return sample(BEGIN_US + round(from_ms * MS), BEGIN_US + round(to_ms * MS), thread=user)


def jump(at_ms: float, back_ms: float, part: int = 0) -> Jump:
    return Jump(part, BEGIN_US + round(at_ms * MS), round(back_ms * MS))


def found(samples: Iterable[Sample], steady: Sequence[int] = ()) -> list[Jump]:
    jumps, late = jumps_of(table_of(samples), steady)
    assert late == []
    return jumps


@given(
    logs=st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=12), min_size=1, max_size=3),
    group=st.integers(1, 3),
    piece=st.integers(1, 3),
)
@settings(max_examples=100)
def test_each_place_where_a_log_goes_back_is_found(logs: list[list[int]], group: int, piece: int) -> None:
    requests = tables_of(*([sample(at * SECOND, at * SECOND + 5) for at in times] for times in logs))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock_jumps, "GROUP", group)
        patch.setattr(clock_jumps, "PIECE", piece)
        jumps, late = jumps_of(requests)
    expected = []
    for part, times in enumerate(logs):
        backs = [max(times[: place + 1]) - at for place, at in enumerate(times)]
        expected += [
            Jump(part, at * SECOND + 5, (back - before) * SECOND)
            for at, back, before in zip(times, backs, [0, *backs], strict=False)
            if back > before
        ]
    assert jumps == expected and late == []


@pytest.mark.parametrize(("back_ms", "is_found"), [(99.999, False), (100, True)])
def test_rows_of_several_threads_stand_in_another_order_by_less_than_a_tenth_of_a_second(
    back_ms: float, is_found: bool
) -> None:
    assert found(rows(0, 5000, 5000 - back_ms)) == ([jump(5000 - back_ms, back_ms)] if is_found else [])
    assert found(rows(back_ms, 0)) == ([jump(0, back_ms)] if is_found else [])


def test_a_row_goes_back_where_both_its_ends_do_and_by_the_less_of_both() -> None:
    assert found([row(0, 1), row(4000, 4100), row(1000, 4100)]) == []
    assert found([row(0, 1), row(1000, 4100), row(1000, 2000)]) == []
    assert found([row(0, 1), row(4000, 4100), row(1000, 2000)]) == [jump(2000, 2100)]


def test_behind_a_jump_only_what_comes_on_top_is_another() -> None:
    assert found(rows(0, 5000, 2000, 3000, 2500, 1800)) == [jump(2000, 3000), jump(2500, 500), jump(1800, 700)]
    assert found(rows(0, 5000, 4900, 4800)) == [jump(4900, 100), jump(4800, 100)]


def test_a_log_that_goes_back_more_than_ten_times_has_rows_that_came_late() -> None:
    back = [at for number in range(FEW) for at in (1000 * number + 500, 1000 * number)]
    assert found(rows(*back)) == [jump(1000 * number, 500) for number in range(FEW)]
    assert jumps_of(table_of(rows(*back, 99_000, 98_000))) == ([], [LateRows(jump(98_000, 1000), FEW + 1)])


def test_each_log_is_looked_at_by_itself_and_those_of_a_steady_clock_are_not() -> None:
    requests = tables_of(rows(0, 9000, 5000), rows(0, 8000, 5000), rows(0, 7000))
    assert jumps_of(requests)[0] == [jump(5000, 4000), jump(5000, 3000, part=1)]
    assert jumps_of(requests, steady=[0])[0] == [jump(5000, 3000, part=1)]


def quick(*users: str, until_ms: int = 1000) -> list[Sample]:
    return [row(at, at + 5, user) for at in range(0, until_ms, 10) for user in users]


def doubled(samples: Iterable[Sample], least_ms: float = 100) -> list[tuple[float, float]]:
    spans = doubled_times(table_of(samples), 0, round(least_ms * MS))
    return [((one.from_us - BEGIN_US) / MS, (one.to_us - BEGIN_US) / MS) for one in spans]


def test_a_user_who_seems_to_ask_before_the_last_answer_had_the_clock_set_back_meanwhile() -> None:
    waits = [row(1000, 6000, "a"), row(3000, 3005, "a"), row(3500, 3505, "a")]
    assert doubled([*quick("a", "b"), *waits]) == [(3000, 6000)]
    assert doubled([*quick("a", "b"), row(1000, 6000, "a"), row(3000, 3005, "b")]) == []
    assert doubled([*quick("a", "b"), row(3000, 3005, "a"), row(1000, 6000, "a")]) == []
    nameless = [one._replace(thread="") for one in waits]
    assert doubled([*quick("a", "b"), *nameless]) == []


@pytest.mark.parametrize(
    ("waits", "next_ms", "is_found"),
    [
        ((1000, 6000), 5900, True),
        ((1000, 6000), 5900.001, False),
        ((1000, 1100), 1000, True),
        ((1000, 1099), 990, False),
    ],
)
def test_it_was_set_back_by_a_tenth_of_a_second_at_least(
    waits: tuple[int, int], next_ms: float, is_found: bool
) -> None:
    spans = [(next_ms, waits[1])] if is_found else []
    assert doubled([*quick("a"), row(*waits, "a"), row(next_ms, next_ms + 1, "a")]) == spans


def test_what_two_users_tell_of_one_time_is_one() -> None:
    waits = [row(1000, 6000, "a"), row(1000, 6500, "b"), row(3000, 3005, "a"), row(4000, 4005, "b")]
    assert doubled([*quick("a", "b"), *waits]) == [(3000, 6500)]


@pytest.mark.parametrize(("overlapping", "is_found"), [(3, True), (4, False)])
def test_a_name_that_many_have_is_no_user(overlapping: int, is_found: bool) -> None:
    """Of a hundred rows so many begin before the one before them has ended, by more than a log cuts off."""
    one_user = [row(100 * at, 100 * at + 5, "a") for at in range(98 - 2 * overlapping)]
    two = [
        one
        for at in range(100, 100 + overlapping)
        for one in (row(100 * at, 100 * at + 50, "a"), row(100 * at + 48, 100 * at + 60, "a"))
    ]
    waits = [row(20_000, 26_000, "a"), row(23_000, 23_005, "a")]
    samples = [*one_user, *two, *waits]
    assert len(samples) == 100 and bool(doubled(samples)) is is_found


def test_a_begin_that_a_log_in_milliseconds_cuts_off_is_no_overlap() -> None:
    touching = [row(10 * at, 10 * at + 11, "a") for at in range(98)]
    waits = [row(20_000, 26_000, "a"), row(23_000, 23_005, "a")]
    assert doubled([*touching, *waits]) == [(23_000, 26_000)]
    further = [row(10 * at, 10 * at + 11.001, "a") for at in range(98)]
    assert doubled([*further, *waits]) == []


def test_of_what_rows_and_users_tell_of_one_jump_that_which_is_more_counts() -> None:
    """A user began his next request 3 s before his last answer; by the rows it is 3,495 ms, or two jumps of less."""
    before, waits, following = quick("a", "b"), row(1000, 6000, "a"), row(3000, 3005, "a")
    other = row(6500, 6500, "b")
    assert found([*before, waits, following]) == [jump(3000, 3000)]
    assert found([*before, waits, other, following]) == [jump(3005, 3495)]
    assert found([*before, waits, row(6005, 6005, "b"), following]) == [jump(3005, 3000)]
    assert found([*before, other, waits, following]) == [jump(6000, 500), jump(3000, 3000)]


def test_a_jump_is_told_with_what_it_hides() -> None:
    assert str(jump(1500, 3250)) == (
        "the times go back by 3.2 s at 2026-01-01 00:00:01 UTC: the clock was set, or lines of another host came "
        "late; so much time is missing from the order of the rows, and a stretch without a good answer around it may "
        "be longer by as much"
    )
    assert str(LateRows(jump(0, 1_234_567), 1234)) == (
        "the times go back 1,234 times, by up to 1,234.6 s (at 2026-01-01 00:00:00 UTC): its lines came late, as "
        "those of several hosts do"
    )


def test_of_each_log_the_farthest_is_told_and_how_many_more_there_were() -> None:
    one, far, other = jump(0, 500), jump(10, 900), jump(5, 700, part=1)
    assert list(tell_jumps([one, far, other])) == [f"{far}, and 1 times more by no more than that", str(other)]
    assert list(tell_jumps([])) == []


HOUR_MS = 3_600_000


@pytest.mark.parametrize(
    ("back_ms", "may_be"),
    [
        (HOUR_MS, True),
        (HOUR_MS + 1000, True),
        (HOUR_MS + 1000.001, False),
        (HOUR_MS - 600_000, True),
        (HOUR_MS - 600_000.001, False),
    ],
)
def test_by_an_hour_less_what_passed_between_two_rows_it_may_be_winter_time(back_ms: float, may_be: bool) -> None:
    assert jump(0, back_ms).may_be_winter_time is may_be


def test_where_the_clocks_may_have_gone_to_winter_time_two_hours_lie_over_each_other() -> None:
    one = jump(0, HOUR_MS)
    assert one.doubled == Span(BEGIN_US, BEGIN_US + HOUR_MS * MS)
    assert one.as_winter_time == (
        "its dates name no zone, and go back by an hour at 2026-01-01 00:00:00: where the clocks went to winter "
        "time, two hours lie over each other, and one hides the outages of the other (JMeter writes numbers with "
        "jmeter.save.saveservice.timestamp_format=ms)"
    )


def test_a_time_that_no_calendar_has_is_told_in_seconds() -> None:
    assert (utc(BEGIN_US + 999_999), utc(10**18)) == ("2026-01-01 00:00:00", "1000000000000 s after 1970")
    assert (seconds_text(100_050_000_000), seconds_text(149_999)) == ("100,050.0 s", "0.1 s")


def test_a_time_is_told_of_utc_wherever_the_report_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "JST-9")
        time.tzset()
        told = utc(BEGIN_US)
        of_summer = as_summer_time(Span(utc_us("2026-03-29T01:59:59"), utc_us("2026-03-29T03:00:01")))
    time.tzset()
    assert told == "2026-01-01 00:00:00"
    assert "in the hour from 2026-03-29 02:00:00 on" in of_summer


@pytest.mark.parametrize(
    ("from_ms", "to_ms", "missing_ms"),
    [
        (0, 4990, 0),
        (0, 4990.001, 2010),
        (0, 6000, 2010),
        (7009.999, 9000, 2010),
        (7010, 9000, 0),
        (0, 30_000, 2010 + 3010),
    ],
)
def test_of_a_stretch_so_much_time_may_be_missing_as_the_jumps_in_it_went_back(
    from_ms: float, to_ms: float, missing_ms: int
) -> None:
    """Two jumps: at 5 s by 2 s, and at 20 s by 3 s; 10 ms may have passed between the two rows of each."""
    stretch = Span(BEGIN_US + round(from_ms * MS), BEGIN_US + round(to_ms * MS))
    assert missing_us([jump(5000, 2000), jump(20_000, 3000)], stretch, 10 * MS) == missing_ms * MS


def utc_us(text: str) -> int:
    return round(datetime.fromisoformat(f"{text}+00:00").timestamp() * SECOND)


@pytest.mark.parametrize(
    ("last", "first", "may_be"),
    [
        ("2026-03-29T01:59:59.970", "2026-03-29T03:00:00.020", True),
        # A request was under way when the clocks were put forward.
        ("2026-03-29T02:00:03", "2026-03-29T03:00:03.050", True),
        ("2026-03-29T01:50:00", "2026-03-29T03:10:00", True),
        ("2026-03-29T01:49:59", "2026-03-29T03:00:01", False),
        ("2026-03-29T01:59:59", "2026-03-29T03:10:01", False),
        ("2026-03-29T02:01:00", "2026-03-29T03:00:01", True),
        ("2026-03-29T02:01:01", "2026-03-29T03:00:01", False),
        # In the day, and on a Tuesday, no clock is put forward.
        ("2026-03-29T12:59:59", "2026-03-29T14:00:01", False),
        ("2026-11-24T01:59:59", "2026-11-24T03:00:01", False),
        # Friday at 00:00 and 02:00, as in Egypt and Israel; Saturday as well.
        ("2026-04-23T23:59:59", "2026-04-24T01:00:01", True),
        ("2026-03-27T01:59:59", "2026-03-27T03:00:01", True),
        ("2026-03-28T01:59:59", "2026-03-28T03:00:01", True),
        ("2026-03-26T01:59:59", "2026-03-26T03:00:01", False),
        ("2026-03-29T02:59:59", "2026-03-29T04:00:01", True),
        ("2026-03-29T03:59:59", "2026-03-29T05:00:01", False),
    ],
)
def test_an_hour_of_the_night_without_a_request_may_be_one_that_never_was(
    last: str, first: str, may_be: bool
) -> None:
    found = as_summer_time(Span(utc_us(last), utc_us(first)))
    hour = utc(utc_us(f"{first[:11]}{int(first[11:13]) - 1:02}:00:00"))
    assert found == (
        f"its dates name no zone, and nothing is logged in the hour from {hour} on: where the clocks went "
        "to summer time there was no such hour, and a stretch without a good answer is longer by it"
        if may_be
        else ""
    )
