"""Populations of requests as tables: what is asked of one, and of several together."""

import pytest

from support.request_tables import samples_of, table_of
from switchover.analysis.requests.store import Store
from switchover.analysis.requests.table import TYPES, Requests, concatenate, new_table, sql_list, with_paths
from synthetic import sample, steady


def test_a_query_is_asked_of_the_requests_with_its_parameters() -> None:
    table, asked = (
        table_of(steady(0, 5, every_us=1)),
        "SELECT max(start_us) AS last FROM {requests} WHERE start_us < ?",
    )
    assert (table.rows(asked, [3]), table.row(asked, [3])) == ([(2,)], (2,))
    assert table.arrays(asked, [3])["last"].tolist() == [2]
    assert (table.count(), table.count("start_us < 3"), table.count("start_us < ?", [2])) == (5, 3, 2)
    assert table.columns == tuple(TYPES)


def test_a_length_is_counted_once_and_anew_when_rows_have_gone() -> None:
    table = table_of(steady(0, 5, every_us=1))
    assert len(table) == 5
    table.store.rows(f"DELETE FROM {table.source} WHERE start_us < 2")
    assert len(table) == 5
    table.forget_length()
    assert len(table) == 3


def test_two_tables_of_a_database_have_names_of_their_own() -> None:
    store = Store()
    first, second = new_table(store, "probes"), new_table(store, "probes")
    assert first.source != second.source and first.source.startswith("probes")
    assert (len(first), samples_of(second), first.store) == (0, [], store)


def test_together_each_is_a_part_by_its_number() -> None:
    """Also where one before it is empty."""
    store = Store()
    empty, one, two = (table_of(steady(0, rows, every_us=1), store) for rows in (0, 1, 2))
    together = concatenate(empty, two, one)
    parts = together.rows("SELECT part, rowid, start_us, url FROM {requests} ORDER BY part, rowid")
    assert parts == [(1, 0, 0, sample(0, 1).url), (1, 1, 1, sample(0, 1).url), (2, 0, 0, sample(0, 1).url)]
    assert together.store is store


@pytest.mark.parametrize("tables", [1, 2])
def test_of_empty_tables_there_is_an_empty_one(tables: int) -> None:
    store = Store()
    assert len(concatenate(*(new_table(store, "probes") for _ in range(tables)))) == 0


def test_together_they_have_the_columns_that_all_have() -> None:
    store = Store()
    whole, some = table_of([sample(1, 2)], store), table_of([sample(3, 4)], store)
    few = Requests(store, some.source, ("end_us", "label", "start_us"))
    together = concatenate(whole, few)
    assert together.columns == ("start_us", "end_us", "label")
    assert together.rows("SELECT * EXCLUDE (part, rowid) FROM {requests} ORDER BY part") == [
        (1, 2, "probe"),
        (3, 4, "probe"),
    ]


def test_the_log_of_a_server_is_read_with_its_paths() -> None:
    assert with_paths(("users", "label")) == ("label", "users", "url")
    assert with_paths(("url",)) == ("url",)


def test_a_list_of_names_is_sorted_and_quoted() -> None:
    assert sql_list({"web", "it's"}) == "('it''s', 'web')"
