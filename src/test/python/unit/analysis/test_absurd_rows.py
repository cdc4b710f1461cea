"""Rows whose times cannot be are left out of a log, and told with one of them."""

from collections.abc import Sequence

import pytest

from support.request_tables import samples_of, table_of
from switchover.analysis.absurd_rows import ABSURD, FARTHEST_US, LONGEST_US, leave_out_absurd_rows
from switchover.analysis.logs.account import Account
from switchover.rundir.sample_log import Sample
from synthetic import SECOND, sample

BEGIN_US = 1_767_225_600 * SECOND
TEN_YEARS_US = 10 * 365 * 86_400 * SECOND


def row(at_us: int, took_us: int = 1000, label: str = "home") -> Sample:
    return sample(at_us, at_us + took_us)._replace(label=label)


def rows(number: int = 10) -> list[Sample]:
    return [row(BEGIN_US + at * SECOND) for at in range(number)]


def left(*logs: Sequence[Sample], text_bytes: int = 1100) -> tuple[list[int], Account]:
    """How many rows of each log are left, and what was told."""
    table, account, begin = table_of(one for log in logs for one in log), Account(), 0
    for part, log in enumerate(logs):
        table.rows(f"UPDATE {table.source} SET part = {part} WHERE rowid >= {begin}")
        begin += len(log)
    account.logs, account.text_bytes = [f"{part}.jtl" for part in range(len(logs))], text_bytes
    before = len(table)
    leave_out_absurd_rows(table, account)
    assert len(table) == len(samples_of(table)) <= before
    counts = dict(table.rows("SELECT part, count(*) FROM {requests} GROUP BY part"))
    return [counts.get(part, 0) for part in range(len(logs))], account


def test_a_log_whose_times_can_be_is_left_as_it_is() -> None:
    found, account = left(rows())
    assert (found, account.notes, dict(account.reasons)) == ([10], [], {})


@pytest.mark.parametrize(("took_us", "is_left_out"), [(LONGEST_US, False), (LONGEST_US + 1, True)])
def test_a_request_may_take_a_day(took_us: int, is_left_out: bool) -> None:
    assert LONGEST_US == 86_400 * SECOND
    found, account = left([*rows(), row(BEGIN_US, took_us, "it's long")])
    assert found == [10 if is_left_out else 11]
    text = '0.jtl: 1 rows whose times cannot be are left out: one of "it\'s long" took 1 days'
    assert account.notes == ([text] if is_left_out else [])


def test_a_request_may_take_longer_in_a_log_that_goes_on_for_longer() -> None:
    three_days = [row(BEGIN_US), row(BEGIN_US + 3 * LONGEST_US)]
    assert left([*three_days, row(BEGIN_US, 3 * LONGEST_US)])[0] == [3]
    assert left([*three_days, row(BEGIN_US, 3 * LONGEST_US + 1)])[0] == [2]


@pytest.mark.parametrize(("from_us", "is_left_out"), [(TEN_YEARS_US, False), (TEN_YEARS_US + 1, True)])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_row_may_lie_ten_years_from_the_middle_one(from_us: int, is_left_out: bool, sign: int) -> None:
    assert FARTHEST_US == TEN_YEARS_US
    middle = [row(BEGIN_US)] * 10
    found, account = left([*middle, row(BEGIN_US + sign * from_us, label="strange")])
    assert found == [10 if is_left_out else 11]
    day = "2035-12-30" if sign > 0 else "2016-01-03"
    text = f"0.jtl: 1 rows whose times cannot be are left out: one of 'strange' is of {day}"
    assert [note.rpartition(" ")[0].rpartition(" ")[0] for note in account.notes] == ([text] if is_left_out else [])


def test_of_two_rows_the_earlier_one_is_of_a_clock_that_was_never_set() -> None:
    found, account = left([row(5, label="1970"), row(BEGIN_US)])
    assert found == [1] and "one of '1970' is of 1970-01-01 00:00:00 UTC" in account.notes[0]


def test_what_took_a_day_at_a_strange_time_is_told_with_the_time() -> None:
    _, account = left([*rows(), row(BEGIN_US + 2 * TEN_YEARS_US, LONGEST_US)])
    assert "one of 'home' is of 2045-" in account.notes[0]


def test_of_several_the_longest_is_named_and_all_are_counted_with_their_part_of_the_log() -> None:
    long = [
        row(BEGIN_US, 5 * LONGEST_US, "a"),
        row(BEGIN_US, 1234 * LONGEST_US, "b"),
        row(BEGIN_US, 1234 * LONGEST_US, "c"),
    ]
    found, account = left([*rows(8), *long], text_bytes=1109)
    assert found == [8]
    assert account.notes == ["0.jtl: 3 rows whose times cannot be are left out: one of 'b' took 1,234 days"]
    assert (dict(account.reasons), account.lost_bytes) == ({ABSURD: 3}, 3 * 100)


def test_each_log_is_held_against_its_own_times() -> None:
    old = [row(at * SECOND) for at in range(10)]
    found, account = left(rows(), old, [*rows(), row(BEGIN_US, 2 * LONGEST_US)])
    assert found == [10, 10, 10]
    assert [note.partition(":")[0] for note in account.notes] == ["2.jtl"]
