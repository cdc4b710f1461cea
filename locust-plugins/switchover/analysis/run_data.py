"""Everything that a run directory holds, read once; several parts of one run are one run."""

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from switchover.analysis.clock_jumps import Jump
from switchover.analysis.flaws import Flaw, flaw_of_damage, journal_flaws, log_flaws
from switchover.analysis.log_ledger import path_of
from switchover.analysis.logs.account import Account
from switchover.analysis.patient_rows import PatientRows, read_patient_rows
from switchover.analysis.requests.columns import REPEATED_HEADER, outcome_sql
from switchover.analysis.requests.files import FORMS, TEXT, stem_of, text_bytes
from switchover.analysis.requests.reader import HowToRead, read_logs
from switchover.analysis.requests.store import Store
from switchover.analysis.requests.table import TYPES, Requests, concatenate, with_paths
from switchover.analysis.silence import WindowEdges
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import Ignored
from switchover.rundir.journal import latest, read_record
from switchover.rundir.patient_log import PATIENT_FILE, TWIN_FILE
from switchover.rundir.points import Point
from switchover.rundir.run_directory import PROBES_FILE, RUN_FILE, VERDICT_JOURNAL, Run, read_run
from switchover.rundir.seal import Damage, Seal, find_damage, read_pieces, read_seals

