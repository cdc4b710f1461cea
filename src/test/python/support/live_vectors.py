"""What both live views show of a run while it goes on: `contract/live.json`.

    PYTHONPATH=src/test/python python -m support.live_vectors        writes the file anew

A case has the `run` as run.json says it by then, the `lines` that were written so far, and what is `shown` of them
`now_s` seconds after `start_s`. A line is a text that is whole, or `[text, from_s, to_s]`: then it stands there once
for each of these seconds, with the second's own timestamp behind it.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from support.contract import FOLDER
from switchover.locust.page.live_run import LiveRun

FILE = "live.json"
START_S = 1_700_000_000
SHOWN_STRETCHES = 3
SHOWN_EVENTS = 2

GOOD = "switchover_requests,answered_by=backend,backend=web1,balancer=lb1,outcome=good,run=r"
GOOD_OF_WEB2 = "switchover_requests,answered_by=backend,backend=web2,balancer=lb1,outcome=good,run=r"
GOOD_OF_LB2 = "switchover_requests,answered_by=backend,backend=web1,balancer=lb2,outcome=good,run=r"
LATE = "switchover_requests,answered_by=backend,backend=web1,balancer=lb1,outcome=late,run=r"
REFUSED = "switchover_requests,answered_by=none,outcome=failed,run=r"
PROBED = "switchover_probes,answered_by=backend,backend=web1,balancer=lb1,outcome=good,run=r,stream=fresh"
PROBED_LATE = "switchover_probes,answered_by=backend,backend=web1,balancer=lb1,outcome=late,run=r,stream=fresh"
LOST = "switchover_probes,answered_by=none,error=refused,outcome=failed,run=r,stream=fresh"

Line = str | list[Any]


def live_vectors() -> dict[str, Any]:
    return {"start_s": START_S, "cases": [{**case, "shown": shown(case)} for case in _cases()]}


def formatted(vectors: dict[str, Any]) -> str:
    """Each line of a case, and each thing that is shown, on a line of its own."""

    def listed(values: list[str], indent: int) -> str:
        return ("," + "\n" + " " * indent).join(values)

    def one(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    cases = [
        f'{{"name": {one(case["name"])}, "now_s": {case["now_s"]},\n  "run": {one(case["run"])},\n  "lines": [\n   '
        + listed([one(line) for line in case["lines"]], 3)
        + '],\n  "shown": {\n   '
        + listed([f"{one(name)}: {one(value)}" for name, value in case["shown"].items()], 3)
        + "}}"
        for case in vectors["cases"]
    ]
    return f'{{"start_s": {vectors["start_s"]}, "cases": [\n {listed(cases, 1)}\n]}}\n'


def shown(case: dict[str, Any]) -> dict[str, Any]:
    """By the page of Locust's web UI."""
    now_us = (START_S + case["now_s"]) * 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        (directory / "run.json").write_text(json.dumps(case["run"]), encoding="utf-8")
        lines = list(_written(case["lines"]))
        journal = "".join(f"{line}\n" for line in lines if not line.startswith("switchover_requests"))
        (directory / "journal.lp").write_text(journal, encoding="utf-8")
        live = LiveRun(lambda: now_us)
        live.begin(directory)
        live.add_lines(lines)
        while live.advance():
            pass
        return _excerpt(live.state())


def _written(lines: Sequence[Line]) -> Iterator[str]:
    for line in lines:
        if isinstance(line, str):
            yield line
            continue
        text, from_s, to_s = line
        for at_s in range(from_s, to_s):
            yield f"{text} {(START_S + at_s) * 1_000_000_000}"


def _excerpt(state: dict[str, Any]) -> dict[str, Any]:
    split, shares, timeline = state["split_brain"], state["shares"], state["timeline"]
    outcomes = ("good", "failed", "late")
    columns = ("name", "count", "share", "recent", "expected")
    return {
        "moments": state["moments"],
        "phase": state["phase"],
        "phases": [
            [
                *(phase["phase"], phase["from_s"], phase["to_s"]),
                *([phase[what][outcome] for outcome in outcomes] for what in ("requests", "probes")),
            ]
            for phase in state["phases"]
        ],
        "lost_ms": state["lost_ms"],
        "holders": state["holders"],
        "nodes": [[node["node"], node["observed"], node["holds"]] for node in state["nodes"]],
        "split_brain": split and [split["total_ms"], split["at_least"], split["stretches"]],
        "marks": [[mark["kind"], mark["at_us"], mark["provisional"]] for mark in state["marks"]],
        "stretches": len(timeline),
        "timeline": timeline[:SHOWN_STRETCHES],
        **{what: [[row[name] for name in columns] for row in shares[what]] for what in ("backends", "balancers")},
        "answered_by": shares["answered_by"],
        "events": len(state["events"]),
        "last_events": [
            [event["at_us"], event["kind"], event["node"], event["text"]] for event in state["events"][-SHOWN_EVENTS:]
        ],
    }


