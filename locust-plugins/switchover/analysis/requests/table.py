"""One population of requests (the samples of a load, or the probes) as a table that SQL can ask."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, overload

import numpy as np

from switchover.analysis.requests.store import Arrays, Store, sql_text
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.sample_log import Sample

TYPES: Mapping[str, str] = {
    "start_us": "BIGINT",
    "end_us": "BIGINT",
    "intended_us": "BIGINT",
    "label": "VARCHAR",
    "code": "VARCHAR",
    "thread": "VARCHAR",
    "success": "BOOLEAN",
    "backend": "VARCHAR",
    "balancer": "VARCHAR",
    "answered_by": "VARCHAR",
    "error": "VARCHAR",
    "attempts": "BIGINT",
    "stream": "VARCHAR",
    "session": "VARCHAR",
    "users": "BIGINT",
    "nbytes": "BIGINT",
    "sent_bytes": "BIGINT",
    "latency_us": "BIGINT",
    "connect_us": "BIGINT",
    "url": "VARCHAR",
}
"""The columns of the table: what figures are made of. Messages are not, and are left in the file."""

NOT_COUNTED = ("users", "nbytes", "sent_bytes", "latency_us", "connect_us", "url")
COUNTED = tuple(name for name in TYPES if name not in NOT_COUNTED)
"""The columns that a verdict is made of. Reading all would take about a fifth longer."""
OF_A_LOG = (*(name for name in COUNTED if name != "code"), "users")
"""Those of a log alone: only counters and logs of a run's backends are compared with codes, and only a log has no
points that say how many users there were."""

BLOCK = 10_000
"""Rows that are turned into samples, or back, at a time."""


class Requests(Sequence[Sample]):
    """Rows of one relation: `source` stands behind FROM. In the order of the log: `part`, then `rowid`.

    With all `columns` it is also a sequence of its samples (their messages are empty). Figures ask it in SQL.
    """

    def __init__(self, store: Store, source: str, columns: Iterable[str] = TYPES) -> None:
        self.store = store
        self.source = source
        self.columns = tuple(columns)
        self._length: int | None = None

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """What a query finds; `{requests}` in it stands for the relation."""
        return self.store.rows(sql.replace("{requests}", self.source), parameters)

    def row(self, sql: str, parameters: Sequence[object] = ()) -> tuple[Any, ...]:
        return self.store.row(sql.replace("{requests}", self.source), parameters)

    def arrays(self, sql: str, parameters: Sequence[object] = ()) -> Arrays:
        return self.store.arrays(sql.replace("{requests}", self.source), parameters)

    def count(self, condition: object = "true", parameters: Sequence[object] = ()) -> int:
        """How many rows meet a condition."""
        (found,) = self.row(f"SELECT count(*) FILTER (WHERE {condition}) FROM {{requests}}", parameters)
        return int(found)

    def __len__(self) -> int:
        if self._length is None:
            (self._length,) = self.row("SELECT count(*) FROM {requests}")
        return int(self._length)

    @overload
    def __getitem__(self, index: int) -> Sample: ...

    @overload
    def __getitem__(self, index: slice) -> list[Sample]: ...

    def __getitem__(self, index: int | slice) -> Sample | list[Sample]:
        if isinstance(index, slice):
            return list(self)[index]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        return sample_of(self.row(f"{self._in_order()} LIMIT 1 OFFSET {place}"))

    def __iter__(self) -> Iterator[Sample]:
        # Pages, not one open result: a connection has but one at a time.
        for offset in range(0, len(self), BLOCK):
            yield from map(sample_of, self.rows(f"{self._in_order()} LIMIT {BLOCK} OFFSET {offset}"))

    def _in_order(self) -> str:
        return f"SELECT {', '.join(TYPES)} FROM {{requests}} ORDER BY part, rowid"


def sample_of(row: tuple[Any, ...]) -> Sample:
    """A row of the table as a sample."""
    values = dict(zip(TYPES, row, strict=True))
    error = values.pop("error")
    identity = Identity(values.pop("backend"), values.pop("balancer"), AnsweredBy(values.pop("answered_by")))
    kind = FailureKind(error) if error else None
    return Sample(**values, message="", failure_message="", identity=identity, error=kind)


def requests_of(samples: Iterable[Sample], store: Store | None = None) -> Requests:
    """What is a table already as it is; anything else as a new one."""
    if isinstance(samples, Requests) and store in (None, samples.store):
        return samples
    return _tabulated(samples, Store() if store is None else store)


def concatenate(*populations: Iterable[Sample]) -> Requests:
    """All of them as one relation, in this order; `part` is the number of the population."""
    known = next((one for one in populations if isinstance(one, Requests)), None)
    store = Store() if known is None else known.store
    tables = [requests_of(one, store) for one in populations]
    columns = [name for name in TYPES if all(name in table.columns for table in tables)]
    named = ", ".join(columns)
    # Without those that are empty: a union would have the others' names as texts.
    filled = [number for number, table in enumerate(tables) if table] or [0]
    parts = [f"SELECT {number} AS part, rowid, {named} FROM {tables[number].source}" for number in filled]
    return Requests(store, f"({' UNION ALL '.join(parts)})", columns)


def new_table(store: Store, name: str) -> None:
    columns = ", ".join(f"{column} {kind}" for column, kind in TYPES.items())
    store.rows(f"CREATE OR REPLACE TABLE {name} (part INTEGER, {columns})")


def _tabulated(samples: Iterable[Sample], store: Store) -> Requests:
    name = store.new_name("requests")
    new_table(store, name)
    values = ", ".join(f"nullif({column}, {_NONE})" if column == "intended_us" else column for column in TYPES)
    rows = iter(samples)
    while block := list(islice(rows, BLOCK)):
        store.insert(f"INSERT INTO {name} SELECT 0, {values} FROM given", _columns_of(block))
    return Requests(store, name)


_NONE = np.iinfo(np.int64).min
_DTYPES = {"BIGINT": np.int64, "BOOLEAN": np.bool_, "VARCHAR": np.object_}


def _columns_of(samples: Sequence[Sample]) -> Arrays:
    columns: dict[str, list[object]] = {
        name: [getattr(sample, name) for sample in samples] for name in TYPES if name in Sample._fields
    }
    columns |= {
        "intended_us": [_NONE if sample.intended_us is None else sample.intended_us for sample in samples],
        "backend": [sample.identity.backend for sample in samples],
        "balancer": [sample.identity.balancer for sample in samples],
        "answered_by": [str(sample.identity.answered_by) for sample in samples],
        "error": [str(sample.error or "") for sample in samples],
    }
    return {name: np.array(columns[name], _DTYPES[kind]) for name, kind in TYPES.items()}


def with_paths(columns: Collection[str]) -> tuple[str, ...]:
    """These columns and the URLs: the log of a backend or a balancer is compared by the paths that were asked for."""
    return tuple(name for name in TYPES if name in columns or name == "url")


def sql_list(names: Iterable[str]) -> str:
    """As SQL has it behind IN."""
    return "(" + ", ".join(sql_text(name) for name in sorted(names)) + ")"
