"""Columns of few names, such as labels and backends, kept as numbers: half the room, a fifth of the time to count.

Which names there are is looked up at some places of a log before it is read. A name that is found only later is kept
as text beside its column until all logs have been read, and then becomes one of them.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.analysis.requests.columns import kind_of
from switchover.analysis.requests.jtl import Layout
from switchover.analysis.requests.store import Store, enum_sql, sql_text

SOURCES = {
    "label": "label", "code": "responseCode", "thread": "threadName", "backend": "backend", "balancer": "balancer",
    "session": "session",
}  # fmt: skip
"""By column of the table that of the log."""
FROM_BYTES = 8 << 20
"""Of smaller logs all columns stay text: to look for names would take longer than to read them."""
MOST = 1000
"""A column with more names stays text."""
FEW = 8
"""To compare a text with so many names one by one takes less time than to look it up among them."""
PLACES = 32
PLACE_BYTES = 1 << 16


@dataclass(slots=True)
class FewNames:
    """`names`: by column, in order, so that they sort as texts do. All other columns are text."""

    names: dict[str, list[str]] = field(default_factory=dict)

    def select(self, source: str, columns: Iterable[str]) -> str:
        """SQL: these columns and the `reason` from a source that has them as texts. Names that are not known stand in
        `others`, in the order of `names`."""
        chosen = [f"named_{column} AS {column}" if column in self.names else column for column in columns]
        if not self.names:
            return f"SELECT {', '.join(chosen)}, reason FROM ({source})"
        read = ", ".join(f"{_number_sql(column, names)} AS named_{column}" for column, names in self.names.items())
        unknown = " OR ".join(f"named_{column} IS NULL" for column in self.names)
        chosen.append(f"CASE WHEN {unknown} THEN [{', '.join(self.names)}] END AS others")
        return f"SELECT {', '.join(chosen)}, reason FROM (SELECT *, {read} FROM ({source}))"

    def declare(self, columns: Iterable[str]) -> str:
        """SQL: the columns of `select` with their types, as a table has them that rows go into."""
        kinds = {name: enum_sql(self.names[name]) if name in self.names else kind_of(name) for name in columns}
        if self.names:
            kinds["others"] = "VARCHAR[]"
        kinds["reason"] = "VARCHAR"
        return ", ".join(f"{name} {kind}" for name, kind in kinds.items())

    def settle(self, store: Store, table: str) -> None:
        """When all logs have been read: what was kept beside the columns becomes part of them."""
        if not self.names:
            return
        (late,) = store.row(f"SELECT count(others) FROM {table}")
        for place, column in enumerate(self.names, start=1) if late else ():
            others = store.rows(
                f"SELECT DISTINCT others[{place}] FROM {table} WHERE others IS NOT NULL AND {column} IS NULL "
                f"LIMIT {MOST + 1}"
            )
            if others:
                names = {*self.names[column], *(name for (name,) in others)}
                kind = "VARCHAR" if len(others) > MOST else enum_sql(sorted(names))
                text = f"coalesce(CAST({column} AS VARCHAR), others[{place}])"
                # Rows that were left out may have further names, and are converted, too.
                store.rows(f"ALTER TABLE {table} ALTER {column} TYPE {kind} USING try_cast({text} AS {kind})")
        store.rows(f"ALTER TABLE {table} DROP COLUMN others")

    def text_sql(self, column: str) -> str:
        """SQL: the text of a column while logs are read."""
        if column not in self.names:
            return column
        return f"coalesce(CAST({column} AS VARCHAR), others[{list(self.names).index(column) + 1}])"


def find_names(path: Path, layout: Layout, columns: Collection[str], more: Collection[str] = ()) -> FewNames:
    """In a log as text. `more`: names that the columns will have besides."""
    places = {
        column: layout.header.index(source)
        for column, source in SOURCES.items()
        if column in columns and source in layout.header
    }
    found: dict[str, set[str]] = {column: set() for column in places}
    for fields in _rows_of(path, layout):
        for column, place in places.items():
            found[column].add(fields[place].strip('"'))
    names = {column: sorted({"", *more, *values}) for column, values in found.items() if len(values) <= MOST}
    return FewNames(names)


def names_among(requests: Sequence[LoggedRequest], columns: Collection[str], more: Collection[str] = ()) -> FewNames:
    """In the first requests of a log that another program wrote."""
    found = {
        "label": {one.label for one in requests},
        "code": {one.code for one in requests},
        "thread": {one.thread for one in requests},
        "backend": {one.identity.backend for one in requests},
        "balancer": {one.identity.balancer for one in requests},
    }
    return FewNames(
        {
            column: sorted({"", *more, *values})
            for column, values in found.items()
            if column in columns and len(values) <= MOST
        }
    )


def _rows_of(path: Path, layout: Layout) -> Iterator[list[str]]:
    """Of a few places in the log, from its beginning to its end. A name that quotes hold has none here."""
    width = len(layout.header)
    size = path.stat().st_size
    with path.open("rb") as file:
        for number in range(PLACES):
            file.seek(max(layout.offset, size * number // PLACES))
            lines = file.read(PLACE_BYTES).decode("utf-8", "replace").split("\n")
            for line in lines[1:-1]:
                fields = line.split(layout.delimiter)
                if len(fields) == width:
                    yield fields


def _number_sql(column: str, names: Collection[str]) -> str:
    """The number of a text; NULL where it is none of the names."""
    kind = enum_sql(names)
    if len(names) > FEW:
        return f"try_cast({column} AS {kind})"
    whens = " ".join(f"WHEN {text} THEN CAST({text} AS {kind})" for text in map(sql_text, names))
    return f"CASE {column} {whens} END"
