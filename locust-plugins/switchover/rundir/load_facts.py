"""`load.json`: the description of the load by its generator, written when all users have started, and again when the
users have stopped."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from msgspec import DecodeError
from msgspec.json import decode

from switchover.model.errors import RunDirectoryError
from switchover.rundir.atomic_file import explain_os_errors, read_whole
from switchover.rundir.run_directory import Run, write_json
from switchover.rundir.run_records import ClockReading, WorkerFacts
from switchover.rundir.seal import Seals

LOAD_FILE = "load.json"
RUNNING, ENDED = "running", "ended"
LOST = "lost"
"""The value of `ended` for a worker that disappeared without a message."""


@dataclass(slots=True)
class LoadFacts:
    """The load of one run, with all its processes."""

    state: str
    """`running`: all users have started. `ended`: no further sample is recorded."""
    generator: str = "locust"
    parts: list[str] = field(default_factory=list)
    workers: list[dict[str, Any]] = field(default_factory=list)
    """The processes: {worker, host, part, here, samples, points, lost, abandoned, joined, ended, offset_us,
    bound_us}.

    `joined`: `start` or `late`. `ended`: `stopped` or `lost`. `here`: the process writes its part on this host.
    """
    clocks: list[dict[str, Any]] = field(default_factory=list)
    """Clock readings as in `Run`. `node` is the name of a worker."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings of the load: users, spawn_rate, user_classes, timeouts per class, plan, versions."""
    warnings: list[str] = field(default_factory=list)
    seals: Seals = field(default_factory=dict)


def write_load(directory: Path, facts: LoadFacts) -> None:
    write_json(directory / LOAD_FILE, asdict(facts))


def read_load(directory: Path) -> LoadFacts | None:
    """Return the load, or None without `load.json`. Raises RunDirectoryError if `load.json` cannot be read."""
    path = directory / LOAD_FILE
    try:
        with explain_os_errors(f"cannot read {path}"):
            return decode(read_whole(path), type=LoadFacts) if path.exists() else None
    except (DecodeError, UnicodeDecodeError) as error:
        raise RunDirectoryError(f"{path} does not describe a load: {error}") from error


def merge_load(run: Run, directory: Path) -> None:
    """Copy the description of the load into the run. If `load.json` does not exist, the report lists the file as
    missing."""
    facts, load = None, run.settings.written.get("load")
    load = dict(load) if isinstance(load, Mapping) else {}
    try:
        facts = read_load(directory)
    except RunDirectoryError as error:
        run.warnings.append(str(error))
    run.parts = list(dict.fromkeys([*run.parts, LOAD_FILE, *(facts.parts if facts else ())]))
    if facts is None:
        run.settings |= {"load": {**load, "state": None}}
        return
    run.settings |= {"generator": facts.generator, "load": {**load, **facts.settings, "state": facts.state}}
    run.workers = [WorkerFacts.of(worker) for worker in facts.workers]
    run.clocks += [ClockReading.of(clock) for clock in facts.clocks]
    run.warnings += facts.warnings
    run.add_seals(facts.seals)
