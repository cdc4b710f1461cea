"""The runs of a history, as read from run.json and verdict.json."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from switchover.model.errors import RunDirectoryError
from switchover.report.documents import read_verdict
from switchover.rundir.atomic_file import read_whole
from switchover.rundir.former_names import renewed
from switchover.rundir.run_directory import RUN_FILE, VERDICT_FILE, is_as_written
from switchover.rundir.run_directory import SCHEMA as RUN_SCHEMA
from switchover.rundir.run_records import Whole
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
    """The settings that must be equal in two runs that are compared."""
    keepalived: Mapping[str, str] = field(default_factory=dict)
    """Keepalived's settings, by node and name. If the settings are unknown, the predicted window; otherwise empty."""
    damage: str = ""
    """The reason why the run cannot be read; empty if the run can be read."""
    reason: str = ""
    """The reason why the fault was not fired or not healed."""

    @property
    def url(self) -> str:
        """The URL of the target."""
        return str(json.loads(self.setting)[0]) if self.setting else ""

    @property
    def versions_text(self) -> str:
        return versions_text(self.versions)


def versions_text(versions: Mapping[str, str]) -> str:
    """Format the versions of HAProxy, Nginx and Keepalived, for example `haproxy 2.6.12, keepalived 2.2.7`."""
    return ", ".join(f"{name} {versions[name]}" for name in BALANCERS if name in versions)


def target_name(target: Mapping[str, Any]) -> str:
    """Return the name of the target: `lab`, the name of the target file without `.toml`, or the URL."""
    if target.get("lab") is True:
        return LAB
    return str(target.get("file") or "").rpartition("/")[2].removesuffix(".toml") or str(target.get("url") or "")


class _Fault(Struct):
    name: str = ""
    kind: str = ""
    predict_low_ms: float | None = None
    predict_high_ms: float | None = None
    error: str | None = None


class _Plan(Struct):
    start_us: Whole | None = None


class _RunFacts(Struct):
    """The part of run.json that a history needs."""

    id: str
    plan: _Plan
    target: dict[str, Any] = msgspec.field(default_factory=dict)
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    versions: dict[str, str] = msgspec.field(default_factory=dict)
    fault: _Fault | None = None
    change: _Fault | None = None


def entry_of(path: str, run: bytes | Mapping[str, Any], verdict: Verdict | None) -> Entry:
    """Make the entry of a run. `run`: the content of run.json. Raise ValueError if the content is not the content of
    a run.json."""
    values = msgspec.json.decode(run) if isinstance(run, bytes) else run
    facts = msgspec.convert(renewed(values, RUN_SCHEMA, without=1), _RunFacts)
    fault = facts.change or facts.fault or _Fault()
    window = _window(fault, verdict.prediction if verdict else None)
    keepalived = _keepalived(facts, window)
    return Entry(
        run=facts.id,
        path=path,
        start_us=facts.plan.start_us,
        target=target_name(facts.target),
        what="" if fault.kind == "none" else fault.name,
        versions={name: facts.versions[name] for name in BALANCERS if name in facts.versions},
        setting=_setting(facts, window, keepalived),
        keepalived=keepalived,
        reason=fault.error or "",
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


def _window(fault: _Fault, prediction: Prediction | None) -> list[float | None]:
    """Return both ends of the predicted window, in milliseconds. For a run of JMeter, only the verdict contains the
    window."""
    if (fault.predict_low_ms, fault.predict_high_ms) == (None, None) and prediction is not None:
        return [prediction.low_ms, prediction.high_ms]
    return [fault.predict_low_ms, fault.predict_high_ms]


def _keepalived(facts: _RunFacts, window: list[float | None]) -> Mapping[str, str]:
    by_node = facts.target.get("keepalived") or facts.settings.get("keepalived") or {}
    settings = {
        f"{node} {name}": str(value)
        for node, values in sorted(by_node.items())
        for name, value in sorted(values.items())
    }
    return settings or ({} if window == [None, None] else {"predicted window in ms": f"{window[0]} to {window[1]}"})


def _setting(facts: _RunFacts, window: list[float | None], keepalived: Mapping[str, str]) -> str:
    """Return the settings of a run as JSON: the URL, the balancers, the probe settings, the predicted window and
    Keepalived's settings."""
    balancers = [
        [node.get("name"), node.get("haproxy") is True, node.get("nginx") is True]
        for node in facts.target.get("nodes") or []
        if node.get("role") == "balancer"
    ]
    probing = [facts.settings.get(name) for name in PROBING]
    return json.dumps([facts.target.get("url") or "", sorted(balancers), probing, window, keepalived])


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
    directory = folder / path
    name = RUN_FILE
    try:
        text = read_whole(directory / RUN_FILE)
        if not is_as_written(text):
            raise ValueError("the file does not match its checksum")
        name = VERDICT_FILE
        verdict = read_verdict(directory) if (directory / VERDICT_FILE).exists() else None
        name = RUN_FILE
        return entry_of(path, text, verdict)
    except OSError as error:
        why = f"{name}: {error.strerror}"
    except RecursionError:
        why = f"{name}: the JSON is nested too deeply"
    except (ValueError, TypeError, AttributeError) as error:
        why = f"{name}: {error}"
    return Entry(run=directory.resolve().name, path=path, status=DAMAGED, damage=why)
