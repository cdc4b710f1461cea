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
from switchover.evidence.requests.store import SMALL_BYTES, Store, remove_left_behind

LARGE = SMALL_BYTES + 1
OURS = "switchover-{}-"
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
    tables = "SELECT count(*) FROM duckdb_tables()"
    assert second.row(tables) == (2,)
    del first
    gc.collect()
    assert second.row(tables) == (1,), "the tables of a small run go with its store"
    for _ in range(2):  # it may have gone before
        for call in at_exit:
            call()
        assert list(temporary.iterdir()) == []


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


def test_what_a_process_left_behind_is_removed(temporary: Path) -> None:
    """Folders of a process that has ended, and nothing else."""
    kept = [f"switchover-{os.getpid()}-a", "switchover-a-b", "other-1-a"]
    for name in (*kept, f"switchover-{NO_PROCESS}-a", f"switchover-{NO_PROCESS}-b-c"):
        (temporary / name).mkdir()
        (temporary / name / "file").touch()
    (temporary / f"switchover-{NO_PROCESS}-file").touch()
    remove_left_behind()
    assert {path.name for path in temporary.iterdir()} == {*kept, f"switchover-{NO_PROCESS}-file"}


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
