"""The runs of a history, as read from run.json and verdict.json."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from switchover.model.errors import RunDirectoryError
from switchover.report.documents import read_verdict
from switchover.rundir.atomic_file import read_whole
from switchover.rundir.former_names import renewed
from switchover.rundir.run_directory import RUN_FILE, SCHEMA, VERDICT_FILE, FaultRun, Run, is_as_written, run_of
from switchover.rundir.run_records import TargetFacts
from switchover.verdict.record import Outage, Prediction, Verdict

NOT_JUDGED = "not judged"
DAMAGED = "damaged"
LAB = "lab"
"""The name of the target if a run used the built-in lab."""
BALANCERS = ("haproxy", "nginx", "keepalived")
"""The programs whose versions the history shows."""
PROBING = ("probe_rate", "timeout_connect_ms", "timeout_read_ms", "late_ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One run of the history. An unknown value is None."""

    run: str
    path: str
    """The path of the run directory, relative to the folder that was searched."""
    start_us: int | None = None
    target: str = ""
    what: str = ""
    """The name of the fault or of the change; empty if the run had no fault and no change."""
    versions: Mapping[str, str] = field(default_factory=dict)
    status: str = NOT_JUDGED
    """The value of a `Status`, or NOT_JUDGED or DAMAGED."""
    valid: bool = False
    outage: Outage | None = None
    failback: Outage | None = None
    failed: int | None = None
    """The number of failed requests of the load. In a run without a load, the number of failed probes."""
    total: int | None = None
    split_brain_ms: float | None = None
    predicted_low_ms: float | None = None
    predicted_high_ms: float | None = None
    inside: bool | None = None
    """True if the outage was within the predicted window."""
    setting: str = ""
    """The settings that must be equal if two runs are compared, as JSON."""
    keepalived: Mapping[str, str] = field(default_factory=dict)
    """The settings of Keepalived, with node and name as key. If these settings are unknown: the predicted window. If
    they are unknown and there is no prediction: empty."""
    damage: str = ""
    """The reason why the run cannot be read; empty if the run can be read."""
    reason: str = ""
    """The reason why the fault was not fired or not healed."""

    @property
    def url(self) -> str:
        return str(json.loads(self.setting)[0]) if self.setting else ""


def versions_text(versions: Mapping[str, str]) -> str:
    """Format the versions of HAProxy, Nginx and Keepalived, for example `haproxy 2.6.12, keepalived 2.2.7`."""
    return ", ".join(f"{name} {versions[name]}" for name in BALANCERS if name in versions)


def target_name(target: TargetFacts) -> str:
    """Return the name of the target: `lab`, the name of the target file without `.toml`, or the URL."""
    return LAB if target.lab else (target.file or "").rpartition("/")[2].removesuffix(".toml") or target.url


def entry_of(path: str, run: Run, verdict: Verdict | None) -> Entry:
    fault = run.change or run.fault
    window = _window(fault, verdict.prediction if verdict else None)
    keepalived = _keepalived(run, window)
    return Entry(
        run=run.id,
        path=path,
        start_us=run.plan.start_us,
        target=target_name(run.target),
        what="" if fault is None or fault.kind == "none" else fault.name,
        versions={name: run.versions[name] for name in BALANCERS if name in run.versions},
        setting=_setting(run, window, keepalived),
        keepalived=keepalived,
        reason=(fault and fault.error) or "",
        **({} if verdict is None else _of_verdict(verdict)),
    )


def _of_verdict(verdict: Verdict) -> dict[str, Any]:
    counts, prediction = verdict.samples or verdict.probes, verdict.prediction
    return {
        "status": verdict.status.value,
        "valid": verdict.valid,
        "outage": verdict.outage,
        "failback": verdict.failback,
        "failed": counts and counts.failed,
        "total": counts and counts.total,
        "split_brain_ms": verdict.split_brain_ms,
        "predicted_low_ms": prediction and prediction.low_ms,
        "predicted_high_ms": prediction and prediction.high_ms,
        "inside": prediction and prediction.inside,
    }


def _window(fault: FaultRun | None, prediction: Prediction | None) -> list[float | None]:
    """Return the predicted window in milliseconds. For a run of JMeter, only the verdict contains the window."""
    window = (fault.predict_low_ms, fault.predict_high_ms) if fault else (None, None)
    if window == (None, None) and prediction is not None:
        window = (prediction.low_ms, prediction.high_ms)
    return [None if end_ms is None else float(end_ms) for end_ms in window]


def _keepalived(run: Run, window: list[float | None]) -> Mapping[str, str]:
    by_node = run.target.written.get("keepalived") or run.settings.written.get("keepalived") or {}
    settings = {
        f"{node} {name}": str(value)
        for node, values in sorted(by_node.items())
        for name, value in sorted(values.items())
    }
    return settings or ({} if window == [None, None] else {"predicted window in ms": f"{window[0]} to {window[1]}"})


def _setting(run: Run, window: list[float | None], keepalived: Mapping[str, str]) -> str:
    """Return, as JSON, the settings of a run that must be equal if two runs are compared."""
    balancers = sorted([node.name, node.haproxy, node.nginx] for node in run.target.nodes if node.role == "balancer")
    probing = [run.settings.written.get(name) for name in PROBING]
    return json.dumps([run.target.url, balancers, probing, window, keepalived])


def read_history(folder: Path) -> tuple[list[Entry], list[str]]:
    """Return all runs below a folder (the oldest run first), and notes on folders that cannot be read."""
    if not os.path.isdir(folder):  # noqa: PTH112  (Path.is_dir raises for some paths before Python 3.14)
        raise RunDirectoryError(f"{folder} is not a directory: name a folder of runs")
    notes: list[str] = []
    entries = [_read_entry(folder, path) for path in _runs_below(folder, notes)]
    entries.sort(key=lambda entry: (entry.start_us or 0, entry.path))
    return entries, notes


def _runs_below(folder: Path, notes: list[str]) -> Iterator[str]:
    """Yield each folder that contains a run.json or verdict.json. Folders inside such a folder are not searched, and
    links are not followed."""
    waiting = [""]
    while waiting:
        place = waiting.pop()
        try:
            with os.scandir(folder / place) as listing:
                inside = list(listing)
        except OSError as error:
            notes.append(f"cannot read {folder / place}: {error.strerror}")
            continue
        if any(item.name in (RUN_FILE, VERDICT_FILE) for item in inside):
            yield place or "."
            continue
        waiting += [
            f"{place}/{item.name}" if place else item.name
            for item in inside
            if not item.name.startswith(".") and item.is_dir(follow_symlinks=False)
        ]


def _read_entry(folder: Path, path: str) -> Entry:
    directory, name = folder / path, RUN_FILE
    try:
        text = read_whole(directory / RUN_FILE)
        if not is_as_written(text):
            raise ValueError("the file does not match its checksum")
        run = run_of(renewed(msgspec.json.decode(text, type=dict[str, Any]), SCHEMA, without=1))
        name = VERDICT_FILE
        return entry_of(path, run, read_verdict(directory) if (directory / VERDICT_FILE).exists() else None)
    except OSError as error:
        why = f"{name}: {error.strerror}"
    except RecursionError:
        why = f"{name}: the JSON is nested too deeply"
    except (ValueError, TypeError, AttributeError) as error:
        why = f"{name}: {error}"
    return Entry(run=directory.resolve().name, path=path, status=DAMAGED, damage=why)
