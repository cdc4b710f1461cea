"""Where the database puts what does not fit into its memory, and how it is stopped."""

import os
import signal
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Timer

import pytest

from switchover.analysis.requests.store import Store


@pytest.mark.parametrize("is_large", [False, True])
def test_what_does_not_fit_into_memory_goes_where_only_this_user_can_look(is_large: bool) -> None:
    """A name that others know could be theirs already, or hold a link; and samples have URLs in them."""
    (spilled,) = Store(is_large).row("SELECT current_setting('temp_directory')")
    folder = Path(spilled).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


LONG = "SELECT count(*) FROM range(1_000_000_000) AS numbers(n) WHERE hash(n) = 7"
"""Takes seconds; as one task, which DuckDB may go on with to its end when another thread than ours has it."""


def test_another_thread_can_stop_a_statement() -> None:
    store, ended = Store(), Event()

    def stop() -> None:
        while not ended.wait(0.05):
            store.stop()

    with ThreadPoolExecutor(1) as beside:
        beside.submit(stop)
        try:
            with pytest.raises(store.error_type, match="Interrupted"):
                store.rows(LONG)
        finally:
            ended.set()
    assert store.rows("SELECT 1") == [(1,)]


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
