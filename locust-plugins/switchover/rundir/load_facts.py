"""`load.json`: the load as its generator describes it.

The generator writes this file when its users run, and again when they have ended. The drill copies it into
`run.json`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from msgspec import DecodeError
from msgspec.json import decode

from switchover.model.errors import RunDirectoryError
from switchover.rundir.atomic_file import read_whole
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
    """Files of this load that belong in the run directory."""
    workers: list[dict[str, Any]] = field(default_factory=list)
    """The processes of the load: {worker, host, part, here, samples, points, lost, abandoned, joined, ended,
    offset_us, bound_us}.

    `joined`: `start` or `late`. `ended`: `stopped` or `lost`. `here`: true if the process writes its part on this
    host.
    """
    clocks: list[dict[str, Any]] = field(default_factory=list)
    """Clock readings as in `Run`: {node, when, offset_us, bound_us}. `node` is the name of a worker."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings of the load: users, spawn_rate, user_classes, timeouts per class, plan, versions."""
    warnings: list[str] = field(default_factory=list)
    seals: Seals = field(default_factory=dict)
    """Seals of the files that have been closed by their writers, as in `Run`."""


def write_load(directory: Path, facts: LoadFacts) -> None:
    write_json(directory / LOAD_FILE, asdict(facts))


def read_load(directory: Path) -> LoadFacts | None:
    """Return the load, or None if there is no `load.json` yet. Raises RunDirectoryError if the file cannot be
    read."""
    path = directory / LOAD_FILE
    try:
        return decode(read_whole(path), type=LoadFacts)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RunDirectoryError(f"cannot read {path}: {error.strerror}") from error
    except (DecodeError, UnicodeDecodeError) as error:
        raise RunDirectoryError(f"{path} does not describe a load: {error}") from error


def merge_load(run: Run, directory: Path) -> None:
    """Copy the description of the load into the run. If there is no description, the report lists `load.json` as
    missing."""
    run.parts = _with(run.parts, [LOAD_FILE])
    try:
        facts = read_load(directory)
    except RunDirectoryError as error:
        run.warnings.append(str(error))
        facts = None
    if facts is None:
        run.settings |= {"load": {**_load_of(run), "state": None}}
        return
    load = {**_load_of(run), **facts.settings, "state": facts.state}
    run.settings |= {"generator": facts.generator, "load": load}
    run.workers = [WorkerFacts.of(worker) for worker in facts.workers]
    run.parts = _with(run.parts, facts.parts)
    run.clocks += [ClockReading.of(clock) for clock in facts.clocks]
    run.warnings += facts.warnings
    run.add_seals(facts.seals)


def _load_of(run: Run) -> Mapping[str, Any]:
    load = run.settings.written.get("load")
    return load if isinstance(load, Mapping) else {}


def _with(present: list[str], more: list[str]) -> list[str]:
    return list(dict.fromkeys([*present, *more]))
