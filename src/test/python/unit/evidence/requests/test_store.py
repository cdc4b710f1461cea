"""The database of requests: what it may use, where its files are, when they go, and how it is stopped."""

import atexit
import gc
import os
import signal
import stat
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from switchover.evidence.requests import store as stores
from switchover.evidence.requests.store import SMALL_BYTES, Store, enum_sql, remove_left_behind, sql_text

LARGE = SMALL_BYTES + 1
OURS = "switchover-{}-"
both_sizes = pytest.mark.parametrize("log_bytes", [0, LARGE], ids=["in memory", "in a file"])
NO_PROCESS = 99_999_999
"""Above the largest number of a process (proc(5), pid_max)."""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In place of the system's folder of temporary files; and no database is open yet."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(stores, "_shared_connections", [])
    return tmp_path


@pytest.fixture
def at_exit(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What is to be done when the process ends."""
    calls: list[Callable[[], object]] = []

    def register(call: Callable[..., object], *given: Any, **named: Any) -> None:
        calls.append(partial(call, *given, **named))

    monkeypatch.setattr(atexit, "register", register)
    return calls


@both_sizes
def test_a_statement_has_parameters_and_gives_rows_or_arrays(log_bytes: int) -> None:
    store, asked = Store(log_bytes), "SELECT ? + 1 AS n"
    assert (store.rows(asked, [1]), store.row(asked, [2])) == ([(2,)], (3,))
    assert store.arrays(asked, [3])["n"].tolist() == [4]
    assert store.rows("SELECT 1") == [(1,)]


def test_ctrl_c_is_told_from_other_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing:
        def __init__(self, said: str) -> None:
            self.said = said

        def execute(self, *_: object) -> None:
            raise RuntimeError(self.said)

    store = Store()
    for said, raised in (("Query interrupted", KeyboardInterrupt), ("exceeded", RuntimeError)):
        monkeypatch.setattr(store, "connection", Failing(said))
        with pytest.raises(raised):
            store.rows("SELECT 1")


def test_two_names_of_a_stem_differ() -> None:
    store = Store()
    first, second = store.new_name("rejects"), store.new_name("rejects")
    assert first != second and first.startswith("rejects_")


@both_sizes
def test_no_more_is_used_than_is_set(log_bytes: int, temporary: Path) -> None:
    """700 MB are 667.5 MiB; and nothing is fetched from elsewhere."""
    found = Store(log_bytes).row(
        "SELECT current_setting('memory_limit'), current_setting('threads'), "
        "current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions')"
    )
    assert found == ("667.5 MiB", min(os.cpu_count() or 1, 8), False, False)


@pytest.mark.parametrize(("cpus", "threads"), [(None, 1), (4, 4), (64, 8)])
def test_there_are_as_many_threads_as_processors_up_to_eight(
    cpus: int | None, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cpus)
    assert stores._settings(Path("folder"))["threads"] == threads


def test_small_logs_share_a_database_in_memory(temporary: Path, at_exit: list[Callable[[], object]]) -> None:
    first, second = Store(SMALL_BYTES), Store()
    first.rows("CREATE TABLE t (n INTEGER)")
    second.rows("CREATE TABLE t (n INTEGER)")
    files = "SELECT count(*) FROM duckdb_databases() WHERE path IS NOT NULL"
    assert (first.folder, first.place, first.row(files)) == (None, temporary, (0,))
    (folder,) = temporary.iterdir()
    (spilled,) = first.row("SELECT current_setting('temp_directory')")
    assert folder.name.startswith(OURS.format(os.getpid())) and Path(spilled).parent == folder
    with first.scratch() as scratch:
        assert scratch.parent == temporary and scratch.name.startswith(OURS.format(os.getpid()))
    assert not scratch.exists()
    for _ in range(2):  # it may have gone before
        for call in at_exit:
            call()
        assert list(temporary.iterdir()) == []


def test_what_a_store_held_in_memory_goes_with_it() -> None:
    other, store = Store(), Store()
    (schema,) = store.row("SELECT current_schema()")
    there = "SELECT count(*) FROM duckdb_schemas() WHERE schema_name = ?"
    assert other.row(there, [schema]) == (1,)
    del store
    gc.collect()
    assert other.row(there, [schema]) == (0,)


def test_a_database_that_was_closed_may_be_dropped() -> None:
    """The process may be ending."""
    store = Store()
    store.connection.close()
    stores._drop(store.connection, "store_0")


def test_large_logs_have_a_file_that_goes_with_the_store(temporary: Path) -> None:
    store = Store(LARGE)
    folder = store.place
    store.rows("CREATE TABLE t (n INTEGER)")
    (path,) = store.row("SELECT path FROM duckdb_databases() WHERE path IS NOT NULL")
    (spilled,) = store.row("SELECT current_setting('temp_directory')")
    assert folder.parent == temporary and folder.name.startswith(OURS.format(os.getpid())) and folder == store.folder
    assert Path(path) == folder / "requests.duckdb" and Path(spilled).parent == folder
    with store.scratch() as scratch:
        assert scratch.parent == folder
    del store
    gc.collect()
    assert not folder.exists()


def test_files_are_removed_even_where_the_database_cannot_be_closed(tmp_path: Path) -> None:
    class Broken:
        def close(self) -> None:
            raise RuntimeError("exceeded")

    folder: Any = tmp_path / "folder"
    folder.mkdir()
    broken: Any = Broken()
    for _ in range(2):  # it may have gone before
        stores._remove(broken, folder)
        assert not folder.exists()


def test_what_a_process_left_behind_is_removed(temporary: Path) -> None:
    """Folders of a process that has ended, and nothing else."""
    kept = [f"switchover-{os.getpid()}-a", "switchover-a-b", "other-1-a"]
    for name in (*kept, f"switchover-{NO_PROCESS}-a", f"switchover-{NO_PROCESS}-b-c"):
        (temporary / name).mkdir()
        (temporary / name / "file").touch()
    (temporary / f"switchover-{NO_PROCESS}-file").touch()
    remove_left_behind()
    assert {path.name for path in temporary.iterdir()} == {*kept, f"switchover-{NO_PROCESS}-file"}


def test_texts_are_quoted() -> None:
    assert sql_text("it's") == "'it''s'"
    assert enum_sql(["a", "it's"]) == "ENUM('a', 'it''s')"
    assert Store().row(f"SELECT CAST('it''s' AS {enum_sql(['a', chr(39), 'it' + chr(39) + 's'])})") == ("it's",)


@pytest.mark.parametrize("is_large", [False, True])
def test_what_does_not_fit_into_memory_goes_where_only_this_user_can_look(is_large: bool) -> None:
    """A name that others know could be theirs already, or hold a link; and samples have URLs in them."""
    (spilled,) = Store(is_large).row("SELECT current_setting('temp_directory')")
    folder = Path(spilled).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


LONG = "SELECT count(*) FROM range(1_000_000_000) AS numbers(n) WHERE hash(n) = 7"
"""Takes seconds; as one task, which DuckDB may go on with to its end when another thread than ours has it."""


@pytest.mark.parametrize("ask", [Store.rows, Store.arrays])
def test_ctrl_c_ends_a_statement_as_it_ends_all_else(ask: Callable[[Store, str], object]) -> None:
    """DuckDB raises a `RuntimeError`, which would be told as an internal error."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            ask(Store(), LONG)
    finally:
        signal.signal(signal.SIGINT, before)
