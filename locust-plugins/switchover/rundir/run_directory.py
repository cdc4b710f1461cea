"""The run directory: the folder of one run, and `run.json`, which describes the run."""

import json
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from msgspec import ValidationError, convert

from switchover.model.errors import RunDirectoryError
from switchover.rundir.atomic_file import read_whole, whole_file, write_whole
from switchover.rundir.former_names import renewed
from switchover.rundir.run_records import (
    ClockReading,
    HeldAccount,
    Number,
    ProbeAccount,
    RunRecord,
    RunSettings,
    TargetFacts,
    Whole,
    WorkerFacts,
)
from switchover.rundir.seal import Seals

SCHEMA = 2
RUN_FILE = "run.json"
VERDICT_FILE = "verdict.json"
JUNIT_FILE = "junit.xml"
PAGE_FILE = "report.html"
PROBES_FILE = "probes.jtl"
JOURNAL_FILE = "journal.lp"
"""The journal of the controller of the run; its last point is an event."""
PROBER_JOURNAL = "journal-prober.lp"
LOCUST_JOURNAL, JMETER_JOURNAL = "journal-locust.lp", "journal-jmeter.lp"
VERDICT_JOURNAL = "journal-verdict.lp"
"""The verdict as points for a database. Each report writes this file again, so the file is no evidence."""


@dataclass(slots=True, kw_only=True)
class Plan:
    """Times of a run in microseconds since the epoch on the run's clock. None: the event did not happen."""

    start_us: Whole | None = None
    fired_from_us: Whole | None = None
    fired_to_us: Whole | None = None
    """The fault happened between `fired_from_us` and this time."""
    confirmed_us: Whole | None = None
    """The time when the fault was proved. None: the fault may not have happened."""
    heal_from_us: Whole | None = None
    heal_to_us: Whole | None = None
    healed_us: Whole | None = None
    """The time when the heal was verified from the state of the node."""
    end_us: Whole | None = None
    """The end of the run. The last scheduled probe was due before this time."""
    changes: list[dict[str, Any]] = field(default_factory=list)
    """Each change as in `ChangeRun`, in the order of time. Absent if no change was planned."""

    @property
    def made_changes(self) -> "list[ChangeRun]":
        return convert(self.changes, list[ChangeRun])

    @property
    def healed_in_time_us(self) -> int | None:
        """Return the start of the heal. None: there was no heal before the end of the run, so no failback is
        measured."""
        if self.heal_from_us is None or (self.end_us is not None and self.heal_from_us >= self.end_us):
            return None
        return self.heal_from_us


@dataclass(slots=True, kw_only=True)
class ChangeRun:
    """One change of a run. Times are microseconds since the epoch on the run's clock."""

    number: int
    from_us: Whole | None = None
    to_us: Whole | None = None
    confirmed_us: Whole | None = None
    settled_us: Whole | None = None
    """The time when the last old balancer process had ended; for a change with an undo, when the master had the
    address after the undo. None: the change did not settle."""
    lingering: list[str] = field(default_factory=list)
    """Old balancer processes that still had held connections when the next change was due."""
    exposed: dict[str, int] = field(default_factory=dict)
    """The number of held connections of each kind that were open directly before the change."""
    undo_from_us: Whole | None = None
    undo_to_us: Whole | None = None
    undone_us: Whole | None = None
    """The time when the undo was verified. None: not verified, or no undo."""
    error: str | None = None


EXTERNAL = "external"
"""The name and the kind of a fault that a person or another program fires and heals."""


@dataclass(slots=True)
class FaultRun:
    """The fault of this run: its name, its victim, and its predicted outage."""

    name: str
    kind: str
    """`master`, `backend`, `external`, or `none`."""
    master: str | None = None
    backup: str | None = None
    victim: str | None = None
    master_source: str | None = None
    """The kind of evidence that identified the master: header, neighbour, source or counters."""
    predict_low_ms: Number | None = None
    predict_high_ms: Number | None = None
    predict_reason: str = ""
    uniform: bool = False
    """True if theory predicts that kills at random times cause outages that are uniformly distributed between the
    predicted bounds."""
    failback_low_ms: Number | None = None
    failback_high_ms: Number | None = None
    failback_settled_ms: Number | None = None
    """The predicted time from the heal until the master has the address again. None: unknown, or the address does not
    return."""
    sources: list[str] = field(default_factory=list)
    """Sources that can confirm the fault without its commands: generation, frontend, server, owner, scrapes."""
    error: str | None = None
    """The reason why the fault did not happen as planned. None: the fault happened as planned."""


