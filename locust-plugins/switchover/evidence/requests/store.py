"""The database with the requests of a run: in memory, or in a temporary file if the logs are large."""

import atexit
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:  # imported with the first table: load generators import this module, but use no table
    from duckdb import DuckDBPyConnection


Integers = npt.NDArray[np.int64]
Arrays = Mapping[str, npt.NDArray[Any]]

MEMORY = "400MB"
"""The memory that DuckDB may use for its tables. DuckDB's readers and the figures need additional memory."""
THREADS = 8
"""The maximum number of DuckDB's threads. Each thread needs buffers, and more threads are not faster."""
SMALL_BYTES = 64 << 20
"""Logs up to this size, in bytes, are stored in the shared database in memory."""
FOLDER = "switchover-"
CTRL_C = "Query interrupted"
"""The message of the `RuntimeError` that DuckDB raises instead of Python's `KeyboardInterrupt`."""


class Store:
    """One database of requests."""

    def __init__(self, log_bytes: int = 0) -> None:
        """Open the database. `log_bytes`: the size of the logs that will be stored in the database."""
        self.folder: Path | None = None
        """The folder of the database; None: the database is in memory."""
        self._names = count(1)
        _open_stores.add(self)
        if log_bytes > SMALL_BYTES:
            self.folder, self.connection = _open_large_database(self)
        else:
            self.connection = _shared_database().cursor()
            self._create_schema()

    @property
    def place(self) -> Path:
        """The folder of temporary files."""
        return self.folder or Path(tempfile.gettempdir())

    @property
    def error_type(self) -> type[Exception]:
        """The class of errors that the database raises."""
        import duckdb

        return duckdb.Error

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Provide a folder for temporary files, and remove the folder afterwards."""
        with tempfile.TemporaryDirectory(prefix=f"{FOLDER}{os.getpid()}-", dir=self.folder) as folder:
            yield Path(folder)

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        result: list[tuple[Any, ...]] = self._execute(sql, parameters).fetchall()
        return result

    def row(self, sql: str, parameters: Sequence[object] = ()) -> tuple[Any, ...]:
        """Run a query that has exactly one row, and return the row."""
        (only_row,) = self.rows(sql, parameters)
        return only_row

    def arrays(self, sql: str, parameters: Sequence[object] = ()) -> Arrays:
        result: Arrays = self._execute(sql, parameters).fetchnumpy()
        return result

    def _execute(self, sql: str, parameters: Sequence[object] = ()) -> "DuckDBPyConnection":
        try:
            return self.connection.execute(sql, parameters)
        except RuntimeError as error:
            if str(error) != CTRL_C:
                raise
            raise KeyboardInterrupt from error

    def new_name(self, stem: str) -> str:
        return f"{stem}_{next(self._names)}"

    def _create_schema(self) -> None:
        name = f"store_{next(_SCHEMAS)}"
        self.connection.execute(f"CREATE SCHEMA {name}; SET schema = '{name}'")
        weakref.finalize(self, _drop, self.connection, name)


def sql_text(text: str) -> str:
    """Quote a text as a string of SQL."""
    return "'" + text.replace("'", "''") + "'"


def enum_sql(names: Iterable[str]) -> str:
    """Return the SQL type of a column that has only the given values. SQL sorts the values in the given order."""
    return f"ENUM({', '.join(map(sql_text, names))})"


_SCHEMAS = count(1)
_shared_connections: "list[DuckDBPyConnection]" = []
_open_stores: "weakref.WeakSet[Store]" = weakref.WeakSet()


@atexit.register
def _close_connections() -> None:
    """Close all connections, because DuckDB prints errors for connections that are open when the interpreter ends."""
    _shared_connections.clear()
    for store in _open_stores:
        del store.connection


def _shared_database() -> "DuckDBPyConnection":
    """Return the database of all small runs of this process. A shared database is faster, because opening a database
    takes longer than computing a verdict."""
    if not _shared_connections:
        import duckdb

        folder = Path(tempfile.mkdtemp(prefix=f"{FOLDER}{os.getpid()}-"))
        _shared_connections.append(duckdb.connect(":memory:", config=_settings(folder)))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return _shared_connections[0]


def _drop(connection: "DuckDBPyConnection", schema: str) -> None:
    with suppress(Exception):  # the interpreter may be shutting down
        connection.execute(f"DROP SCHEMA {schema} CASCADE")
        connection.close()


def _open_large_database(owner: Store) -> "tuple[Path, DuckDBPyConnection]":
    """Open a database in a temporary file. DuckDB compresses the rows: 10 million rows need 35 MB."""
    import duckdb

    remove_left_behind()
    folder = Path(tempfile.mkdtemp(prefix=f"{FOLDER}{os.getpid()}-"))
    connection = duckdb.connect(":memory:", config=_settings(folder))
    connection.execute(f"ATTACH {sql_text(str(folder / 'requests.duckdb'))} AS requests; USE requests")
    weakref.finalize(owner, _remove, connection, folder)
    return folder, connection


def _settings(folder: Path) -> dict[str, Any]:
    return {
        "memory_limit": MEMORY,
        "threads": min(os.cpu_count() or 1, THREADS),
        "temp_directory": str(folder / "spilled"),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }


def _remove(connection: "DuckDBPyConnection", folder: Path) -> None:
    with suppress(Exception):
        connection.close()
    shutil.rmtree(folder, ignore_errors=True)


def remove_left_behind() -> None:
    """Remove the temporary files of processes that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER}*-*"):
        pid = folder.name.removeprefix(FOLDER).partition("-")[0]
        if pid.isdecimal() and not Path(f"/proc/{pid}").exists() and Path("/proc").exists():
            shutil.rmtree(folder, ignore_errors=True)
