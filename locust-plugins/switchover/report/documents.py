"""The two documents from which each report is made: verdict.json, and the description of the run in series.json."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from switchover.model.errors import RunDirectoryError
from switchover.rundir.atomic_file import read_whole
from switchover.rundir.former_names import renewed
from switchover.rundir.run_directory import VERDICT_FILE
from switchover.verdict import record
from switchover.verdict.judge import Verdict
from switchover.verdict.series.series_json import SERIES_FILE, describe_run


class Tree(dict[str, Any]):
    """A JSON object whose fields are attributes. A missing field is None."""

    def __getattr__(self, name: str) -> Any:
        return self.get(name)


def tree_of(value: Any) -> Any:
    """Convert each JSON object in a value to a `Tree`."""
    if isinstance(value, dict):
        return Tree((name, tree_of(item)) for name, item in value.items())
    return [tree_of(item) for item in value] if isinstance(value, list | tuple) else value


class Judged(NamedTuple):
    verdict: record.Verdict
    run: Tree


def judged_of(verdict: Verdict) -> Judged:
    return Judged(verdict.record, tree_of(describe_run(verdict.events.run)))


def read_judged(directory: Path) -> Judged:
    """Read the verdict and the description of a run. Raise RunDirectoryError if verdict.json or series.json is
    missing or unreadable."""
    advice = "'switchover report' creates both files"
    try:
        return Judged(read_verdict(directory), tree_of(json.loads(read_whole(directory / SERIES_FILE))["run"]))
    except FileNotFoundError as error:
        raise RunDirectoryError(f"{directory} has no {VERDICT_FILE} or no {SERIES_FILE}: {advice}") from error
    except (OSError, ValueError, KeyError) as error:
        raise RunDirectoryError(f"cannot read the verdict of {directory}: {error}: {advice}") from error


def read_verdict(directory: Path) -> record.Verdict:
    """Read a verdict.json that this version or an earlier version wrote."""
    values = msgspec.json.decode(read_whole(directory / VERDICT_FILE))
    return msgspec.convert(renewed(values, record.SCHEMA), record.Verdict)
