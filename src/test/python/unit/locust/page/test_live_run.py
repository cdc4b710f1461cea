"""The state of a run as a page asks for it, and what can be fired from the page."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from switchover.drill.remote.parent import Controller, ControllerState
from switchover.locust.page.live_run import NO_CONTROLLER, LiveRun
from switchover.rundir.journal import Journal
from switchover.rundir.points import Point, format_point
from switchover.rundir.run_directory import write_run
from switchover.verdict.judge import judge
from synthetic import drill, pair_run, vrrp

START_US = 1_000_000_000_000
BALANCERS = ("lb1", "lb2")


class Clock:
    now_us = START_US

    def __call__(self) -> int:
        return self.now_us


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def live(clock: Clock) -> LiveRun:
    return LiveRun(clock)


def describe(directory: Path, **settings: Any) -> None:
    """A run.json as a drill writes it when it starts."""
    run = pair_run(probe_rate=100.0, **settings)
    run.plan = type(run.plan)(start_us=START_US)
    write_run(directory, run)


def traffic(at_s: int, count: int, **tags: str) -> str:
    tags = {"answered_by": "backend", "balancer": "lb1", "backend": "web1", "outcome": "good", "run": "r"} | tags
    return format_point("switchover_requests", tags, {"count": count}, (START_US // 1_000_000 + at_s) * 1_000_000_000)


def put(directory: Path, *points: Point) -> None:
    journal = Journal(directory / "journal.lp", {"run": "r"})
    for point in points:
        journal.write(point.measurement, point.tags, point.fields, point.time_ns)
    journal.close()


def advance(live: LiveRun) -> dict[str, Any]:
    while live.advance():
        pass
    state = live.state()
    json.dumps(state)
    return state


def test_a_run_shows_traffic_shares_and_its_target(live: LiveRun, clock: Clock, tmp_path: Path) -> None:
    describe(tmp_path)
    live.begin(tmp_path)
    live.add_lines([traffic(0, 300), traffic(0, 100, backend="web2"), traffic(1, 7, outcome="failed")])
    live.add_lines(["switchover_users,run=r active=5i 1", "garbage", ""])
    clock.now_us += 2_000_000
    state = advance(live)
    assert state["state"] == "running"
    assert state["run"]["target"] == "http://198.18.0.50/"
    second = START_US // 1_000_000
    assert state["timeline"] == [[second, 400, 0, 0, 0, 0, 0], [second + 1, 0, 7, 0, 0, 0, 0]]
    assert {row["name"]: row["count"] for row in state["shares"]["backends"]} == {"web1": 307, "web2": 100}
    assert state["totals"]["requests"] == {"good": 400, "failed": 7, "late": 0}
    assert state["nodes"] == [{"node": node, "observed": False, "holds": []} for node in BALANCERS]
    assert state["split_brain"] is None


def test_owners_and_split_brain_come_from_the_sources(live: LiveRun, clock: Clock, tmp_path: Path) -> None:
    describe(tmp_path)
    live.begin(tmp_path)
    put(
        tmp_path,
        vrrp("lb1", START_US, state="", holds_vip=True),
        vrrp("lb2", START_US, state="", holds_vip=False),
        vrrp("lb2", START_US + 5_000_000, state="", holds_vip=True),
    )
    clock.now_us += 8_000_000
    state = advance(live)
    assert state["holders"] == ["lb1", "lb2"]
    assert [node["holds"] for node in state["nodes"]] == [
        [[START_US, START_US + 8_000_000]],
        [[START_US + 5_000_000, START_US + 8_000_000]],
    ]
    assert state["split_brain"] == {
        "total_ms": 3000.0,
        "periods": [[START_US + 5_000_000, START_US + 8_000_000]],
    }
    put(tmp_path, vrrp("lb1", START_US + 9_000_000, state="", holds_vip=False))
    clock.now_us += 8_000_000
    state = advance(live)
    assert (state["holders"], state["split_brain"]["total_ms"]) == (["lb2"], 4000.0)


def test_an_address_that_flaps_for_hours_takes_no_more_room(live: LiveRun, clock: Clock, tmp_path: Path) -> None:
    describe(tmp_path)
    live.begin(tmp_path)
    changes = (
        vrrp(node, START_US + n * 400_000, state="", holds_vip=n % 2 == 0) for n in range(3000) for node in BALANCERS
    )
    put(tmp_path, *changes)
    clock.now_us += 3000 * 400_000
    state = advance(live)
    assert state["split_brain"] is None, "old points were dropped"
    assert len(json.dumps(state)) < 100_000


def test_the_verdict_takes_the_place_of_what_was_provisional(live: LiveRun, tmp_path: Path) -> None:
    live.begin(tmp_path)
    live.end(msgspec.to_builtins(judge(drill()).record))
    state = advance(live)
    verdict = state["verdict"]
    assert state["state"] == "ended"
    assert (verdict["heading"], verdict["exit_code"]) == ("MEASURED (no limit set)", 0)
    assert verdict["rows"][0] == ["", "Outage", "3.01 s", "(2.989–3.010; predicted 2.61–4.61 s ✓)"]


def test_nothing_in_the_directory_raises(live: LiveRun, tmp_path: Path) -> None:
    live.begin(tmp_path)
    (tmp_path / "run.json").write_text('{"id": 5}')
    (tmp_path / "journal.lp").write_bytes(
        b"\xff\xfe\nswitchover_event,kind=fault nonsense\nswitchover_vrrp holds_vip=true 5\n"
        b'switchover_haproxy,node=lb1 status= 5\nswitchover_nginx,node=lb1 active="x" 5\n'
        b"switchover_probes,outcome=good count=99999999999999999999i 5\nswitchover_scrape ok=false 5\n"
    )
    state = advance(live)
    assert state["run"]["id"] == tmp_path.name


def test_a_long_run_with_many_backends_stays_small(live: LiveRun, clock: Clock, tmp_path: Path) -> None:
    """Three hours, 60 backends behind two balancers: what is polled every second, and what is polled at first."""
    live.begin(tmp_path)
    for at_s in range(10_800):
        live.add_lines([traffic(at_s, 3, backend=f"web{(at_s + n) % 60}", balancer=f"lb{n}") for n in range(2)])
        clock.now_us = START_US + at_s * 1_000_000
        if at_s % 100 == 0:
            live.advance()
    live.advance()
    state = live.state()
    assert state["totals"]["requests"]["good"] == 6 * 10_800
    assert len(json.dumps(state)) < 180_000
    assert len(json.dumps(live.state(state["revision"]))) < 30_000


def test_the_switchover_begins_with_the_firing_and_ends_with_the_heal(
    live: LiveRun, clock: Clock, tmp_path: Path
) -> None:
    control: Any = SimpleNamespace(died=None, state=ControllerState(phase="baseline"))
    describe(tmp_path)
    live.begin(tmp_path, control)
    fired_us, heal_us = START_US + 12_000_000, START_US + 20_000_000
    moments: tuple[tuple[int, str, dict[str, Any], str], ...] = (
        (10, "baseline", {}, "baseline"),
        (11, "fault", {}, "switchover"),
        (13, "switchover", {"fired_us": fired_us}, "switchover"),
        (25, "failback", {"fired_us": fired_us, "heal_us": heal_us}, "failback"),
    )
    for at_s, phase, more, expected in moments:
        clock.now_us = START_US + at_s * 1_000_000
        control.state = ControllerState(phase=phase, **more)
        assert advance(live)["phase"] == expected


def test_the_outage_so_far_is_that_of_the_lost_probes(live: LiveRun, clock: Clock, tmp_path: Path) -> None:
    control: Any = SimpleNamespace(died=None, state=ControllerState(phase="baseline"))
    describe(tmp_path)
    live.begin(tmp_path, control)
    lost = Point("switchover_probes", {"outcome": "failed", "stream": "fresh"}, {"count": 50}, 0)
    put(tmp_path, *(replace(lost, time_ns=(START_US + at_s * 1_000_000) * 1000) for at_s in (3, 12, 13, 30)))
    clock.now_us = START_US + 20_000_000
    assert advance(live)["lost_ms"] is None
    control.state = ControllerState(phase="switchover", fired_us=START_US + 12_000_000)
    assert advance(live)["lost_ms"] == 1000.0


READY = ControllerState(phase="baseline", faults=["haproxy-kill", "node-down"], armed=True)


@dataclass
class Conducted:
    """A controller that remembers what it was asked for."""

    state: ControllerState = READY
    died: str | None = None
    asked: list[str | None] = field(default_factory=list)

    def fire(self, name: str | None = None) -> None:
        self.asked.append(name)

    def heal(self) -> None:
        self.asked.append("heal")


def running(control: Conducted | None, tmp_path: object) -> LiveRun:
    from pathlib import Path

    live = LiveRun(lambda: 1_000_000)
    live.begin(Path(str(tmp_path)), cast("Controller | None", control))
    return live


@pytest.mark.parametrize(
    ("state", "name", "why"),
    [
        (replace(READY, armed=False), "node-down", "--switchover-arm"),
        (replace(READY, fault="node-down", fired_us=5), "node-down", "node-down was fired already"),
        (READY, "rm -rf /", "this run: haproxy-kill, node-down"),
        (READY, None, "choose a fault"),
        (replace(READY, fault="haproxy-kill"), "node-down", "this run: haproxy-kill"),
    ],
    ids=["not armed", "fired", "unknown", "none chosen", "another was chosen"],
)
def test_what_cannot_be_fired_is_refused_with_the_reason(
    state: ControllerState, name: str | None, why: str, tmp_path: object
) -> None:
    control = Conducted(state)
    refusal = running(control, tmp_path).fire(name)
    assert refusal is not None
    assert why in refusal
    assert control.asked == []


def test_nothing_is_fired_before_after_or_beside_a_run(tmp_path: object) -> None:
    control = Conducted()
    live = LiveRun(lambda: 1_000_000)
    assert "no run is active" in (live.fire("node-down") or "")
    live = running(control, tmp_path)
    live.end(None)
    assert "no run is active" in (live.fire("node-down") or "")
    assert "no run is active" in (live.heal() or "")
    assert running(None, tmp_path).fire("node-down") == NO_CONTROLLER
    died = running(Conducted(died="killed by signal 9"), tmp_path)
    assert "killed by signal 9" in (died.fire("node-down") or "")
    assert control.asked == []


def test_only_what_was_fired_can_be_healed_and_only_once(tmp_path: object) -> None:
    assert "nothing was fired" in (running(Conducted(), tmp_path).heal() or "")
    fired = replace(READY, fault="node-down", fired_us=5)
    control = Conducted(fired)
    assert running(control, tmp_path).heal() is None
    assert control.asked == ["heal"]
    assert "already" in (running(Conducted(replace(fired, heal_us=6)), tmp_path).heal() or "")
