"""Rows that are no requests are left out and accounted for: parts of requests, transactions, what cannot be read."""

from collections.abc import Sequence

import pytest

from switchover.analysis.logs.account import Account
from switchover.analysis.requests.columns import NO_NUMBER, REPEATED_HEADER, TRANSACTION, UNSURE_TRANSACTION
from switchover.analysis.requests.few_names import FewNames
from switchover.analysis.requests.no_requests import PART, LoggedRows
from switchover.analysis.requests.store import Store

COLUMNS = ("start_us", "end_us", "label", "thread")
Row = tuple[int, int, str, str, str | None]
AS_TEXT, AS_NUMBERS = FewNames(), FewNames({"label": ["", "home"], "thread": ["", "u 1-2"]})
"""Of the numbers, only some names were known before; the others stand beside them."""
in_both_forms = pytest.mark.parametrize("names", [AS_TEXT, AS_NUMBERS], ids=["texts", "numbers"])


def row(label: str, start_us: int, end_us: int, reason: str | None = None, thread: str = "u 1-1") -> Row:
    return start_us, end_us, label, thread, reason


def logged(rows: Sequence[Row], names: FewNames = AS_TEXT) -> LoggedRows:
    """As the second log of a table, whose first has a whole that these rows would be parts of, and a transaction."""
    store = Store()
    store.rows(f"CREATE TABLE t (part INTEGER, {names.declare(COLUMNS)})")
    for part, log in enumerate(([row("home", 0, 99), row("home-0", 0, 99, f"{TRANSACTION}9")], rows)):
        values = ", ".join(["(?, ?, ?, ?, ?)"] * len(log))
        given = f"SELECT * FROM (VALUES {values}) AS given({', '.join(COLUMNS)}, reason)"
        store.rows(
            f"INSERT INTO t BY NAME SELECT {part} AS part, * FROM ({names.select(given, COLUMNS)})",
            [field for one in log for field in one],
        )
    return LoggedRows(store, "t", 1, names, Account(), "a.jtl")


def labels_in(found: LoggedRows) -> list[str]:
    """Of the log; nothing of the one before it is touched."""
    before = found.store.rows("SELECT reason FROM t WHERE part = 0 ORDER BY rowid")
    assert before == [(None,), (f"{TRANSACTION}9",)]
    label = found.few_names.text_sql("label")
    return [name for (name,) in found.store.rows(f"SELECT {label} FROM t WHERE part = 1 ORDER BY rowid")]


def left_of(*rows: Row, names: FewNames = AS_TEXT, nbytes: int = 0) -> tuple[list[str], Account]:
    found = logged(rows, names)
    found.leave_out(nbytes)
    return labels_in(found), found.account


@in_both_forms
def test_a_part_of_a_request_follows_it_in_its_thread_within_its_time_and_by_its_number(names: FewNames) -> None:
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
    found = logged([*parts, *others], names)
    found.mark_parts()
    marked = found.store.rows("SELECT rowid FROM t WHERE reason = ? ORDER BY rowid", [PART])
    assert marked == [(2 + place,) for place in (1, 2, 3)]
    assert found.account.notes == ["a.jtl: 3 parts of requests (redirects, embedded resources) are not counted apart"]


@pytest.mark.parametrize("rows", [[row("home", 0, 50)], [row("home", 0, 50), row("home-0", 49, 51)]])
def test_without_parts_nothing_is_said_of_them(rows: list[Row]) -> None:
    found = logged(rows)
    found.mark_parts()
    assert (labels_in(found), found.account.notes) == ([label for _, _, label, *_ in rows], [])


def test_what_cannot_be_read_is_counted_with_its_share_of_the_bytes() -> None:
    """A part is accounted for as it is found, and a repeated header loses nothing. 1,007 bytes: 100 in each row."""
    rows = [row("home", 0, 1), row("part", 0, 1, PART), *[row("header", 0, 1, REPEATED_HEADER)] * 2]
    labels, account = left_of(*rows, *[row("odd", 0, 1, NO_NUMBER)] * 3, *[row("cart", 1, 2)] * 3, nbytes=1007)
    assert labels == ["home", "cart", "cart", "cart"]
    assert (account.reasons, account.lost_bytes) == ({REPEATED_HEADER: 2, NO_NUMBER: 3}, 300)
    assert (account.notes, account.damage) == ([], [])


