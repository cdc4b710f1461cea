"""Which rows of several logs are the same requests and count once, and which are only told."""

from collections.abc import Iterable

import numpy as np
import pytest

from switchover.analysis import repeated_rows
from switchover.analysis.logs.account import Account
from switchover.analysis.repeated_rows import count_repeated_rows_once
from switchover.analysis.requests.store import Store
from switchover.analysis.requests.table import Requests

AT_US = 1_767_225_600_000_000
"""2026-01-01 00:00:00 UTC."""
MS = 1000
Row = tuple[int, int]
"""When it was sent, in milliseconds, and what stands in its other columns."""


def rows(numbers: Iterable[int], other: int = 0) -> list[Row]:
    """One in 7 ms each: `number` says which."""
    return [(7 * number, other) for number in numbers]


def table_of(logs: Iterable[Iterable[Row]]) -> Requests:
    store = Store()
    name = store.new_name("rows")
    store.rows(
        f"CREATE OR REPLACE TABLE {name} (part INTEGER, start_us BIGINT, end_us BIGINT, label VARCHAR, "
        "thread VARCHAR, success BOOLEAN, row_hash UBIGINT)"
    )
    values = np.array([(part, *row) for part, log in enumerate(logs) for row in log]).T
    given = dict(zip(("part", "sent_ms", "other"), values, strict=True))
    store.insert(
        f"INSERT INTO {name} SELECT part, {AT_US} + sent_ms * {MS}, {AT_US} + (sent_ms + 3) * {MS}, 'home', 't', "
        "true, sent_ms * 1000 + other FROM given",
        given,
    )
    return Requests(store, name, ())


