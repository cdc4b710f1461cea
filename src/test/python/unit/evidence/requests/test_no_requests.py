"""Rows that are no requests are left out and accounted for: parts of requests, transactions, what cannot be read."""

from collections.abc import Sequence

import pytest

from switchover.evidence.logs.format import Account
from switchover.evidence.requests.columns import (
    NO_NUMBER,
    OUT_OF_RANGE,
    PART,
    REPEATED_HEADER,
    TRANSACTION,
    declare_columns,
)
from switchover.evidence.requests.no_requests import LoggedRows
from switchover.evidence.requests.store import Store

COLUMNS = ("start_us", "end_us", "label", "thread")
Row = tuple[int, int, str, str, str | None]


def row(label: str, start_us: int, end_us: int, reason: str | None = None, thread: str = "u 1-1") -> Row:
    return start_us, end_us, label, thread, reason


def logged(rows: Sequence[Row]) -> LoggedRows:
    """As the second log of a table, whose first has a whole that these rows would be parts of, and a transaction."""
    store = Store()
    store.rows(f"CREATE TABLE t (part INTEGER, {declare_columns((*COLUMNS, 'reason'))})")
    for part, log in enumerate(([row("home", 0, 99), row("home-0", 0, 99, TRANSACTION)], rows)):
        values = ", ".join(["(?, ?, ?, ?, ?)"] * len(log))
        given = f"SELECT * FROM (VALUES {values}) AS given({', '.join(COLUMNS)}, reason)"
        store.rows(
            f"INSERT INTO t BY NAME SELECT {part} AS part, * FROM ({given})",
            [field for one in log for field in one],
        )
    return LoggedRows(store, "t", 1, Account(), "a.jtl")


def labels_in(found: LoggedRows) -> list[str]:
    """Of the log; nothing of the one before it is touched."""
    before = found.store.rows("SELECT reason FROM t WHERE part = 0 ORDER BY rowid")
    assert before == [(None,), (TRANSACTION,)]
    return [name for (name,) in found.store.rows("SELECT label FROM t WHERE part = 1 ORDER BY rowid")]


def left_of(*rows: Row, nbytes: int = 0) -> tuple[list[str], Account]:
    found = logged(rows)
    found.leave_out(nbytes)
    return labels_in(found), found.account


def test_a_part_of_a_request_follows_it_in_its_thread_within_its_time_and_by_its_number() -> None:
    parts = [row("home", 0, 50), row("home-0", 0, 20), row("home-1", 20, 50), row("home-1-0", 20, 30)]
    others = [
        row("home-2", 0, 20, thread="u 1-2"),
        row("home-3", 20, 30),
        row("home-2", 40, 51),
        row("home-9999999999", 20, 30),
        row("cart-0", 20, 30),
        row("home", 60, 70),
        row("home-0", 59, 70),
        row("home-0", 60, 70, NO_NUMBER),
    ]
    found = logged([*parts, *others])
    found.mark_parts()
    marked = found.store.rows("SELECT rowid FROM t WHERE reason = ? ORDER BY rowid", [PART])
    assert marked == [(2 + place,) for place in (1, 2, 3)]
    assert found.account.notes == ["a.jtl: 3 parts of requests (redirects, embedded resources) are not counted"]


def test_what_cannot_be_read_is_counted_with_its_share_of_the_bytes() -> None:
    """A part is accounted for as it is found, and a repeated header loses nothing. 1,007 bytes: 100 in each row."""
    rows = [row("home", 0, 1), row("part", 0, 1, PART), *[row("header", 0, 1, REPEATED_HEADER)] * 2]
    labels, account = left_of(*rows, *[row("odd", 0, 1, NO_NUMBER)] * 3, *[row("cart", 1, 2)] * 3, nbytes=1007)
    assert labels == ["home", "cart", "cart", "cart"]
    assert (account.reasons, account.lost_bytes) == ({REPEATED_HEADER: 2, NO_NUMBER: 3}, 300)
    assert (account.notes, account.damage) == ([], [])


def test_a_transaction_whose_requests_are_there_is_not_counted() -> None:
    """Its own request began with it or later and stands before it; how many samples it had may not be written."""
    visits = [
        row("visit", 0, 50, TRANSACTION),
        row("visit", 0, 40, TRANSACTION),
        row("none", 1, 1, TRANSACTION),
    ]
    labels, account = left_of(row("home", 10, 20), *visits[:2], row("home", 10, 20), visits[2])
    assert (labels, account.damage) == (["home", "home"], [])
    assert account.notes == ["a.jtl: 3 rows of Transaction Controllers are not counted"]


def test_rows_that_no_client_can_have_written_are_named_with_the_first() -> None:
    labels, account = left_of(row("home", 0, 1), row("a", 0, 0, OUT_OF_RANGE), row("b", 0, 0, OUT_OF_RANGE))
    assert (labels, account.reasons) == (["home"], {OUT_OF_RANGE: 2})
    assert account.damage == [
        "a.jtl: 2 rows have impossible times (an end before the start, a request longer than a year, or another unit "
        "than the other rows), first in row 2"
    ]


SECOND = 1_000_000


@pytest.mark.parametrize(
    ("rows", "damage"),
    [
        pytest.param([row("a", 5 * SECOND, 6 * SECOND), row("b", 4 * SECOND, 5 * SECOND)], None, id="a second"),
        pytest.param([row("a", 5 * SECOND, 6 * SECOND), row("b", 4 * SECOND - 1, 5 * SECOND - 1)], 2, id="more"),
        pytest.param([row("a", 5 * SECOND, 9 * SECOND), row("b", 5 * SECOND, 6 * SECOND)], None, id="a slow request"),
        pytest.param(
            [row("a", 5 * SECOND, 6 * SECOND), row("b", SECOND, 2 * SECOND, thread="u 1-2")],
            None,
            id="another thread",
        ),
    ],
)
def test_the_times_of_a_thread_do_not_run_backwards_by_more_than_a_second(
    rows: list[Row], damage: int | None
) -> None:
    found = logged(rows)
    found.check_order("thread")
    said = [] if damage is None else [f"at row {damage}"]
    assert [text[text.index("at row") : text.index(": a clock")] for text in found.account.damage] == said
