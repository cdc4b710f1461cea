"""A run in the history: what a table of many runs shows of run.json and verdict.json."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from switchover.rundir.run_records import is_fit

NOT_JUDGED = "not judged"
DAMAGED = "damaged"
LAB = "lab"
"""What a built-in lab is called as a target."""
BALANCERS = ("haproxy", "nginx", "keepalived")
"""The programs whose versions a history shows."""


@dataclass(frozen=True, slots=True)
class Length:
    """An outage or a failback, as verdict.json has it. Milliseconds."""

    kind: str
    low_ms: float
    high_ms: float | None
    """None: it was not seen to end."""
    resolution_ms: float
    censored: bool
    recovered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """None is what the run does not say."""

    run: str
    path: str
    """The run directory, below the folder that was searched."""
    start_us: int | None = None
    target: str = ""
    what: str = ""
    """The fault or the change; empty: the run only measured."""
    versions: Mapping[str, str] = field(default_factory=dict)
    word: str = NOT_JUDGED
    """A `Word`, NOT_JUDGED or DAMAGED."""
    trusted: bool = False
    outage: Length | None = None
    failback: Length | None = None
    failed: int | None = None
    """Of the load; of the probes where there was none."""
    total: int | None = None
    split_brain_ms: float | None = None
    predicted_low_ms: float | None = None
    predicted_high_ms: float | None = None
    inside: bool | None = None
    """Whether the outage was within what was predicted."""
    setting: str = ""
    """What must be the same before two runs can be held against each other."""
    keepalived: Mapping[str, str] = field(default_factory=dict)
    """Keepalived's settings in the run, by node and name; the predicted window if only that is known."""
    damage: str = ""
    """Why the run cannot be read."""
    reason: str = ""
    """Why the fault was not fired or not healed."""

    @property
    def url(self) -> str:
        """Of the target."""
        return str(json.loads(self.setting)[0]) if self.setting else ""

    @property
    def versions_text(self) -> str:
        return versions_text(self.versions)


def versions_text(versions: Mapping[str, str]) -> str:
    """Of the balancers: `haproxy 2.6.12, keepalived 2.2.7`."""
    return ", ".join(f"{name} {versions[name]}" for name in BALANCERS if name in versions)


def versions_of(text: str) -> dict[str, str]:
    """What `versions_text` has written; what is something else is left out."""
    parts = [part.partition(" ") for part in text.split(", ")]
    return {name: version for name, _, version in parts if name in BALANCERS and version}


def entry_of(path: str, run: Mapping[str, Any], verdict: Mapping[str, Any] | None) -> Entry:
    """From the values of run.json and verdict.json; None: there is no verdict yet.

    A value of another type than it should have is unknown. ValueError where it is no run at all.
    """
    identifier, plan = run.get("id"), _object(run.get("plan"))
    if not isinstance(identifier, str) or plan is None:
        raise ValueError("it has no id or no plan")
    target = _object(run.get("target")) or {}
    settings, fault = (
        _object(run.get("settings")) or {},
        _object(run.get("change")) or _object(run.get("fault")) or {},
    )
    what = _text(fault.get("name"))
    versions = _object(run.get("versions")) or {}
    judged = _of_verdict(verdict) if verdict is not None else {}
    window = _window(fault, _prediction(verdict))
    keepalived = _keepalived(target, settings, window)
    return Entry(
        run=identifier,
        path=path,
        start_us=_count(plan.get("start_us")),
        target=target_name(target),
        what="" if fault.get("kind") == "none" else what,
        versions={name: _text(versions[name]) for name in BALANCERS if name in versions},
        # Of a run that was fetched from a database the setting is not known: it is like no other's.
        setting="" if run.get("fetched") else _setting(target, settings, window, keepalived),
        keepalived=keepalived,
        reason=_text(fault.get("error")),
        **judged,
    )


def _of_verdict(verdict: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(verdict.get("word"), str):
        raise ValueError("verdict.json has no word")
    counts = _object(verdict.get("samples")) or _object(verdict.get("probes")) or {}
    prediction = _prediction(verdict)
    inside = prediction.get("inside")
    return {
        "word": verdict["word"],
        "trusted": verdict.get("trusted") is True,
        "outage": _length(verdict.get("outage")),
        "failback": _length(verdict.get("failback")),
        "failed": _count(counts.get("failed")),
        "total": _count(counts.get("total")),
        "split_brain_ms": _number(verdict.get("split_brain_ms")),
        "predicted_low_ms": _number(prediction.get("low_ms")),
        "predicted_high_ms": _number(prediction.get("high_ms")),
        "inside": inside if isinstance(inside, bool) else None,
    }


def _length(value: object) -> Length | None:
    found = _object(value)
    if found is None:
        return None
    low, resolution = _number(found.get("low_ms")), _number(found.get("resolution_ms"))
    if low is None:
        return None
    high, kind = _number(found.get("high_ms")), _text(found.get("kind"))
    if high is None and found.get("high_ms") is not None:
        return None  # no number: that is not the same as an outage that had no end
    return Length(
        kind, low, high, resolution or 0.0, found.get("censored") is True, found.get("recovered") is not False
    )


def target_name(target: Mapping[str, Any]) -> str:
    """`lab`; the name of the target file without its folders; else the address."""
    if target.get("lab") is True:
        return LAB
    return _text(target.get("file")).rpartition("/")[2].removesuffix(".toml") or _text(target.get("url"))


PROBING = ("probe_rate", "timeout_connect_ms", "timeout_read_ms", "late_ms")


def _prediction(verdict: Mapping[str, Any] | None) -> Mapping[str, Any]:
    return _object((verdict or {}).get("prediction")) or {}


def _window(fault: Mapping[str, Any], prediction: Mapping[str, Any]) -> list[float | None]:
    """Low and high end in ms. A run of JMeter's own has them in its verdict only."""
    window = [_number(fault.get(end)) for end in ("predict_low_ms", "predict_high_ms")]
    return [_number(prediction.get(end)) for end in ("low_ms", "high_ms")] if window == [None, None] else window


def _keepalived(
    target: Mapping[str, Any], settings: Mapping[str, Any], window: list[float | None]
) -> Mapping[str, str]:
    kept = _object(target.get("keepalived")) or _object(settings.get("keepalived")) or {}
    found = {
        f"{node} {name}": str(value)
        for node, facts in sorted(kept.items())
        for name, value in sorted((_object(facts) or {}).items())
    }
    return found or ({} if window == [None, None] else {"predicted window in ms": f"{window[0]} to {window[1]}"})


def _setting(
    target: Mapping[str, Any],
    settings: Mapping[str, Any],
    window: list[float | None],
    keepalived: Mapping[str, str],
) -> str:
    """The address, the balancers, how it was probed, the window that theory gives, and Keepalived's settings."""
    nodes = target.get("nodes")
    balancers = [
        [_text(node.get("name")), node.get("haproxy") is True, node.get("nginx") is True]
        for node in (nodes if isinstance(nodes, list) else [])
        if isinstance(node, dict) and node.get("role") == "balancer"
    ]
    probing = [_number(settings.get(name)) for name in PROBING]
    return json.dumps([_text(target.get("url")), sorted(balancers), probing, window, keepalived])


def _object(value: object) -> Mapping[str, Any] | None:
    return value if isinstance(value, dict) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not is_fit(value):
        return None
    return float(value)


def _count(value: object) -> int | None:
    number = _number(value)
    return None if number is None else int(number)
