"""The run directory: the folder that stands for one run, and `run.json`, which says what was run."""

import json
import re
import time
import zlib
from collections.abc import Mapping
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
"""The journal of the process that conducts the run: it has an event at the end."""
PROBER_JOURNAL = "journal-prober.lp"
LOCUST_JOURNAL, JMETER_JOURNAL = "journal-locust.lp", "journal-jmeter.lp"
VERDICT_JOURNAL = "journal-verdict.lp"
"""The verdict as points, for a database: written anew by each report, so it sources nothing."""


@dataclass(slots=True, kw_only=True)
class Plan:
    """When what happened, in epoch microseconds of the run's clock; None: it did not."""

    start_us: Whole | None = None
    fired_from_us: Whole | None = None
    """The kill command was started."""
    fired_to_us: Whole | None = None
    """The kill command had returned. The fault happened between the two."""
    confirmed_us: Whole | None = None
    """The proof of the fault succeeded. None after a fault was fired: it is not known to have happened."""
    heal_from_us: Whole | None = None
    heal_to_us: Whole | None = None
    healed_us: Whole | None = None
    """The heal was verified by state."""
    end_us: Whole | None = None
    """The last scheduled probe was due before this."""
    changes: list[dict[str, Any]] = field(default_factory=list)
    """Each as `ChangeRun` has it, in the order in which they were made. Not there where none was planned."""

    @property
    def made_changes(self) -> "list[ChangeRun]":
        return convert(self.changes, list[ChangeRun])

    @property
    def healed_in_time_us(self) -> int | None:
        """When the heal was begun, if that was before the run's end; what is healed at the end has no failback to
        see."""
        if self.heal_from_us is None or (self.end_us is not None and self.heal_from_us >= self.end_us):
            return None
        return self.heal_from_us


@dataclass(slots=True, kw_only=True)
class ChangeRun:
    """One change of a run, as its plan lists it. Times in microseconds of the run's clock."""

    number: int
    """From 1 on."""
    from_us: Whole | None = None
    """The command was started,"""
    to_us: Whole | None = None
    """and had returned."""
    confirmed_us: Whole | None = None
    """Its proof succeeded."""
    settled_us: Whole | None = None
    """Nothing of what was before it is left; None with `lingering`: it was not waited for any longer."""
    lingering: list[str] = field(default_factory=list)
    """Old processes that still had connections of ours when the next change was due."""
    exposed: dict[str, int] = field(default_factory=dict)
    """Connections that were open right before it, by kind."""
    undo_from_us: Whole | None = None
    undo_to_us: Whole | None = None
    undone_us: Whole | None = None
    """The change was taken back, where it can be."""
    error: str | None = None


EXTERNAL = "external"
"""Name and kind of a fault that somebody else fires and heals."""


@dataclass(slots=True)
class FaultRun:
    """The fault of this run: its name, whom it hit, and what theory predicts for the outage."""

    name: str
    kind: str
    """`master`, `backend`, `external`, or `none`."""
    master: str | None = None
    backup: str | None = None
    victim: str | None = None
    master_source: str | None = None
    """How the master was found: header, neighbour, source or counters."""
    predict_low_ms: Number | None = None
    predict_high_ms: Number | None = None
    predict_reason: str = ""
    uniform: bool = False
    """By theory, kills at random moments give outages spread evenly over the window."""
    failback_low_ms: Number | None = None
    failback_high_ms: Number | None = None
    failback_settled_ms: Number | None = None
    """When, after the heal, the address is back at the master by theory; None: unknown, or it stays where it is."""
    sources: list[str] = field(default_factory=list)
    """What sees its effect without its commands: generation, frontend, server, owner, scrapes."""
    error: str | None = None
    """Why it counts as not done, if it does."""


PhaseToCut = Literal["hold", "recover"]


@dataclass(frozen=True, slots=True)
class CutPhase:
    """A phase that was shorter than what the prediction and the stability window need."""

    phase: PhaseToCut
    """From the fault to the heal, or from there to the end."""
    lasted_s: Number
    needed_s: Number
    chosen: bool
    """By an option, before the drill; else it turned out so."""

    @property
    def text(self) -> str:
        lasted = f"--{self.phase} {self.lasted_s:g}" if self.chosen else f"{self.phase} {self.lasted_s:.1f}"
        return f"{lasted} s is shorter than the {self.needed_s:g} s that a stability window needs"


