"""Columns of few names are kept as numbers, and say the same as texts would."""

from pathlib import Path

import pytest

from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.analysis.requests import few_names
from switchover.analysis.requests.few_names import FewNames, find_names, names_among
from switchover.analysis.requests.jtl import Layout
from switchover.analysis.requests.stamps import Stamps
from switchover.analysis.requests.store import Store
from switchover.model.identity import AnsweredBy, Identity

COLUMNS = ("start_us", "label", "backend")
LABELS = ["", "a", "it's"]
SOURCE = "SELECT * FROM (VALUES {}) AS given(start_us, label, backend, reason)"
HEADER = ("label", "responseCode", "backend")


def stored(names: FewNames, *rows: tuple[str, str]) -> Store:
    """A table of labels and backends, as logs are read into it."""
    store = Store()
    store.rows(f"CREATE TABLE t ({names.declare(COLUMNS)})")
    values = ", ".join("(?, ?, ?, 'x')" for _ in rows)
    parameters = [field for at_us, row in enumerate(rows) for field in (at_us, *row)]
    store.rows(f"INSERT INTO t BY NAME {names.select(SOURCE.format(values), COLUMNS)}", parameters)
    return store


def kinds_of(store: Store) -> dict[str, str]:
    return dict(store.rows("SELECT column_name, column_type FROM (DESCRIBE t)"))


@pytest.mark.parametrize("more", [[], [f"name {number}" for number in range(9)]])
def test_names_that_were_not_known_are_kept_beside_the_numbers_until_the_end(more: list[str]) -> None:
    """Whether names are compared one by one, or are so many that they are looked up."""
    names = FewNames({"label": sorted([*LABELS, *more]), "backend": ["", "web1"]})
    rows = [("a", "web1"), ("it's", "web1"), ("late", "web1"), ("", "web2")]
    store = stored(names, *rows)
    beside = store.rows("SELECT start_us, others, reason FROM t ORDER BY start_us")
    assert beside == [(0, None, "x"), (1, None, "x"), (2, ["late", "web1"], "x"), (3, ["", "web2"], "x")]
    assert kinds_of(store)["backend"] == "ENUM('', 'web1')"
    told = (
        f"SELECT {names.text_sql('label')}, {names.text_sql('backend')} FROM t ORDER BY {names.text_sql('start_us')}"
    )
    assert store.rows(told) == rows
    names.settle(store, "t")
    assert store.rows("SELECT label, backend FROM t ORDER BY start_us") == rows
    assert store.rows("SELECT DISTINCT label FROM t ORDER BY label") == [("",), ("a",), ("it's",), ("late",)]
    labels = ", ".join("'" + name.replace("'", "''") + "'" for name in sorted([*LABELS, *more, "late"]))
    assert kinds_of(store) == {
        "start_us": "BIGINT",
        "label": f"ENUM({labels})",
        "backend": "ENUM('', 'web1', 'web2')",
        "reason": "VARCHAR",
    }


def test_where_all_names_were_known_only_their_numbers_are_left() -> None:
    names = FewNames({"label": LABELS})
    store = stored(names, ("a", "web1"))
    names.settle(store, "t")
    assert kinds_of(store) == {
        "start_us": "BIGINT",
        "label": "ENUM('', 'a', 'it''s')",
        "backend": "VARCHAR",
        "reason": "VARCHAR",
    }


def test_without_names_all_columns_are_text() -> None:
    store = stored(FewNames(), ("a", "web1"))
    FewNames().settle(store, "t")
    assert store.rows("SELECT * FROM t") == [(0, "a", "web1", "x")]
    assert kinds_of(store) == dict.fromkeys(("label", "backend", "reason"), "VARCHAR") | {"start_us": "BIGINT"}


@pytest.mark.parametrize(("late", "kind"), [(2, "ENUM('', 'l0', 'l1')"), (3, "VARCHAR")])
def test_a_column_with_too_many_late_names_becomes_text(
    late: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(few_names, "MOST", 2)
    names, rows = FewNames({"label": [""]}), [(f"l{number}", "") for number in range(late)]
    store = stored(names, *rows)
    names.settle(store, "t")
    assert store.rows("SELECT label, backend FROM t ORDER BY start_us") == rows
    assert kinds_of(store)["label"] == kind


def names_in(tmp_path: Path, *rows: str, columns: tuple[str, ...] = ("label",), **more: tuple[str, ...]) -> object:
    """Of a log behind a header of three bytes."""
    path = tmp_path / "a.jtl"
    path.write_bytes(b"..\n" + "".join(f"{row}\n" for row in rows).encode("latin-1"))
    return find_names(path, Layout(HEADER, 3, ",", Stamps()), columns, **more).names


def test_names_are_looked_for_in_whole_rows_of_a_log(tmp_path: Path) -> None:
    """The first line of a place may have begun before it, and one of another width is no row."""
    rows = ("cut,200,", 'X a,"200",web1', "caf\u00e9,302,web1", "a,b", "Xb,200,web2")
    assert names_in(tmp_path, *rows, columns=("backend", "label", "code", "session", "start_us")) == {
        "label": ["", "X a", "Xb", "caf\ufffd"],
        "code": ["", "200", "302"],
        "backend": ["", "web1", "web2"],
    }
    assert names_in(tmp_path, *rows, columns=("backend",), more=("lb1",)) == {"backend": ["", "lb1", "web1", "web2"]}


def test_names_are_looked_for_at_some_places_from_the_begin_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of rows of eight bytes a place of twenty holds one or two between its first and its last line."""
    monkeypatch.setattr(few_names, "PLACES", 2)
    monkeypatch.setattr(few_names, "PLACE_BYTES", 20)
    rows = [f"r{number},20,w" for number in range(10)]
    assert names_in(tmp_path, *rows) == {"label": ["", "r1", "r5", "r6"]}


@pytest.mark.parametrize(("most", "found"), [(2, {"label": ["", "b", "c"]}), (1, {})])
def test_a_column_of_many_names_stays_text(
    most: int, found: dict[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(few_names, "MOST", most)
    assert names_in(tmp_path, "a,200,", "b,200,", "c,200,") == found


def test_of_another_programs_log_names_are_those_of_its_first_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = [
        LoggedRequest(start_us=0, label="b", code="200", thread="t", identity=Identity("w", "l", AnsweredBy.BACKEND)),
        LoggedRequest(start_us=0, label="a", thread="u"),
    ]
    columns = ("label", "code", "thread", "backend", "balancer", "session")
    assert names_among(requests, columns, ("web9",)).names == {
        "label": ["", "a", "b", "web9"],
        "code": ["", "200", "web9"],
        "thread": ["", "t", "u", "web9"],
        "backend": ["", "w", "web9"],
        "balancer": ["", "l", "web9"],
    }
    assert names_among(requests, ("label",)).names == {"label": ["", "a", "b"]}
    monkeypatch.setattr(few_names, "MOST", 2)
    assert names_among(requests, ("label", "code")).names == {"label": ["", "a", "b"], "code": ["", "200"]}
    monkeypatch.setattr(few_names, "MOST", 1)
    assert names_among(requests, ("label", "code")).names == {}