PhaseToCut = Literal["hold", "recover"]


@dataclass(frozen=True, slots=True)
class CutPhase:
    """A phase that was too short for the predicted outage and the stability window."""

    phase: PhaseToCut
    lasted_s: Number
    needed_s: Number
    chosen: bool
    """True if the user set the length of the phase with an option."""

    @property
    def text(self) -> str:
        lasted = f"--{self.phase} {self.lasted_s:g}" if self.chosen else f"{self.phase} {self.lasted_s:.1f}"
        return f"{lasted} s is shorter than the {self.needed_s:g} s that a stability window needs"


@dataclass(slots=True)
class Run:
    """The content of `run.json`."""

    id: str
    name: str
    schema: int = SCHEMA
    versions: dict[str, str] = field(default_factory=dict)
    command: list[str] = field(default_factory=list)
    target: TargetFacts = field(default_factory=TargetFacts)
    settings: RunSettings = field(default_factory=RunSettings)
    seed: int | None = None
    plan: Plan = field(default_factory=Plan)
    fault: FaultRun | None = None
    clocks: list[ClockReading] = field(default_factory=list)
    generator: ProbeAccount = field(default_factory=ProbeAccount)
    access_logs: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The new lines in the access log of each node: {lines, by_status, warning}. null: unknown."""
    routes: dict[str, dict[str, Any]] | None = None
    """Routes of each balancer before and after the measurement: {before, after}. Absent if the target file has no
    source for routes."""
    workers: list[WorkerFacts] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    """Files that other processes and hosts must write. The report lists the files that are missing."""
    warnings: list[str] = field(default_factory=list)
    stopped: str = ""
    """The reason why the run was stopped before its planned end; empty if it was not stopped."""
    dry_run: bool = False
    truncated: list[CutPhase] = field(default_factory=list)
    seals: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The length and checksum of each file, as in `Seal`. Killed writers and earlier versions leave no seal."""
    change: FaultRun | None = None
    """The change that the run repeats, described as a fault. Absent if no change was planned."""
    connections: HeldAccount | None = None
    """The account of the held connections and of the retrying clients. Absent if the run had no held connections."""
    streaming: dict[str, Any] | None = None
    """The state of the streaming when the run ended: {to, points, refused, left, why}. Absent without a database."""

    def record_error(self, error: str) -> None:
        """Record an error of the fault, unless an earlier error is recorded."""
        if self.fault is not None:
            self.fault.error = self.fault.error or error

    def add_seals(self, seals: Seals) -> None:
        """Add the seals of a writer that closed its files, after the seals of earlier writers."""
        for name, added in seals.items():
            self.seals.setdefault(name, []).extend(added)

    def take_seals(self, account: Mapping[str, Any]) -> dict[str, Any]:
        """Move the seals in the account of a measuring process to the run. Return the rest of the account."""
        rest = dict(account)
        self.add_seals(rest.pop("seals", None) or {})
        return rest

    def record_stop(self, why: str) -> None:
        """Record the reason why the run was stopped before its end, unless an earlier reason is recorded."""
        self.stopped = self.stopped or why

    @property
    def fired_fault(self) -> FaultRun | None:
        """Return the fault that was fired, or None. A fault of the kind `none` was not fired, and only divides the
        run into phases."""
        is_fired = self.fault is not None and self.fault.kind != "none" and self.plan.fired_from_us is not None
        return self.fault if is_fired else None

    @property
    def keeps_connections(self) -> bool:
        """Return True if the run had held connections or changes. In such a run, old balancer processes continue to
        serve."""
        return bool(self.plan.changes) or self.connections is not None


def run_id(name: str) -> str:
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "run"
    return f"{stamp}-{safe}"[:100]


def create_run_directory(parent: Path, identifier: str) -> Path:
    """Create a new folder in `parent`. A number makes its name unique."""
    directory, number = parent / identifier, 1
    while True:
        try:
            directory.mkdir(parents=True)
            return directory
        except FileExistsError:
            number += 1
            directory = parent / f"{identifier}-{number}"
        except OSError as error:
            raise RunDirectoryError(f"cannot create run directory {directory}: {error.strerror}") from error


def write_json(path: Path, value: Any) -> None:
    # A lone surrogate (a byte of a file name that is not UTF-8) becomes its own JSON escape.
    with whole_file(path, errors="backslashreplace") as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")