@dataclass(slots=True)
class Run:
    """`run.json`. Every field is known when the run starts, except the plan's times, which are filled in."""

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
    """Per node what its access log grew by: {lines, by_status, by_remote, warning}; null: not known."""
    routes: dict[str, dict[str, Any]] | None = None
    """Per balancer its routes {before, after} the run, as `ip -o route` prints them. Absent if none was asked."""
    workers: list[WorkerFacts] = field(default_factory=list)
    """Empty without a load."""
    parts: list[str] = field(default_factory=list)
    """Names of the files that other processes and hosts were to write; a report says which of them are missing."""
    warnings: list[str] = field(default_factory=list)
    stopped: str = ""
    """Why the run was stopped before its plan was done; empty: it was not."""
    dry_run: bool = False
    """Everything but the fault was done, on purpose."""
    truncated: list[CutPhase] = field(default_factory=list)
    seals: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Of each file that was closed in order: {from_byte, bytes, crc32}, one for each writer, as `Seal` says. A
    writer that was killed left none, and runs of earlier versions have none."""
    change: FaultRun | None = None
    """What was made again and again, as a fault is described. Not there where no change was planned."""
    connections: HeldAccount | None = None
    """The account of the held connections: connections by kind, requests, failed, generator_errors, lost, late_ms,
    and of its retrying clients. Not there where there was none."""
    streaming: dict[str, Any] | None = None
    """What had become of the points on their way to a database when the run ended: {to, points, refused, left, why}.
    Not there where they went to none."""

    def record_error(self, error: str) -> None:
        """What went wrong first is why the run counts as not done."""
        if self.fault is not None:
            self.fault.error = self.fault.error or error

    def add_seals(self, seals: Seals) -> None:
        """What a writer told when it closed its files, behind what was written to them before."""
        for name, stretches in seals.items():
            self.seals.setdefault(name, []).extend(stretches)

    def take_seals(self, account: Mapping[str, Any]) -> dict[str, Any]:
        """The account of a process that measured, without the seals of its files, which the run has now."""
        rest = dict(account)
        self.add_seals(rest.pop("seals", None) or {})
        return rest

    def record_stop(self, why: str) -> None:
        """What came first is why the run was stopped before its plan was done."""
        self.stopped = self.stopped or why

    @property
    def fired_fault(self) -> FaultRun | None:
        """None where none was fired, or `none`, which only divides the run into phases."""
        is_fired = self.fault is not None and self.fault.kind != "none" and self.plan.fired_from_us is not None
        return self.fault if is_fired else None

    @property
    def keeps_connections(self) -> bool:
        """Connections of the run outlive processes of balancers, which answer on while a new one counts from 0."""
        return bool(self.plan.changes) or self.connections is not None


def run_id(name: str, at: float | None = None) -> str:
    """`<UTC time>-<name>`, fit for a folder name and a tag."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(at))
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "run"
    return f"{stamp}-{safe}"[:100]


def create_run_directory(parent: Path, identifier: str) -> Path:
    """A new folder under `parent`; a second run in the same second gets a number behind its name."""
    for number in range(1, 1000):
        directory = parent / (identifier if number == 1 else f"{identifier}-{number}")
        try:
            directory.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise RunDirectoryError(f"cannot create run directory {directory}: {error.strerror}") from error
        return directory
    raise RunDirectoryError(f"{parent} already holds a thousand runs named {identifier}")


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file whole or not at all."""
    # A lone surrogate (a byte of a file name that is no UTF-8) becomes its own JSON escape.
    with whole_file(path, errors="backslashreplace") as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")


_CHECKSUM = re.compile(rb',\s*"checksum": "([0-9a-f]{8})"\s*}\s*\Z')
"""The last field of run.json: the CRC-32 of all that stands before it."""


def write_run(directory: Path, run: Run) -> None:
    """With a checksum as its last field: a changed digit would move the fault, and every figure with it."""
    write_whole(directory / RUN_FILE, with_checksum(run_json(run)))


def run_json(run: Run) -> dict[str, Any]:
    """What run.json has of a run."""
    values = {one.name: _as_written(getattr(run, one.name)) for one in fields(run)}
    for name in ("routes", "change", "connections", "streaming"):
        if values[name] is None:
            del values[name]
    if not run.plan.changes:
        del values["plan"]["changes"]
    return values


def _as_written(value: Any) -> Any:
    if isinstance(value, RunRecord):
        return value.written
    if isinstance(value, list):
        return [_as_written(one) for one in value]
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
    """The run that a run.json describes. ValidationError or ValueError if it describes none."""
    if "plan" not in values:
        raise ValueError("plan is missing")
    if values.get("schema", SCHEMA) != SCHEMA:
        raise ValueError(f"it has schema {values['schema']}: another version of switchover wrote it")
    run = convert(values, Run)
    _ = run.plan.made_changes
    for name, kind in _OPEN.items():
        part = values.get(name)
        if part is not None:
            setattr(run, name, [kind.of(one) for one in part] if isinstance(part, list) else kind.of(part))
    return run


def with_checksum(values: dict[str, Any]) -> bytes:
    """The text of a run.json."""
    text = json.dumps(values, indent=2, ensure_ascii=False).removesuffix("\n}").encode(errors="backslashreplace")
    return text + b',\n  "checksum": "%08x"\n}\n' % zlib.crc32(text)


def is_as_written(text: bytes) -> bool:
    """Whether a run.json is as the run wrote it; one without a checksum, of an older version, is taken as it is."""
    found = _CHECKSUM.search(text)
    if found is None:
        return b'"seals"' not in text
    return zlib.crc32(text[: found.start()]) == int(found[1], 16)


def read_run(directory: Path, *, as_written: bool = True) -> Run:
    """`as_written=False`: also one that was changed since the run wrote it."""
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
                f"{directory} was made of a database's points by an earlier version: it has no requests to judge, "
                f"and {VERDICT_FILE} has its figures"
            )
        return run_of(values)
    except FileNotFoundError as error:
        raise RunDirectoryError(f"{directory} is no run directory: it has no {RUN_FILE}") from error
    except OSError as error:
        raise RunDirectoryError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, TypeError, AttributeError, ValidationError) as error:
        raise RunDirectoryError(f"{path} is not a run description of schema {SCHEMA}: {error}") from error
