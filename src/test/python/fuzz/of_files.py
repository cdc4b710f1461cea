"""Readers of files: logs, journals, descriptions of runs, targets and studies."""

import json
import shutil
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from fuzz.edited import edited
from fuzz.seeds import RUNS, STUDIES
from fuzz.target import Target, file_of, folder
from switchover.evidence.logs import find_format
from switchover.evidence.logs.format import Account, head_of_text
from switchover.evidence.logs.unpack import unpack
from switchover.model.errors import SwitchoverError
from switchover.report.history.entry import entry_of, versions_text
from switchover.rundir.damaged_lines import Ignored
from switchover.rundir.journal import read_record
from switchover.rundir.points import clean_name, format_point, parse_point
from switchover.rundir.run_directory import RUN_FILE, VERDICT_FILE, read_run, run_of
from switchover.study.study_file import read_study
from switchover.target.reader import load_target
from switchover.telemetry.access_log import parse_log_line
from switchover.verdict.record import Verdict


def _request_log(data: bytes) -> None:
    """In the format that claims it."""
    path = file_of(data, "requests.log")
    found = find_format(head_of_text(path))
    for _ in found.read(path, Account()) if found else ():
        pass


def _compressed(data: bytes) -> None:
    place = folder() / "unpacking"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    unpack(file_of(data, "requests.gz"), place, Account()).read_bytes()


def _line_protocol(data: bytes) -> None:
    """What can be read is written so that the same is read again, where its names are such as are written."""
    point = parse_point(data.decode("utf-8", "replace"))
    if any(clean_name(name) != name for name in (point.measurement, *point.tags, *point.fields)):
        return
    written = format_point(point.measurement, point.tags, point.fields, point.time_ns)
    if written:
        again = parse_point(written.rstrip("\n"))
        assert format_point(again.measurement, again.tags, again.fields, again.time_ns) == written


@cache
def _kept_runs() -> list[tuple[Any, Any]]:
    """run.json and verdict.json of real drills."""
    folders = [path.parent for path in sorted(RUNS.glob("*/run.json"))]
    return [(_values(place / RUN_FILE), _values(place / VERDICT_FILE)) for place in folders]


def _values(path: Path) -> Any:
    return json.loads(path.read_bytes())


def _kept_run(data: bytes) -> tuple[Any, Any]:
    """Its first byte names one."""
    runs = _kept_runs()
    return runs[data[0] % len(runs)] if data else runs[0]


def _run_json(data: bytes) -> None:
    run = edited(_kept_run(data)[0], data[1:])
    read = read_run(file_of(json.dumps(run).encode(), RUN_FILE).parent, as_written=False)
    assert read.id is not None


def _history(data: bytes) -> None:
    """As a history reads a run of another host."""
    values = edited(list(_kept_run(data)), data[1:])
    if len(values) == 2 and all(isinstance(one, dict) for one in values):
        entry = entry_of("runs/one", run_of(values[0]), msgspec.convert(values[1], Verdict))
        assert isinstance(entry.url + versions_text(entry.versions), str)


@cache
def _studies() -> list[Any]:
    return [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(STUDIES.glob("*.toml"))]


def _study_file(data: bytes) -> None:
    """The first byte names one, the rest what is changed of it."""
    study = edited(_studies()[(data[0] if data else 0) % len(_studies())], data[1:])
    try:
        text = tomli_w.dumps(study)
    except TypeError:
        return  # TOML has no null
    read_study(file_of(text.encode(), "study.toml"))


TARGETS: Mapping[str, Target] = {
    "request-log": Target(_request_log),
    "compressed-log": Target(_compressed),
    "access-log-line": Target(parse_log_line, longest=1024),
    "line-protocol": Target(_line_protocol, (ValueError,), longest=1024),
    "journal": Target(lambda data: read_record(file_of(data, "journal.lp"), (), Ignored())),
    "target-file": Target(lambda data: load_target(file_of(data, "target.toml"))),
    "study-file": Target(_study_file, longest=64),
    "run-json": Target(_run_json, longest=64),
    "history": Target(_history, (SwitchoverError, ValueError), longest=64),
}
