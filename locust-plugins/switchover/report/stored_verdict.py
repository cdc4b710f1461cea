"""A run and its verdict as far as points tell: what `verdict_points` and the journals have left in a database.

The figures have the names and units of verdict.json. What no point says is not there: a word is taken as the run was
given it, and nothing is judged.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from switchover.analysis.budget import BudgetName
from switchover.analysis.budget_result import State
from switchover.analysis.history.entry import versions_of
from switchover.analysis.outage import OutageKind
from switchover.analysis.word import Word
from switchover.model.failure_kind import FailureKind
from switchover.model.outcome import Outcome, read_outcome
from switchover.report.verdict_points import NO_NAME, UNITS
from switchover.rundir.measurements import BUDGET, EVENT, PROBES, REQUESTS, VERDICT
from switchover.rundir.points import FieldValue, Point
from switchover.rundir.run_directory import FaultRun, Plan, Run
from switchover.rundir.run_records import RunSettings, TargetFacts, is_fit

SCHEMA = "fetched"
"""Of such a verdict.json: unknown keys are left out, so it is none of schema 2."""
NOT_HERE = (
    "not here, for no database has it: each probe and request by itself, access logs, the reasons and the anatomy of "
    "the verdict, whether the outage was as predicted, settings and configuration; so nothing was judged again, and "
    "there is no junit.xml"
)
_UNITS = {stored: unit for unit, stored in UNITS.items()}
_OVER = {"outage": "first_success", "failback": "failback"}
"""The event at the end of each."""
_Traffic = Counter[tuple[Outcome | None, str, str, str]]
"""Requests by outcome, error, answered_by and stream."""


@dataclass(slots=True)
class StoredRun:
    """What the points of one run say; they may come in any order."""

    identifier: str
    verdict: Point | None = None
    """The last one."""
    budgets: dict[str, Point] = field(default_factory=dict)
    events: dict[str, list[int]] = field(default_factory=dict)
    """By kind, when each happened, in microseconds since the epoch."""
    traffic: dict[str, _Traffic] = field(default_factory=dict)
    """By measurement."""

    def take(self, point: Point) -> None:
        if point.measurement == VERDICT:
            if self.verdict is None or point.time_ns >= self.verdict.time_ns:
                self.verdict = point
        elif point.measurement == BUDGET:
            self.budgets[point.tags.get("name", "")] = point
        elif point.measurement == EVENT:
            self.events.setdefault(point.tags.get("kind", ""), []).append(point.time_ns // 1000)
        elif point.measurement in (PROBES, REQUESTS):
            self._count(point)

    def _count(self, point: Point) -> None:
        count, tags = point.fields.get("count"), point.tags
        if isinstance(count, int):
            error = tags.get("error", "")
            # Earlier versions wrote unsent probes as failed.
            outcome = Outcome.UNSENT if error == FailureKind.GENERATOR else read_outcome(tags.get("outcome", ""))
            key = outcome, error, tags.get("answered_by", ""), tags.get("stream", "")
            self.traffic.setdefault(point.measurement, Counter())[key] += count

    def described(self, start_us: int | None = None) -> Run:
        """As run.json; `start_us`: where its events are not at hand. ValueError where the verdict is none."""
        fields = _PointFields(self.verdict)
        tags = self.verdict.tags if self.verdict is not None else {}
        target, change, generator = fields.text("target"), fields.text("change"), tags.get("generator", NO_NAME)
        return Run(
            id=self.identifier,
            name=self.identifier.partition("-")[2] or self.identifier,
            versions=versions_of(fields.text("versions")),
            # An address names the target, or else its file.
            target=TargetFacts.of({"url": target} if "://" in target else {"file": target} if target else {}),
            settings=RunSettings.of({} if generator == NO_NAME else {"generator": generator}),
            plan=Plan(
                start_us=self._first("start") if start_us is None else start_us,
                fired_from_us=self._first("fault"),
                heal_from_us=self._first("heal"),
                end_us=self._first("end"),
            ),
            fault=_fault(tags.get("fault", NO_NAME), fields),
            change=FaultRun(name=change, kind="change") if change else None,
            warnings=[NOT_HERE],
        )

    def _first(self, kind: str) -> int | None:
        return min(self.events.get(kind, ()), default=None)

    def judged(self) -> dict[str, Any] | None:
        """As verdict.json; None: it was not judged. ValueError where its points are no verdict of ours."""
        fields = _PointFields(self.verdict)
        word = fields.text("word")
        if not word:
            return None
        if word not in tuple(Word):
            raise ValueError(f"its word is {word[:40]!r}, and that is none")
        found = {
            "schema": SCHEMA,
            "run": self.identifier,
            "word": word,
            "exit_code": Word(word).exit_code,
            "trusted": fields.flag("trusted") is True,
            "budgets": [_budget(name, point) for name, point in sorted(self.budgets.items())],
            "outage": self._outage(fields, "outage", "failback"),
            "failback": self._outage(fields, "failback", "outage"),
            "prediction": _known(
                low_ms=fields.number("predicted_low_ms"), high_ms=fields.number("predicted_high_ms")
            ),
            "probes": self._population(fields.count("probes"), fields.count("probes_failed"), PROBES),
            "samples": self._population(fields.count("samples"), fields.count("failed"), REQUESTS),
            "failed_percent": fields.number("failed_percent"),
            "split_brain_ms": fields.number("split_brain_ms"),
            "reconciliation": _known(unexplained=fields.count("unexplained")),
        }
        return {name: value for name, value in found.items() if value is not None}

    def _outage(self, fields: "_PointFields", name: str, other: str) -> dict[str, Any] | None:
        low_ms, high_ms = fields.number(f"{name}_low_ms"), fields.number(f"{name}_high_ms")
        if low_ms is None:
            return None
        if high_ms is not None and high_ms < low_ms:
            raise ValueError(f"its {name} goes from {low_ms} to {high_ms} ms")
        ends = self.events.get(_OVER[name], ())
        to_us = ends[0] if len(ends) == 1 and high_ms is not None else None
        # Nothing was seen where the low end is 0: then the high end is how long one may have been unseen.
        is_none = low_ms == 0 and high_ms is not None and to_us is None
        return _known(
            kind=str(OutageKind.NONE) if is_none else None,
            low_ms=low_ms,
            high_ms=high_ms,
            resolution_ms=high_ms if is_none else None,
            censored=high_ms is None,
            recovered=_recovered(fields, high_ms, other, is_none=is_none),
            from_us=None if to_us is None else to_us - round((high_ms or 0) * 1000),
            to_us=to_us,
        )

    def _population(self, total: int | None, failed: int | None, measurement: str) -> dict[str, Any] | None:
        """What the verdict counted; with what else the traffic says, where that counts the same."""
        if total is None or failed is None:
            return None
        found: dict[str, Any] = {"total": total, "failed": failed}
        outcomes, kinds, answered = Counter[str](), Counter[str](), Counter[str]()
        for (outcome, error, answered_by, _), number in self.traffic.get(measurement, _Traffic()).items():
            outcomes[outcome or ""] += number
            if outcome is not Outcome.UNSENT:
                answered[answered_by] += number
            if outcome is Outcome.FAILED:
                kinds[error or "unknown"] += number
        unsent = outcomes.pop(Outcome.UNSENT, 0)
        if (outcomes.total(), outcomes[Outcome.FAILED]) != (total, failed):
            return found
        found |= {"late": outcomes[Outcome.LATE], "unsent": unsent, "by_answered_by": dict(sorted(answered.items()))}
        if measurement == PROBES:  # points of the load name no error
            found["by_kind"] = dict(sorted(kinds.items()))
        return found


class _PointFields:
    """The fields of a point, each None, or empty, where it is not there or of another type."""

    def __init__(self, point: Point | None) -> None:
        self._fields: Mapping[str, FieldValue] = point.fields if point is not None else {}

    def text(self, name: str) -> str:
        value = self._fields.get(name)
        return value if isinstance(value, str) else ""

    def flag(self, name: str) -> bool | None:
        value = self._fields.get(name)
        return value if isinstance(value, bool) else None

    def number(self, name: str) -> float | None:
        value = self._fields.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not is_fit(value):
            return None
        return float(value)

    def count(self, name: str) -> int | None:
        value = self._fields.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) and is_fit(value) else None


def _recovered(fields: _PointFields, high_ms: float | None, other: str, *, is_none: bool) -> bool | None:
    """The point says it of outage and failback together: None where it may be the other that did not recover."""
    if high_ms is None:
        return False
    if is_none or fields.flag("recovered") is not False:
        return True
    return False if fields.number(f"{other}_low_ms") is None else None


def _fault(name: str, fields: _PointFields) -> FaultRun | None:
    if name == NO_NAME:
        return None
    low_ms, high_ms = fields.number("predicted_low_ms"), fields.number("predicted_high_ms")
    return FaultRun(name=name, kind="unknown", predict_low_ms=low_ms, predict_high_ms=high_ms)


def _budget(name: str, point: Point) -> dict[str, Any]:
    fields = _PointFields(point)
    unit, state = _UNITS.get(fields.text("unit")), fields.text("state")
    if name not in tuple(BudgetName) or unit is None or state not in tuple(State):
        raise ValueError(f"its budget {name[:40]!r} is none")
    scale = 0.01 if unit == "share" else 1.0
    values = {end: fields.number(end) for end in ("limit", "low", "high")}
    scaled = {end: None if value is None else round(value * scale, 9) for end, value in values.items()}
    return {"name": name, **scaled, "unit": unit, "state": state}


def _known(**values: Any) -> dict[str, Any] | None:
    found = {name: value for name, value in values.items() if value is not None}
    return found or None
