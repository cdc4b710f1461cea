"""Tables of requests made of samples, and the samples in a table: figures ask requests only in a database."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from switchover.evidence.requests.columns import failure_sql
from switchover.evidence.requests.store import Arrays, Store
from switchover.evidence.requests.table import TYPES, Requests, concatenate, new_table
from switchover.evidence.run_data import RunData
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.run_directory import Run
from switchover.rundir.sample_log import Sample

_NONE = np.iinfo(np.int64).min
_DTYPES = {"BIGINT": np.int64, "BOOLEAN": np.bool_, "VARCHAR": np.object_}


def table_of(samples: Iterable[Sample], store: Store | None = None) -> Requests:
    table, rows = new_table(store or Store(), "requests"), list(samples)
    if rows:
        values = ", ".join(f"nullif({name}, {_NONE})" if name == "intended_us" else name for name in TYPES)
        insert(table.store, f"INSERT INTO {table.source} SELECT 0, {values} FROM given", _columns_of(rows))
    return table


def kind_of_failure(code: str, message: str) -> str:
    """Return the kind that the rules derive from a code and a message; empty if they derive none."""
    given = "(SELECT CAST(? AS VARCHAR) AS code, CAST(? AS VARCHAR) AS message)"
    return str(Store().row(f"SELECT {failure_sql('code', 'message')} FROM {given}", [code, message])[0])


def insert(store: Store, sql: str, given: Arrays) -> None:
    """Run a statement that selects from `given`."""
    store.connection.register("given", given)
    store.rows(sql)
    store.connection.unregister("given")


def tables_of(*populations: Iterable[Sample]) -> Requests:
    """All of them as one relation."""
    store = Store()
    return concatenate(*(table_of(one, store) for one in populations))


def samples_of(table: Requests) -> list[Sample]:
    """In the order of the log; their messages are empty."""
    return list(map(_sample, table.rows(f"SELECT {', '.join(TYPES)} FROM {{requests}} ORDER BY part, rowid")))


def run_data(run: Run, probes: Iterable[Sample] = (), samples: Iterable[Sample] = (), **facts: Any) -> RunData:
    store = Store()
    return RunData(run=run, probes=table_of(probes, store), samples=table_of(samples, store), **facts)


def changed(data: RunData, **changes: Any) -> RunData:
    """The same with other `probes` or `samples`, and other facts."""
    for name in changes.keys() & {"probes", "samples"}:
        changes[name] = table_of(changes[name], data.samples.store)
    return replace(data, **changes)


def _columns_of(samples: Sequence[Sample]) -> Arrays:
    columns: dict[str, Sequence[object]] = dict(zip(Sample._fields, zip(*samples, strict=True), strict=True))
    columns |= {
        "intended_us": [_NONE if sample.intended_us is None else sample.intended_us for sample in samples],
        "backend": [sample.identity.backend for sample in samples],
        "balancer": [sample.identity.balancer for sample in samples],
        "answered_by": [str(sample.identity.answered_by) for sample in samples],
        "error": [str(sample.error or "") for sample in samples],
    }
    return {name: np.array(columns[name], _DTYPES[kind]) for name, kind in TYPES.items()}


_ANSWERED_BY = {status.value: status for status in AnsweredBy}
_KINDS: dict[str, FailureKind | None] = {"": None, **{kind.value: kind for kind in FailureKind}}


def _sample(row: tuple[Any, ...]) -> Sample:
    values = dict(zip(TYPES, row, strict=True))
    identity = Identity(values.pop("backend"), values.pop("balancer"), _ANSWERED_BY[values.pop("answered_by")])
    values |= dict.fromkeys(("sent_bytes", "latency_us", "connect_us"), 0)
    return Sample(**values | {"error": _KINDS[values["error"]]}, message="", failure_message="", identity=identity)