def _run(plan_s: Mapping[str, float] | None = None, settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A pair as run.json has it; times of the plan in seconds."""
    plan = {name: round((START_S + seconds) * 1e6) for name, seconds in (plan_s or {}).items()}
    return {
        "id": "r",
        "name": "live",
        "target": {
            "url": "http://198.18.0.50/",
            "nodes": [{"name": name, "role": "balancer"} for name in ("lb1", "lb2")],
        },
        "settings": {"probe_rate": 10.0} if settings is None else dict(settings),
        "plan": {"start_us": START_S * 1_000_000} | plan,
        "fault": {"name": "haproxy-kill", "kind": "master", "master": "lb1", "backup": "lb2", "victim": "lb1"},
    }


def _holds(node: str, at_s: float, *, holds: bool) -> str:
    at_ns = round((START_S + at_s) * 1e6) * 1000
    return f"switchover_vrrp,instance=vip,node={node},run=r holds_vip={str(holds).lower()} {at_ns}"


def _event(kind: str, text: str, at_s: float) -> str:
    at_ns = round((START_S + at_s) * 1e6) * 1000
    return f'switchover_event,kind={kind},node=lb1,run=r text="{text}" {at_ns}'


def _weight(server: str, weight: int, at_s: int, kind: str = "server") -> str:
    tags = f"node=lb1,proxy=web,run=r,server={server},type={kind}"
    return f"switchover_haproxy,{tags} scur=0i,weight={weight}i {(START_S + at_s) * 1_000_000_000}"


BASELINE: list[Line] = [
    _holds("lb1", 0, holds=True),
    _holds("lb2", 0, holds=False),
    [f"{GOOD} count=100i", 0, 10],
    [f"{PROBED} count=10i", 0, 10],
]
OUTAGE: list[Line] = [
    [f"{REFUSED} count=100i", 10, 13],
    [f"{LOST} count=10i", 10, 13],
    _holds("lb1", 10.5, holds=False),
    _holds("lb2", 12.25, holds=True),
]
ON_BACKUP: list[Line] = [[f"{GOOD_OF_LB2} count=100i", 13, 20], [f"{PROBED} count=10i", 13, 20]]
FAILBACK: list[Line] = [
    [f"{REFUSED} count=40i", 20, 21],
    [f"{LOST} count=4i", 20, 21],
    [f"{PROBED} count=6i", 20, 21],
    _holds("lb2", 20.5, holds=False),
    _holds("lb1", 20.75, holds=True),
    [f"{GOOD} count=100i", 21, 30],
    [f"{PROBED} count=10i", 21, 30],
]
FIRED = {"fired_from_us": 10.4, "fired_to_us": 10.5, "confirmed_us": 10.9}
HEALED = {"heal_from_us": 20.3, "heal_to_us": 20.4, "healed_us": 20.6}


def _cases() -> Iterator[dict[str, Any]]:
    def case(name: str, run: dict[str, Any], lines: Sequence[Line], now_s: int) -> dict[str, Any]:
        return {"name": name, "run": run, "lines": list(lines), "now_s": now_s}

    yield case("before a fault", _run(), BASELINE, 10)
    yield case("dark", _run(FIRED), [*BASELINE, *OUTAGE], 13)
    yield case(
        "good again, but not for long enough",
        _run(FIRED),
        [*BASELINE, *OUTAGE, [f"{PROBED} count=10i", 13, 17]],
        17,
    )
    yield case("on_backup", _run(FIRED), [*BASELINE, *OUTAGE, *ON_BACKUP], 20)
    yield case("healed", _run(FIRED | HEALED), [*BASELINE, *OUTAGE, *ON_BACKUP, *FAILBACK[:3]], 21)
    yield case("recovered", _run(FIRED | HEALED), [*BASELINE, *OUTAGE, *ON_BACKUP, *FAILBACK], 30)
    at_end = {"end_us": 20.2} | HEALED
    yield case(
        "healed because the test has ended", _run(FIRED | at_end), [*BASELINE, *OUTAGE, *ON_BACKUP, *FAILBACK], 30
    )
    yield case("nothing was impaired", _run(FIRED), [*BASELINE, [f"{PROBED} count=10i", 10, 16]], 16)
    yield case(
        "a fault that only the journal tells of",
        _run(),
        [*BASELINE, *OUTAGE, _event("fault", "haproxy-kill: confirmed", 10.4)],
        13,
    )
    yield case("without probes", _run(FIRED, {"probe_rate": 0.0}), [BASELINE[2], OUTAGE[0]], 13)
    yield case("before the first probe has ended", _run(FIRED), [BASELINE[2], OUTAGE[0]], 13)
    yield case("two who hold the address", _run(), [*BASELINE, _holds("lb2", 6.5, holds=True)], 10)
    yield case("no word of one of them", _run(), [BASELINE[0], *BASELINE[2:]], 10)
    yield case(
        "a bucket that was written again, by two workers, in the words of an older version",
        _run(),
        [
            [f"{GOOD},worker=a count=7i,bytes=1i", 3, 5],
            [f"{GOOD},worker=a count=9i,bytes=1i", 3, 4],
            [f"{GOOD},worker=b count=2i,bytes=1i", 3, 4],
            [f"{LATE},worker=b count=1i", 3, 4],
            ["switchover_requests,answered_by=backend,backend=web\\ 3,balancer=lb1,outcome=ok count=5i", 4, 5],
            [f"{PROBED_LATE} count=3i", 4, 5],
        ],
        6,
    )
    yield case(
        "what says nothing of the pair",
        _run(),
        [
            ["switchover_requests,answered_by=none,outcome=unsent count=3i", 1, 2],
            ["switchover_requests,answered_by=none,outcome=generator count=3i", 1, 2],
            ["switchover_requests,answered_by=none,error=generator,outcome=failed count=3i", 1, 2],
            ["switchover_probes,error=generator,outcome=unsent,stream=fresh count=3i", 1, 2],
            ["switchover_probes,outcome=good,stream=kept count=3i", 1, 2],
            ["switchover_requests,outcome=good count=4i", 1, 2],
            ["switchover_requests,outcome=unheard-of count=4i", 1, 2],
            "switchover_requests,outcome=good count=4i",
            "garbage",
        ],
        2,
    )
    yield case("a clock that is ahead", _run(), [*BASELINE, [f"{GOOD} count=1i", 60, 80]], 10)
    yield case(
        "shares beside the weights of the run",
        _run(settings={"probe_rate": 10.0, "weights": {"web1": 3.0, "web2": 1.0, "web9": 4.0}}),
        [_weight("web1", 1, 0), [f"{GOOD} count=3i", 0, 20], [f"{GOOD_OF_WEB2} count=1i", 0, 12]],
        20,
    )
    yield case(
        "shares beside the weights that HAProxy began with",
        _run(),
        [
            _weight("web1", 3, 0),
            _weight("web2", 1, 0),
            _weight("BACKEND", 4, 0, "backend"),
            _weight("web2", 0, 5),
            [f"{GOOD} count=3i", 0, 10],
            [f"{GOOD_OF_WEB2} count=1i", 0, 5],
        ],
        10,
    )
    yield case(
        "names beyond the limit",
        _run(),
        [[f"switchover_requests,outcome=unsent,backend=u{number} count=1i", 1, 2] for number in range(50)]
        + [[f"switchover_requests,outcome=good,backend=b{number:03} count=1i", 1, 2] for number in range(120)],
        2,
    )
    yield case("older seconds, added up", _run(FIRED), [[f"{GOOD} count=2i", 0, 1000], *OUTAGE[:2]], 1000)
    yield case(
        "more events than are kept, and a long one",
        _run(),
        [
            ['switchover_event,kind=warning,node=lb1,run=r text="something"', 0, 250],
            _event("warning", "\U0001d11e" * 301, 250),
        ],
        251,
    )


if __name__ == "__main__":
    (FOLDER / FILE).write_text(formatted(live_vectors()), encoding="utf-8")