_CHECKSUM = re.compile(rb',\s*"checksum": "([0-9a-f]{8})"\s*}\s*\Z')
"""The last field of run.json: the CRC-32 of all text before this field."""


def write_run(directory: Path, run: Run) -> None:
    """Write run.json with a checksum as its last field. Without a checksum, a damaged digit could change figures
    without a warning."""
    write_whole(directory / RUN_FILE, with_checksum(run_json(run)))


def run_json(run: Run) -> dict[str, Any]:
    """Return the JSON value of a run."""
    values = {run_field.name: _as_written(getattr(run, run_field.name)) for run_field in fields(run)}
    if not run.plan.changes:
        del values["plan"]["changes"]
    optional = ("routes", "change", "connections", "streaming")
    return {name: value for name, value in values.items() if value is not None or name not in optional}


def _as_written(value: Any) -> Any:
    if isinstance(value, RunRecord):
        return value.written
    if isinstance(value, list):
        return [_as_written(item) for item in value]
    return asdict(value) if isinstance(value, Plan | FaultRun | CutPhase) else value


_OPEN: Mapping[str, type[RunRecord]] = {
    "target": TargetFacts,
    "settings": RunSettings,
    "generator": ProbeAccount,
    "connections": HeldAccount,
    "workers": WorkerFacts,
    "clocks": ClockReading,
}


def run_of(values: Mapping[str, Any]) -> Run:
    """Return the run that a run.json describes. Raises ValidationError or ValueError."""
    if "plan" not in values:
        raise ValueError("plan is missing")
    if values.get("schema", SCHEMA) != SCHEMA:
        raise ValueError(f"it has schema {values['schema']}: another version of switchover wrote it")
    run = convert(values, Run)
    _ = run.plan.made_changes
    for name, kind in _OPEN.items():
        part = values.get(name)
        if part is not None:
            setattr(run, name, [kind.of(item) for item in part] if isinstance(part, list) else kind.of(part))
    return run


def with_checksum(values: dict[str, Any]) -> bytes:
    text = json.dumps(values, indent=2, ensure_ascii=False).removesuffix("\n}").encode(errors="backslashreplace")
    return text + b',\n  "checksum": "%08x"\n}\n' % zlib.crc32(text)


def is_as_written(text: bytes) -> bool:
    """Return True if a run.json matches its checksum, or if an older version wrote it without a checksum."""
    checksum = _CHECKSUM.search(text)
    if checksum is None:
        return b'"seals"' not in text
    return zlib.crc32(text[: checksum.start()]) == int(checksum[1], 16)


def read_run(directory: Path, *, as_written: bool = True) -> Run:
    """Read a run. With `as_written=False`, a run.json that does not match its checksum is also read."""
    path = directory / RUN_FILE
    try:
        text = read_whole(path)
        if as_written and not is_as_written(text):
            raise RunDirectoryError(
                f"{path} is damaged, or was edited: its text does not match the checksum that the run wrote"
            )
        values = json.loads(text)
        values.pop("checksum", None)
        values = renewed(values, SCHEMA, without=1)
        if values.get("fetched"):
            raise RunDirectoryError(
                f"{directory} cannot be judged: an earlier version made it from the points of a database, without "
                f"requests. {VERDICT_FILE} has its figures"
            )
        return run_of(values)
    except FileNotFoundError as error:
        raise RunDirectoryError(f"{directory} is not a run directory: it has no {RUN_FILE}") from error
    except OSError as error:
        raise RunDirectoryError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, TypeError, AttributeError, ValidationError) as error:
        raise RunDirectoryError(f"{path} is not a run description of schema {SCHEMA}: {error}") from error


@dataclass(slots=True)
class CurrentRun:
    """The run that is being measured. `save` writes run.json after each event."""

    directory: Path
    run: Run
    note: Callable[[str], None]
    unsaved: str | None = None
    """The reason why run.json could not be written; None: run.json is up to date."""

    @contextmanager
    def saved(self) -> Iterator[None]:
        """Write run.json before and after the block. Raises RunDirectoryError only before the block."""
        write_run(self.directory, self.run)
        try:
            yield
        finally:
            self.save()

    def save(self) -> None:
        """Write run.json. A failure is only a warning, because a full disk must not end a run whose fault has
        fired."""
        try:
            write_run(self.directory, self.run)
        except RunDirectoryError as error:
            self.unsaved = str(error)
            self.note(self.unsaved)
        else:
            self.unsaved = None