def test_of_a_log_of_requests_nothing_is_left_out() -> None:
    labels, account = left_of(row("home", 0, 1), nbytes=9)
    assert (labels, account.reasons, account.notes, account.damage) == (["home"], {}, [], [])


def test_where_failed_transactions_cannot_be_told_from_requests_that_is_said() -> None:
    labels, account = left_of(row("home", 0, 1), *[row("visit", 0, 1, UNSURE_TRANSACTION)] * 2, nbytes=9)
    assert (labels, account.reasons) == (["home"], {})
    assert account.damage == [
        "a.jtl: 2 rows look like failed Transaction Controllers and are not counted; without responseMessage, "
        "or dataType and URL, the others cannot be told from requests"
    ]


@in_both_forms
def test_a_transaction_whose_requests_are_there_is_not_counted(names: FewNames) -> None:
    """Its own request began with it or later and stands before it; how many samples it had may not be written."""
    visits = [
        row("visit", 0, 50, f"{TRANSACTION}2"),
        row("visit", 0, 40, TRANSACTION),
        row("none", 1, 1, f"{TRANSACTION}0"),
    ]
    labels, account = left_of(row("home", 10, 20), *visits[:2], row("home", 10, 20), visits[2], names=names)
    assert (labels, account.damage) == (["home", "home"], [])
    assert account.notes == ["a.jtl: 3 rows of Transaction Controllers are not counted"]


@in_both_forms
def test_a_log_of_transactions_alone_counts_them_and_is_not_trusted(names: FewNames) -> None:
    visit = row("visit", 0, 50, f"{TRANSACTION}2")
    labels, account = left_of(visit, visit, row("odd", 0, 1, NO_NUMBER), names=names)
    assert (labels, account.notes) == (["visit", "visit"], [])
    assert account.damage == [
        "a.jtl: all 2 rows are Transaction Controllers, whose requests were not written (Generate parent sample): "
        "counts and times are those of whole transactions"
    ]


HIDDEN = (
    "a.jtl: one Transaction Controller had {} samples, but the number of requests here is {}: "
    "those of some controllers were not written (Generate parent sample)"
)


@in_both_forms
@pytest.mark.parametrize(
    ("rows", "damage"),
    [
        pytest.param([row("visit", 60, 110, f"{TRANSACTION}2")], [HIDDEN.format(4, 1)], id="one without a request"),
        pytest.param(
            [row("visit", 0, 50, f"{TRANSACTION}12", thread="u 1-2")], [HIDDEN.format(14, 1)], id="of another thread"
        ),
        pytest.param([row("visit", 60, 60, f"{TRANSACTION}2")], [HIDDEN.format(4, 1)], id="one without a length"),
        pytest.param([row("visit", 0, 50, f"{TRANSACTION}2")], [], id="one that a pause was in"),
        pytest.param([row("visit", 50, 50, f"{TRANSACTION}2", thread="")], [], id="one that is told again"),
        pytest.param([row("visit", 60, 110, f"{TRANSACTION}2", thread="")], [HIDDEN.format(4, 1)], id="of no thread"),
        pytest.param(
            [row("cart", 60, 61), row("visit", 70, 80, f"{TRANSACTION}0"), row("buy", 70, 80, f"{TRANSACTION}1")],
            [],
            id="as many as there are",
        ),
    ],
)
def test_requests_that_a_controller_hides_are_missed(rows: list[Row], damage: list[str], names: FewNames) -> None:
    """One that had more samples than there are requests, where some controller has none of its own in the log."""
    labels, account = left_of(row("home", 0, 20), row("visit", 0, 50, f"{TRANSACTION}2"), *rows, names=names)
    assert labels == ["home", *(label for _, _, label, _, reason in rows if reason is None)]
    assert account.damage == damage