def left(*logs: Iterable[Row]) -> tuple[list[list[Row]], list[str], list[str]]:
    """The rows that are left of each log, the notes, and the reasons not to trust them."""
    samples, account = table_of(logs), Account()
    account.logs = ["abc"[part] for part in range(len(logs))]
    before = len(samples)
    count_repeated_rows_once(samples, account)
    found: list[list[Row]] = [[] for _ in logs]
    for part, start_us, key in samples.rows("SELECT part, start_us, row_hash FROM {requests} ORDER BY rowid"):
        found[part].append(((start_us - AT_US) // MS, key % 1_000))
    assert len(samples) == sum(map(len, found)) <= before
    return found, account.notes, account.damage


def said(first: str, second: str, number: int, seconds: tuple[int, int], what: str = "rows") -> str:
    times = " and ".join(f"2026-01-01 00:00:{second:02}" for second in seconds)
    return f"{first} and {second} have {number:,} {what} in common, between {times} UTC"


ONCE = ": they are counted once"
TWICE = ", and each counts twice: are they the same requests?"
CHANCE = ": by chance, for most others differ; all are counted"
WRITTEN_TWICE = ", whose other columns differ: one load that was written twice counts twice"


def test_logs_without_a_time_in_common_are_left_as_they_are() -> None:
    one, other = rows(range(10)), rows(range(10, 20))
    assert left(one, other) == ([one, other], [], [])
    assert left(other, one) == ([other, one], [], [])
    assert left(one) == ([one], [], [])


def test_the_same_log_counts_once_in_the_first_that_has_it() -> None:
    one = rows(range(0, 200, 2))
    assert left(one, one) == ([one, []], [said("a", "b", 100, (0, 1)) + ONCE], [])
    more = rows(range(1000, 1010))
    found = left(more, one, one)
    assert found == ([more, one, []], [said("b", "c", 100, (0, 1)) + ONCE], [])
    found = left(one, one, one)
    notes = [said("a", "b", 100, (0, 1)) + ONCE, said("a", "c", 100, (0, 1)) + ONCE]
    assert found == ([one, [], []], notes, [])


def test_a_part_of_a_log_counts_once_whichever_log_it_is_in() -> None:
    """Compared is only the time that both have: of the longer log there is much more."""
    whole, part = rows(range(600)), rows(range(200, 400))
    notes = [said("a", "b", 200, (1, 2)) + ONCE]
    assert left(whole, part) == ([whole, []], notes, [])
    assert left(part, whole) == ([part, [*rows(range(200)), *rows(range(400, 600))]], notes, [])
    beginning, end = rows(range(300)), rows(range(299, 600))
    assert left(beginning, end) == ([beginning, end[1:]], [said("a", "b", 1, (2, 2)) + ONCE], [])


def test_as_many_of_each_row_are_left_as_the_log_has_that_has_more() -> None:
    one = rows(range(50))
    twice, thrice = [*one[:9], *one[8:]], [*one[:9], one[8], *one[8:]]
    assert left(twice, thrice)[0] == [twice, [one[8]]]
    assert left(thrice, twice)[0] == [thrice, []]
    again = [*one, one[0]]
    assert left(one, again) == ([one, [one[0]]], [said("a", "b", 51, (0, 0)) + ONCE], [])
    assert left(again, one) == ([again, []], [said("a", "b", 50, (0, 0)) + ONCE], [])


def mixed(shared: int, of: int = 100, at: int = 0) -> tuple[list[Row], list[Row]]:
    """Two logs of so many rows each, of which the last are in both."""
    own = of - shared
    both = rows(range(at + own, at + of))
    return [*rows(range(at, at + own), 1), *both], [*rows(range(at, at + own), 2), *both]


@pytest.mark.parametrize(("shared", "text"), [(98, ONCE), (97, ONCE), (96, TWICE), (50, TWICE), (8, TWICE)])
def test_it_is_the_same_log_where_nine_tenths_of_the_rows_are_in_both_with_all_before_them(
    shared: int, text: str
) -> None:
    """The first seven of those in common have another one within the seven before them."""
    one, other = mixed(shared)
    found, notes, damage = left(one, other)
    assert notes + damage == [said("a", "b", shared, (0, 0)) + text] and bool(notes) == (text == ONCE)
    assert found == [one, other[:-shared] if notes else other]


@pytest.mark.parametrize(("shared", "text"), [(90, ONCE), (89, TWICE)])
def test_two_logs_may_begin_as_one_and_go_on_as_two(shared: int, text: str) -> None:
    one, other = (rows(range(shared)) + rows(range(shared, 100), log) for log in (1, 2))
    found, notes, damage = left(one, other)
    assert notes + damage == [said("a", "b", shared, (0, 0)) + text] and bool(notes) == (text == ONCE)
    assert found == [one, other[shared:] if notes else other]


def swapped(one: list[Row]) -> list[Row]:
    """Each with the one before it."""
    return [row for at in range(0, len(one), 2) for row in (one[at + 1], one[at])]


def test_rows_in_another_order_are_told_and_count_twice() -> None:
    one = rows(range(100))
    assert left(one, swapped(one)) == ([one, swapped(one)], [], [said("a", "b", 100, (0, 0)) + TWICE])
    same, third = [*one, one[0]], swapped(one[2:])
    assert left(one, same, third) == (
        [one, [one[0]], third],
        [said("a", "b", 101, (0, 0)) + ONCE],
        [said("a", "c", 98, (0, 0)) + TWICE],
    )


def every(step: int, of: int) -> tuple[list[Row], list[Row]]:
    """Two logs of so many rows each, of which one in `step` is in both, and none with one before it."""
    one, other = rows(range(of), 1), rows(range(of), 2)
    for at in range(step - 1, of, step):
        one[at] = other[at] = (7 * at, 0)
    return one, other


@pytest.mark.parametrize(
    ("logs", "shared", "is_chance"),
    [
        (every(3, 99), 33, True),
        (every(2, 100), 50, False),
        ([[(0, 0), *log] for log in ([(7, 1)] * 99, [(7, 2)] * 99)], 1, False),
        ([[(0, 0), *log] for log in ([(7, 1)] * 100, [(7, 2)] * 100)], 1, True),
    ],
)
def test_less_than_half_may_be_chance_where_less_than_a_hundredth_are_in_a_row(
    logs: list[list[Row]], shared: int, is_chance: bool
) -> None:
    found, notes, damage = left(*logs)
    assert found == list(map(list, logs))
    texts = [said("a", "b", shared, (0, 0)) + (CHANCE if is_chance else TWICE)]
    assert (notes, damage) == ((texts, []) if is_chance else ([], texts))


def test_rows_are_those_of_the_second_log_and_their_share_is_of_the_log_that_has_fewer() -> None:
    """Users who did the same in the same millisecond stand in one log several times."""
    one, other = every(3, 99)
    assert left([*one, *[one[2]] * 20], other)[1] == [said("a", "b", 33, (0, 0)) + CHANCE]
    assert left(one, [*other, *[one[2]] * 10])[1] == [said("a", "b", 43, (0, 0)) + CHANCE]
    few = [row for row in other if row[0] % 2 == 0]
    shared = sum(other == 0 for _, other in few)
    assert left(one, few)[1] == [said("a", "b", shared, (0, 0)) + CHANCE]
    assert left(one, [row for row in other if row[1] == 0])[1:] == ([], [said("a", "b", 33, (0, 0)) + TWICE])


def test_where_times_are_coarse_equal_rows_are_chance() -> None:
    one = [(1000 * (at // 2), 0) for at in range(40)]
    other = [one[at ^ 1] if at % 4 else (one[at][0], 5) for at in range(40)]
    found = left(one, other)
    assert found == ([one, other], [said("a", "b", 30, (0, 19)) + CHANCE], [])


@pytest.mark.parametrize(("same", "is_told"), [(89, False), (90, True), (100, True)])
def test_one_load_that_was_written_twice_with_other_columns_is_told(same: int, is_told: bool) -> None:
    one = rows(range(100), 1)
    other = [(7 * at + (same - 1 <= at < 99), 2) for at in range(100)]
    texts = [said("a", "b", same, (0, 0), "requests") + WRITTEN_TWICE]
    assert left(one, other) == ([one, other], [], texts if is_told else [])


def test_of_many_rows_one_in_sixteen_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 160 rows whose numbers are 7,000 apart every second one is divided by 16."""
    one = rows(range(160))
    for many, number in ((320, 160), (319, 80 * 16)):
        monkeypatch.setattr(repeated_rows, "MANY", many)
        found, notes, damage = left(one, one)
        assert found == [one, []] and damage == []
        assert notes == [said("a", "b", number, (0, 1)) + ONCE]