ACCESS_PREFIX = "access-"
TABLES = (".csv", TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunData:
    """The analysis knows a run only as this."""

    run: Run
    probes: Requests
    samples: Requests
    """Both in one database."""
    points: Sequence[Point] = ()
    patient: PatientRows | None = None
    """What the load that feels changes has written; None: there was none."""
    twins: PatientRows | None = None
    """The same of its twins, which send again."""
    access: Mapping[str, Counter[str]] = field(default_factory=dict)
    """By backend: how many lines its access log has of each path."""
    balancer_logs: Mapping[str, Mapping[str, Counter[str]]] = field(default_factory=dict)
    """By log, and by server in it, how many answers it has of each path."""
    ignored: Mapping[str, int] = field(default_factory=dict)
    """Lines that could not be used, by reason."""
    unread: tuple[str, ...] = ()
    """Why its logs cannot be trusted: they are damaged, or too much of them was not understood."""
    lost_rows: Mapping[str, int] = field(default_factory=dict)
    """Rows that stood for a request and could not be read: of the `probes`, and of the `samples`."""
    jumps: tuple[Jump, ...] = ()
    """Where the clock of foreign logs was set back."""
    window: WindowEdges | None = None
    """The samples are a window of balancers' own logs; None: they are not."""
    missing: tuple[str, ...] = ()
    """Files that the run was to write and that are not here, or are tables without even a header."""
    flaws: tuple[Flaw, ...] = ()
    """Files that are not as the run left them."""
    unsealed: tuple[str, ...] = ()
    """Files of which nothing says whether they are as the run left them."""

    @property
    def requests(self) -> Requests:
        """The probes as part 0, then the samples."""
        return concatenate(self.probes, self.samples)

    @property
    def loads(self) -> Requests:
        """All that was asked beside the probes: the samples, and what the patient load and its twins asked."""
        felt = [rows.requests for rows in (self.patient, self.twins) if rows is not None]
        return concatenate(self.samples, *felt)

    def tables(self) -> Store:
        """A database in which `samples` and `probes` can be asked by SQL.

        Their columns are those of `TYPES`, and `outcome`: good, late, failed or unsent.
        """
        store, outcome = self.samples.store, outcome_sql(self.run.settings.late_us)
        for name, table in (("samples", self.samples), ("probes", self.probes)):
            store.rows(f"CREATE OR REPLACE VIEW {name} AS SELECT *, {outcome} AS outcome FROM {table.source}")
        return store


def load(directory: Path, *parts: Path, columns: Collection[str] = tuple(TYPES)) -> RunData:
    """Read a run directory, and with it the parts of the same run that other hosts kept.

    `columns`: what of each request will be asked for; `COUNTED` for a verdict. The URLs are read as well where access
    logs were kept, for these are compared by path.
    """
    directories = [directory, *parts]
    run = _run_of(directories)
    if run.fetched is not None:
        raise RunDirectoryError(
            f"{directory} was fetched from a database: no probe and no request is in it, so it can be shown "
            "('switchover report') and listed ('switchover history'), and not be judged"
        )
    account = Account()
    probe_files = _logs(directories, stem_of(Path(PROBES_FILE)))
    sample_files = _logs(directories, "samples*")
    store = Store(text_bytes([*probe_files, *sample_files]))
    patient_files, twin_files = (_files(directories, f"{Path(name).stem}*.jtl") for name in (PATIENT_FILE, TWIN_FILE))
    seals = seals_of(run)
    journals = [path for path in _files(directories, "journal*.lp") if path.name != VERDICT_JOURNAL]
    records = [read_record(path, seals.get(path.name, ()), account) for path in journals]
    access: dict[str, Counter[str]] = {}
    access_files = _files(directories, f"{ACCESS_PREFIX}*.csv")
    for path in access_files:
        backend = path.stem.removeprefix(ACCESS_PREFIX)
        access.setdefault(backend, Counter()).update(read_access_paths(path, run.plan.start_us or 0, account))
    if access:
        columns = with_paths(columns)
    how = HowToRead(seals=seals)
    tables = [*access_files, *patient_files, *twin_files]
    before_probes = count_lost_rows(account)
    probes = read_logs(store, "probe_rows", probe_files, account, how, columns)
    before_samples = count_lost_rows(account)
    samples = read_logs(store, "sample_rows", sample_files, account, how, columns)
    rows = {path.name: _count_rows(path) for path in access_files if path.name not in seals}
    if probe_files:
        rows[PROBES_FILE] = len(probes)
    lost_rows = {"probes": before_samples - before_probes, "samples": count_lost_rows(account) - before_samples}
    return RunData(
        run=run,
        probes=probes,
        samples=samples,
        patient=read_patient_rows(store, patient_files),
        twins=read_patient_rows(store, twin_files),
        points=latest(point for record in records for point in record.points),
        access=access,
        ignored=dict(account.reasons),
        unread=tuple(account.why_untrusted()),
        lost_rows=lost_rows,
        missing=tuple(name for name in dict.fromkeys((*run.parts, *seals)) if not _written(directories, name)),
        flaws=(
            *journal_flaws(run, records),
            *map(flaw_of_damage, [*account.broken_seals, *_damage_of(tables, seals)]),
            *log_flaws(run, seals, rows),
        ),
        unsealed=tuple(_unsealed([*tables, *journals, *probe_files, *sample_files], seals)),
    )


def seals_of(run: Run) -> dict[str, list[Seal]]:
    """By the name of the file."""
    try:
        return {name: read_seals(stretches) for name, stretches in run.seals.items()}
    except ValueError as error:
        raise RunDirectoryError(f"the seals in {RUN_FILE} of run {run.id} cannot be read: {error}") from error


def _damage_of(paths: Sequence[Path], seals: Mapping[str, Sequence[Seal]]) -> Iterator[Damage]:
    for path in paths:
        if path.name in seals:
            damage = find_damage(path.name, read_pieces(path), seals[path.name], may_grow=False)
            if damage is not None:
                yield damage


def _unsealed(paths: Sequence[Path], seals: Mapping[str, Sequence[Seal]]) -> list[str]:
    """The seal of a log of any form is that of its text."""
    return [path.name for path in paths if path.name not in seals and stem_of(path) + TEXT not in seals]


def count_lost_rows(ignored: Ignored) -> int:
    """Rows that stood for a request; a header in the middle of a log stands for none."""
    return ignored.total - ignored.reasons[REPEATED_HEADER]


def _run_of(directories: Sequence[Path]) -> Run:
    """The one run that all parts belong to; not every part has to hold its description."""
    described = [path for path in directories if (path / RUN_FILE).exists()]
    if not described:
        return read_run(directories[0])
    run = read_run(described[0])
    for path in described[1:]:
        other = read_run(path)
        if other.id != run.id:
            raise RunDirectoryError(f"{path} is run {other.id}, {described[0]} is run {run.id}: not parts of one run")
    return run


def read_access_paths(path: Path, start_us: int, ignored: Ignored) -> Counter[str]:
    """How many lines of a kept access log asked for each path, queries left out. Strangers wrote them.

    A server may write a line a moment after the answer has gone, so a request that was made to get ready may turn up
    in the log of the run: what is older than the run is left out, as exactly as the log tells the time.
    """
    try:
        with path.open(encoding="utf-8", newline="", errors="replace") as file:
            lines = list(_access_lines(path, file, ignored))
    except OSError as error:
        raise RunDirectoryError(f"cannot read {path}: {error.strerror}") from error
    whole_seconds = len({time_us % 1_000_000 for time_us, _ in lines}) <= 1
    latest_us = 1_000_000 if whole_seconds else 0
    return Counter(asked for time_us, asked in lines if time_us + latest_us >= start_us)


def _count_rows(path: Path) -> int:
    """Of a table, without its header; what is no row counts as one."""
    with path.open(encoding="utf-8", newline="", errors="replace") as file:
        return sum(1 for _ in csv.reader(line.replace("\0", "") for line in file)) - 1


def _access_lines(path: Path, file: TextIO, ignored: Ignored) -> Iterator[tuple[int, str]]:
    """When, and for which path. What the lines say was written by strangers."""
    rows = csv.reader(file)
    try:
        header = next(rows, [])
        at, asked = header.index("time_us"), header.index("path")
    except (csv.Error, ValueError) as error:
        raise RunDirectoryError(f"{path} is no access log as a run keeps it: {error}") from error
    while True:
        try:
            row = next(rows)
            yield int(row[at]), path_of(row[asked])
        except StopIteration:
            return
        except (csv.Error, IndexError, ValueError):
            ignored.add("a line of an access log cannot be read")


def _files(directories: Iterable[Path], pattern: str) -> list[Path]:
    """Matching files of all parts, each once even if a directory is named twice."""
    found = {path.resolve(): path for directory in directories for path in sorted(directory.glob(pattern))}
    return [path for path in found.values() if not _never_begun(path)]


def _logs(directories: Sequence[Path], pattern: str) -> list[Path]:
    """The sample logs of all parts, each in the first of the forms in which it is here."""
    found: dict[tuple[Path, str], Path] = {}
    for form in FORMS:
        for path in _files(directories, pattern + form):
            found.setdefault((path.parent.resolve(), stem_of(path)), path)
    return sorted(found.values(), key=lambda path: (path.parent, stem_of(path)))


def _written(directories: Sequence[Path], name: str) -> bool:
    is_log = name.endswith(TEXT)
    return bool(_logs(directories, stem_of(Path(name))) if is_log else _files(directories, name))


def _never_begun(path: Path) -> bool:
    """A table has its header from the first moment on: an empty one never found room on the disk."""
    return path.suffix in TABLES and path.exists() and not path.stat().st_size
