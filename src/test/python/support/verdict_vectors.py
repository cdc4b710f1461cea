"""Runs and what both languages make of them, compact enough to be kept: `contract/verdicts.json`.

    PYTHONPATH=src/test/python python -m support.verdict_vectors        writes the file anew

A request is `[start, took, held, kind]`: µs since the request before it was sent, µs until it was over, µs that it
was sent behind its schedule (null without one), and its kind, an index into the case's table of
`[success, error, backend, balancer, answered_by, stream]`. Points are line protocol. `expect` is Python's
verdict.json without what only Python computes. Of the points of
HAProxy and Nginx only what shows which process answered, and in which state, is kept.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from support.contract import FOLDER
from support.request_tables import run_data, samples_of
from support.verdict_scenarios import scenarios
from switchover.analysis.limit import LimitName
from switchover.analysis.limit_result import LimitResult, State, limit_text
from switchover.analysis.run_data import RunData
from switchover.analysis.verdict import Verdict, judge
from switchover.analysis.verdict_json import to_json
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.measurements import ADVERT, EVENT, HAPROXY, MACHINE, NGINX, SCRAPE, USERS, VRRP
from switchover.rundir.points import FieldValue, Point, format_point, parse_point
from switchover.rundir.run_directory import run_json, run_of
from switchover.rundir.sample_log import Sample
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Reason
from synthetic import sample

FILE = "verdicts.json"
LOOKED_AT = (VRRP, ADVERT, USERS, EVENT, MACHINE)
STATE_FIELDS = {HAPROXY: ("status", "generation"), NGINX: ("accepts",), SCRAPE: ("ok", "duration_ms")}
"""Of these measurements the other fields only count traffic."""
BY_REPORT = "told by switchover report"
Kind = tuple[bool, str, str, str, str, str]


def encode(data: RunData) -> dict[str, Any]:
    kinds: dict[Kind, int] = {}
    return {
        "run": run_json(data.run),
        "probes": _rows(samples_of(data.probes), kinds),
        "samples": _rows(samples_of(data.samples), kinds),
        "kinds": [list(kind) for kind in kinds],
        "points": [
            format_point(point.measurement, point.tags, _kept_fields(point), point.time_ns)
            for point in data.points
            if point.measurement in (*LOOKED_AT, *STATE_FIELDS)
        ],
        "ignored": dict(data.ignored),
        "lost_rows": dict(data.lost_rows),
        "missing": list(data.missing),
    }


def decode(case: dict[str, Any]) -> RunData:
    return run_data(
        run=run_of(case["run"]),
        probes=_samples(case["probes"], case["kinds"]),
        samples=_samples(case["samples"], case["kinds"]),
        points=[parse_point(line) for line in case["points"]],
        ignored=Counter(case["ignored"]),
        lost_rows=case["lost_rows"],
        missing=tuple(case["missing"]),
    )


def expected(told: Verdict) -> dict[str, Any]:
    """What Java tells, as data."""
    found = to_json(told)
    for reason in found["reasons"]:
        del reason["cause"], reason["remedy"]
    for name in ("outage", "failback"):
        if found[name]:
            found[name].pop("first_bad_us", None)
    if found["load"] is not None:
        found["load"] = {"longest_gap": found["load"]["longest_gap"], "artefacts": None}
    return found | {
        "prediction": None,
        "timeline": None,
        "accounting": None,
        "distribution": found["distribution"]
        | {"turns": None, "chi_square": None, "sessions": None, "sessions_moved": None},
    }


def told_by_java(data: RunData) -> Verdict:
    """The verdict less what only Python computes."""
    verdict = judge(data)
    asked = [result for result in verdict.limits if not (_by_report(result) and result.limit.default)]
    reasons = [reason for reason in verdict.reasons if not _is_unaccounted(reason)]
    for result in asked:
        if _by_report(result):
            figures = {
                "name": str(result.limit),
                "figure": "unaccounted unknown",
                "limit": limit_text(result.limit),
                "why": f" ({BY_REPORT})",
            }
            reasons.append(make_reason("limit_inconclusive", **figures))
    return replace(
        verdict,
        figures=replace(
            verdict.figures,
            prediction=None,
            distribution=replace(verdict.figures.distribution, turns=()),
            artefacts=(),
        ),
        limits=tuple(
            LimitResult(result.limit, None, State.INCONCLUSIVE, BY_REPORT) if _by_report(result) else result
            for result in asked
        ),
        reasons=tuple(reasons),
    )


def _is_unaccounted(reason: Reason) -> bool:
    return str(reason.figures.get("limit", "")).startswith(LimitName.UNACCOUNTED)


def _kept_fields(point: Point) -> dict[str, FieldValue]:
    names = STATE_FIELDS.get(point.measurement)
    return {name: value for name, value in point.fields.items() if names is None or name in names}


def _by_report(result: LimitResult) -> bool:
    return result.limit.name is LimitName.UNACCOUNTED


def _rows(requests: Iterable[Sample], kinds: dict[Kind, int]) -> list[list[int | None]]:
    rows: list[list[int | None]] = []
    before_us = 0
    for one in requests:
        who = one.identity
        kind = (one.success, one.error or "", who.backend, who.balancer, who.answered_by.value, one.stream)
        rows.append(
            [
                one.start_us - before_us,
                one.end_us - one.start_us,
                None if one.intended_us is None else one.start_us - one.intended_us,
                kinds.setdefault(kind, len(kinds)),
            ]
        )
        before_us = one.start_us
    return rows


def _samples(rows: Iterable[Sequence[Any]], kinds: Sequence[Sequence[Any]]) -> list[Sample]:
    samples = []
    start_us = 0
    for after_us, took_us, held_us, kind in rows:
        start_us += after_us
        success, error, backend, balancer, answered_by, stream = kinds[kind]
        samples.append(
            sample(
                start_us,
                start_us + took_us,
                intended_us=None if held_us is None else start_us - held_us,
                success=success,
                error=FailureKind(error) if error else None,
                identity=Identity(backend, balancer, AnsweredBy(answered_by)),
                stream=stream,
            )
        )
    return samples


def write() -> None:
    before = {case["name"]: case for case in json.loads((FOLDER / FILE).read_text(encoding="utf-8"))["cases"]}
    lines = []
    for name, made in scenarios():
        case = encode(made)
        told = told_by_java(decode(case))
        parts = {"name": name, **case, "expect": expected(told), "printed": before.get(name, {}).get("printed")}
        lines.append(json.dumps(parts, ensure_ascii=False, separators=(",", ":")))
    about = (__doc__ or "").strip().splitlines()
    text = ",\n".join(lines)
    (FOLDER / FILE).write_text(f'{{"about": {json.dumps(about)},\n"cases": [\n{text}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    write()
