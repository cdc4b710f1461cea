"""Locust's web UI with the Switchover page, over a run that is made up: the master is killed when the page asks.

    python -m support.staged_page PORT '{"backends": ["web1"], "armed": false}'

What a browser test needs of a run, without a lab and without the rest of the plugin. The JSON is a `Scene`.
"""

# ruff: noqa: E402, I001 - gevent patches before all else; and the plugin stays out where Locust comes after it
from gevent import monkey

monkey.patch_all()

import json
import random
import sys
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import gevent

from switchover.drill.remote.parent import Controller, ControllerState
from switchover.rundir.run_records import RunSettings, TargetFacts
from switchover.model.clock import Clock
from switchover.rundir.journal import Journal
from switchover.locust.page.routes import register
from switchover.locust.page.live_run import LiveRun
from switchover.rundir.run_directory import FaultRun, Plan, Run, write_run
from switchover.rundir.traffic import Traffic

from locust import User, constant, task
from locust.env import Environment

CLOCK = Clock.of_process()
TAKEOVER_S, RATE, PROBES = 3.6, 400, 200


@dataclass
class Scene:
    """What a test asks for."""

    backends: list[str] = field(default_factory=lambda: ["web1", "web2", "web3"])
    armed: bool = True
    conducted: bool = True
    verdict: str | None = None
    login: bool = False
    base_path: str = ""
    error: str | None = None
    firing_s: float = 0.0
    """How long the fault is being fired and proved."""


class Stage:
    """One made-up run; `fire` and `heal` are the page's."""

    def __init__(self, scene: Scene, directory: Path, live: LiveRun) -> None:
        self.scene = scene
        self.state = ControllerState(
            phase="baseline",
            holders=["lb1"],
            faults=["haproxy-kill", "node-down"],
            armed=scene.armed,
            error=scene.error,
        )
        self.died: str | None = None
        self._live = live
        self._directory = directory
        self._journal = Journal(directory / "journal.lp", {"run": directory.name})
        self._traffic = Traffic("switchover_requests", directory.name, "")
        self._probes = Traffic("switchover_probes", directory.name)
        self._chance = random.Random(7)
        self._done_us = CLOCK.now_us()
        self._run = Run(id=directory.name, name="staged", plan=Plan(start_us=self._done_us))
        nodes = [{"name": name, "role": "balancer"} for name in ("lb1", "lb2")]
        self._run.target = TargetFacts.of({"url": "http://198.18.0.50/", "lab": True, "nodes": nodes})
        self._run.settings = RunSettings.of({"probe_rate": float(PROBES)})
        self._run.fault = FaultRun("haproxy-kill", "master", predict_low_ms=2609.375, predict_high_ms=4609.375)
        write_run(directory, self._run)
        self._journal.event("start", "staged", time_ns=self._done_us * 1000)
        self._owner("lb1", True)
        self._owner("lb2", False)

    def fire(self, name: str | None = None) -> None:
        self._note(phase="fault")
        gevent.spawn_later(self.scene.firing_s, self._fire, name)

    def _fire(self, name: str | None) -> None:
        now_us = CLOCK.now_us()
        self._note(fault=name, fired_us=now_us, phase="switchover", notes=[f"fired {name} on lb1"])
        self._journal.event("fault", f"{name}: confirmed", time_ns=now_us * 1000, node="lb1")
        gevent.spawn_later(TAKEOVER_S, self._move, "lb1", "lb2")

    def heal(self) -> None:
        now_us = CLOCK.now_us()
        self._note(heal_us=now_us, phase="failback")
        self._journal.event("heal", f"{self.state.fault}: healed", time_ns=now_us * 1000, node="lb1")
        gevent.spawn_later(2.0, self._move, "lb2", "lb1")

    def follow(self) -> None:
        """Make up what has happened since the last time, every fifth of a second."""
        while True:
            gevent.sleep(0.2)
            now_us = CLOCK.now_us()
            while self._done_us < now_us:
                self._request(self._traffic, self._done_us, probe=False)
                if self._done_us * PROBES // 1_000_000 != (self._done_us - 1_000_000 // RATE) * PROBES // 1_000_000:
                    self._request(self._probes, self._done_us, probe=True)
                self._done_us += 1_000_000 // RATE
            self._live.add_lines(self._traffic.flush(now_us))
            for line in self._probes.flush(now_us):
                self._journal.write_line(line)

    def _request(self, traffic: Traffic, at_us: int, *, probe: bool) -> None:
        state = self.state
        dead = (
            state.fired_us is not None and at_us >= state.fired_us and state.holders == ["lb1"] and not state.heal_us
        )
        names = self.scene.backends
        tags = {"answered_by": "none", "outcome": "failed"}
        if not dead:
            node, name = state.holders[-1], names[at_us * RATE // 1_000_000 % len(names)]
            tags = {"answered_by": "backend", "backend": name, "balancer": node, "outcome": "good"}
            if not probe and self._chance.random() < 0.01:
                tags["outcome"] = "late"
        if dead and not probe and self._chance.random() < 0.7:
            return  # users wait for their time-outs
        traffic.add(at_us, 1000, 1234, tags | ({"stream": "fresh"} if probe else {"label": "/"}))

    def _owner(self, node: str, holds: bool) -> None:
        tags = {"node": node, "instance": "VI_1"}
        self._journal.write("switchover_vrrp", tags, {"state": "", "holds_vip": holds}, CLOCK.now_ns())

    def _move(self, old: str, new: str) -> None:
        self._owner(new, True)
        self._journal.event("vrrp", f"{new} holds 198.18.0.50 (ip monitor)", time_ns=CLOCK.now_ns(), node=new)
        self._owner(old, False)
        self._note(holders=[new], phase="on_backup" if new == "lb2" else "recovered")

    def _note(self, **changed: Any) -> None:
        self.state = replace(self.state, **changed)


class Idle(User):
    """The load is made up; Locust only has to be on."""

    wait_time = constant(1)

    @task
    def nothing(self) -> None:
        """Nothing."""


def serve(port: int, scene: Scene) -> None:
    """Until the process is ended."""
    environment = Environment(user_classes=[Idle])
    environment.create_local_runner()
    web_ui = environment.create_web_ui(
        "127.0.0.1", port, web_base_path=scene.base_path or None, web_login=scene.login, delayed_start=True
    )
    live = LiveRun(CLOCK.now_us)
    register(environment, live)
    if scene.login:
        from support.staged_login import protect

        protect(web_ui)
    stages: list[Any] = []

    def begin(**_: Any) -> None:
        directory = Path(tempfile.mkdtemp(prefix="staged-"))
        stage = Stage(scene, directory, live)
        live.begin(directory, cast(Controller, stage) if scene.conducted else None)
        stages.append(gevent.spawn(stage.follow))

    def end(**_: Any) -> None:
        stages.pop().kill()
        report = "<!doctype html><title>r</title><body><script>document.body.append('drawn')</script></body>"
        (live.directory / "report.html").write_text(report, encoding="utf-8")
        live.end(json.loads(Path(scene.verdict).read_text(encoding="utf-8")) if scene.verdict else None)

    environment.events.test_start.add_listener(begin)
    environment.events.test_stop.add_listener(end)
    web_ui.start()
    while web_ui.server is None or not web_ui.server.started:
        gevent.sleep(0.01)
    print("ready", flush=True)
    gevent.wait()


if __name__ == "__main__":
    serve(int(sys.argv[1]), Scene(**json.loads(sys.argv[2] if len(sys.argv) > 2 else "{}")))
