"""Runs and what both languages make of them, compact enough to be kept: `contract/verdicts.json`.

    PYTHONPATH=src/test/python python -m support.verdict_vectors        writes the file anew

Requests are `[start, took, held, kind, times]`: µs since the request before it was sent, µs until it was over,
µs that it was sent behind its schedule (null without one), its kind, an index into the case's table of
`[success, error, backend, balancer, answered_by, stream]`, and how many such requests follow each other.
Points are line protocol. `expect` is Python's verdict.json without what only Python computes.
Cases called `drawn` are kept in the file alone.
Of the points of HAProxy and Nginx only what shows which process answered, and in which state, is kept.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import msgspec
from msgspec import structs

from support.contract import FOLDER
from support.request_tables import run_data, samples_of
from support.verdict_scenarios import scenarios
from switchover.evidence.run_data import RunData
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.measurements import ADVERT, EVENT, HAPROXY, MACHINE, NGINX, SCRAPE, USERS, VRRP
from switchover.rundir.points import FieldValue, Point, format_point, parse_point
from switchover.rundir.run_directory import run_json, run_of
from switchover.rundir.sample_log import Sample
from switchover.verdict.judge import Verdict, _status, judge
from switchover.verdict.limit_checks import limit_text, named_limit
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Limit, LimitName, Reason, State
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
    found = msgspec.to_builtins(told.record)
    for reason in found["reasons"]:
        del reason["text"], reason["cause"], reason["remedy"]
    for name in ("outage", "failback"):
        if found[name]:
            found[name].pop("first_bad_us", None)
    if found["load"] is not None:
        found["load"] = {"longest_gap": found["load"]["longest_gap"], "artefacts": None}
    changed: dict[str, Any] = found | {
        "prediction": None,
        "timeline": None,
        "accounting": None,
        "distribution": found["distribution"]
        | {"turns": None, "chi_square": None, "sessions": None, "sessions_moved": None},
    }
    return changed


def told_by_java(data: RunData) -> Verdict:
    """The verdict less what only Python computes."""
    verdict = judge(data)
    asked = [result for result in verdict.record.limits if not (_by_report(result) and result.default)]
    reasons = [reason for reason in verdict.record.reasons if not _is_unaccounted(reason)]
    for result in asked:
        if _by_report(result):
            figures = {
                "name": named_limit(result),
                "figure": "unaccounted unknown",
                "limit": limit_text(result),
                "why": f" ({BY_REPORT})",
            }
            reasons.append(make_reason("limit_inconclusive", **figures))
    limits = [
        structs.replace(result, low=None, high=None, state=State.INCONCLUSIVE, note=BY_REPORT)
        if _by_report(result)
        else result
        for result in asked
    ]
    record = structs.replace(
        verdict.record,
        prediction=None,
        distribution=structs.replace(verdict.record.distribution, turns=[]),
        load=verdict.record.load and structs.replace(verdict.record.load, artefacts=[]),
        limits=limits,
        **_status(data.run, limits, reasons),
    )
    return replace(verdict, record=record)


def _is_unaccounted(reason: Reason) -> bool:
    return str(reason.figures.get("name", "")).startswith(LimitName.UNACCOUNTED)


def _kept_fields(point: Point) -> dict[str, FieldValue]:
    names = STATE_FIELDS.get(point.measurement)
    return {name: value for name, value in point.fields.items() if names is None or name in names}


def _by_report(result: Limit) -> bool:
    return result.name is LimitName.UNACCOUNTED


def _rows(requests: Iterable[Sample], kinds: dict[Kind, int]) -> list[list[Any]]:
    rows: list[list[Any]] = []
    before_us = 0
    for one in requests:
        who = one.identity
        kind = (one.success, one.error or "", who.backend, who.balancer, who.answered_by.value, one.stream)
        row = [
            one.start_us - before_us,
            one.end_us - one.start_us,
            None if one.intended_us is None else one.start_us - one.intended_us,
            kinds.setdefault(kind, len(kinds)),
        ]
        if rows and rows[-1][:-1] == row:
            rows[-1][-1] += 1
        else:
            rows.append([*row, 1])
        before_us = one.start_us
    return rows


def _samples(rows: Iterable[Sequence[Any]], kinds: Sequence[Sequence[Any]]) -> list[Sample]:
    samples = []
    start_us = 0
    for after_us, took_us, held_us, kind in (row[:4] for row in rows for _ in range(row[4])):
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


def _readable(case: dict[str, Any]) -> str:
    """A key on each line, a point on each line, a figure of the verdict on each line."""
    parts = []
    for name, value in case.items():
        text = json.dumps(value, ensure_ascii=False)
        if name in ("points", "expect") and value:
            items = value if isinstance(value, list) else value.items()
            inner = [
                json.dumps(one, ensure_ascii=False)
                if isinstance(value, list)
                else f"{json.dumps(one[0])}: {json.dumps(one[1], ensure_ascii=False)}"
                for one in items
            ]
            ends = "[]" if isinstance(value, list) else "{}"
            text = ends[0] + "\n  " + ",\n  ".join(inner) + ends[1]
        parts.append(f'"{name}": {text}')
    return "{" + ",\n ".join(parts) + "}"


def write() -> None:
    before = {case["name"]: case for case in json.loads((FOLDER / FILE).read_text(encoding="utf-8"))["cases"]}
    lines = []
    kept = [(name, decode(case)) for name, case in before.items() if name.startswith("drawn")]
    for name, made in (*scenarios(), *kept):
        case = encode(made)
        told = told_by_java(decode(case))
        lines.append(_readable({"name": name, **case, "expect": expected(told)}))
    about = (__doc__ or "").strip().splitlines()
    text = ",\n".join(lines)
    (FOLDER / FILE).write_text(f'{{"about": {json.dumps(about)},\n"cases": [\n{text}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    write()
