"""The content of a run directory, and of the parts of the same run from other hosts."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from switchover.evidence.access_paths import read_access_logs
from switchover.evidence.flaws import Flaw, find_flaws
from switchover.evidence.held_rows import HeldRows, read_held_rows
from switchover.evidence.logs.format import Account
from switchover.evidence.requests.columns import REPEATED_HEADER, outcome_sql
from switchover.evidence.requests.files import text_bytes
from switchover.evidence.requests.reader import HowToRead, read_logs
from switchover.evidence.requests.store import Store
from switchover.evidence.requests.table import TYPES, Requests, concatenate
from switchover.evidence.run_files import find_files, find_missing, seals_of
from switchover.model.errors import RunDirectoryError
from switchover.model.interval import Span
from switchover.rundir.damaged_lines import Ignored
from switchover.rundir.journal import latest, read_record
from switchover.rundir.measurements import HAPROXY
from switchover.rundir.points import Point
from switchover.rundir.run_directory import PROBES_FILE, RUN_FILE, Run, read_run
from switchover.rundir.seal import is_as_sealed


@dataclass(frozen=True, slots=True)
class LogScope:
    """The requests that are judged together."""

    files: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """For each file that is judged separately, its values of `part` in the table of requests. Empty: all parts are
    judged together."""
    bound_us: int = 0
    """The largest difference, in microseconds, between the clocks of the files that are judged together."""
    by_label: bool = False
    """True if each label is measured separately, in addition to all requests."""
    window: Span | None = None
    """The period that the log covers. None: the period from the first request to the last request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunData:
    """The data of a run, the only input of figures and verdict."""

    run: Run
    probes: Requests
    samples: Requests
    """The samples of the load, in the same database as the probes."""
    points: Sequence[Point] = ()
    connections: HeldRows | None = None
    """The rows of the held connections; None if the run had no held connections."""
    retrying_clients: HeldRows | None = None
    """The rows of the retrying clients; None if the run had no retrying clients."""
    access: Mapping[str, Counter[str]] = field(default_factory=dict)
    """For each backend, the number of access log lines for each path."""
    ignored: Mapping[str, int] = field(default_factory=dict)
    """The number of ignored lines for each reason."""
    unread: tuple[str, ...] = ()
    """The reasons why the logs are not reliable: damage, or too many unreadable bytes."""
    lost_rows: Mapping[str, int] = field(default_factory=dict)
    """The number of unreadable rows in the logs; the keys are `probes` and `samples`."""
    scope: LogScope = field(default_factory=LogScope)
    """In a run without probes, the samples that are judged together."""
    missing: tuple[str, ...] = ()
    """Files that the run should have written, but that are missing or have no header."""
    flaws: tuple[Flaw, ...] = ()
    """Files that are damaged, or changed after the run."""
    unsealed: tuple[str, ...] = ()
    """Files without a seal (a checksum). A change to such a file after the run is not detected."""

    @property
    def requests(self) -> Requests:
        """All requests in one relation: the probes have `part` 0, and the samples have `part` 1."""
        return concatenate(self.probes, self.samples)

    @property
    def loads(self) -> Requests:
        """All requests except the probes: samples, and requests of held connections and of retrying clients."""
        other_loads = [rows.requests for rows in (self.connections, self.retrying_clients) if rows is not None]
        return concatenate(self.samples, *other_loads)

    def tables(self) -> Store:
        """Return a database with the tables `samples` and `probes`, which have a column `outcome`."""
        store, outcome = self.samples.store, outcome_sql(self.run.settings.late_us)
        for name, table in (("samples", self.samples), ("probes", self.probes)):
            store.rows(f"CREATE OR REPLACE VIEW {name} AS SELECT *, {outcome} AS outcome FROM {table.source}")
        return store


def load(directory: Path, *parts: Path, columns: Collection[str] = tuple(TYPES)) -> RunData:
    """Read a run directory, and the parts of the same run from other hosts. `columns`: the request columns to read.
    If there are access logs, `url` is read too. A verdict needs the columns `COUNTED`."""
    directories = [directory, *parts]
    run = _run_of(directories)
    account, seals, all_files = Account(), seals_of(run), find_files(directories)
    damaged = [
        path
        for path in all_files.tables
        if (sealed := seals.get(path.name)) and not is_as_sealed(path, sealed, may_grow=False)
    ]
    files = all_files.without(damaged)
    account.damaged += [path.name for path in damaged]
    records = [read_record(path, seals.get(path.name, ()), account) for path in files.journals]
    access = read_access_logs(files.access, run.plan.start_us or 0, account)
    how = HowToRead(seals=seals, aliases=run.target.aliases)
    columns = dict.fromkeys((*columns, "url")) if access else columns
    store = Store(text_bytes([*files.probes, *files.samples]))
    before_probes = count_lost_rows(account)
    probes = read_logs(store, "probe_rows", files.probes, account, how, columns)
    before_samples = count_lost_rows(account)
    samples = read_logs(store, "sample_rows", files.samples, account, how, columns)
    rows = len(probes) if files.probes and PROBES_FILE not in seals else None
    connections, retrying_clients = (
        read_held_rows(store, paths) for paths in (files.connections, files.retrying_clients)
    )
    return RunData(
        run=run,
        probes=probes,
        samples=samples,
        connections=connections,
        retrying_clients=retrying_clients,
        points=rename_servers(latest(point for record in records for point in record.points), run.target.aliases),
        access=access,
        ignored=dict(account.reasons),
        unread=(
            *account.why_invalid(),
            *(text for rows in (connections, retrying_clients) if rows for text in rows.damage),
        ),
        lost_rows={"probes": before_samples - before_probes, "samples": count_lost_rows(account) - before_samples},
        missing=find_missing(directories, (*run.parts, *seals)),
        flaws=find_flaws(run, records, account.damaged, rows),
        unsealed=files.unsealed(seals),
        scope=LogScope(bound_us=max((worker.bound_us or 0 for worker in run.workers), default=0)),
    )


def rename_servers(points: Sequence[Point], aliases: Mapping[str, str]) -> Sequence[Point]:
    """Replace HAProxy's names of servers with the names in samples and access logs."""
    if not aliases:
        return points
    return [
        replace(point, tags={**point.tags, "server": aliases[point.tags["server"]]})
        if point.measurement == HAPROXY and point.tags.get("server") in aliases
        else point
        for point in points
    ]


def count_lost_rows(ignored: Ignored) -> int:
    """Return the number of ignored rows. Repeated headers are not counted."""
    return ignored.total - ignored.reasons[REPEATED_HEADER]


def _run_of(directories: Sequence[Path]) -> Run:
    """Return the run to which all parts belong. At least one part must have a run.json."""
    described = [path for path in directories if (path / RUN_FILE).exists()]
    if not described:
        return read_run(directories[0])
    run = read_run(described[0])
    for path in described[1:]:
        other = read_run(path)
        if other.id != run.id:
            raise RunDirectoryError(f"{path} belongs to run {other.id}, but {described[0]} belongs to run {run.id}")
    return run
