"""Runs that never happened: samples, points and a whole failover with exact books, made from a seed.

`simulate` is the second source of the accounting: it plays client, two HAProxys with their counters and
generations, scrapes, a kill, a restart and the backends' access logs, and knows what really happened.
"""

import random
from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from support.request_tables import run_data
from switchover.evidence.run_data import RunData
from switchover.figures.outage import Gap, Outage
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import NO_ANSWER, AnsweredBy, Identity
from switchover.rundir.points import Point
from switchover.rundir.run_directory import FaultRun, Plan, Run
from switchover.rundir.run_records import ClockReading, ProbeAccount, RunSettings, TargetFacts
from switchover.rundir.sample_log import Sample
from switchover.verdict.record import OutageKind

URL = "http://198.18.0.50/"
SECOND = 1_000_000
FIRED, HEAL, END = 5 * SECOND, 20 * SECOND, 30 * SECOND
OVERLAP = 20_000
"""So long after a reload the old process may still take a connection."""
_NEVER = 1 << 60
STEP = 10_000
"""Between two probes of `drill`."""


def gap_of(from_us: int, to_us: int, *, early_us: int = 0, closed: bool = True) -> Gap:
    """One failed probe in it, sent when it began."""
    return Gap(
        from_us=from_us,
        to_us=to_us,
        first_us=from_us,
        last_us=from_us,
        known_from_us=from_us,
        early_left_us=early_us,
        early_right_us=0,
        failed=1,
        late=0,
        closed=closed,
    )


def away(duration_us: int, early_us: int = 0, *, from_us: int = 0, **facts: Any) -> Outage:
    """One gap, that may have been shorter by `early_us`."""
    gap = gap_of(from_us, from_us + duration_us, early_us=early_us, closed=not facts.get("censored"))
    return Outage(**{"kind": OutageKind.OUTAGE, "gaps": (gap,), **facts})


def telling(target: TargetFacts, *nodes: str, **sources: bool) -> TargetFacts:
    """The target, of which these nodes were to tell by such sources: `vip_owner=True`."""
    told = [{**node, **(sources if node["name"] in nodes else {})} for node in target.written["nodes"]]
    return target | {"nodes": told}


def sample(
    start_us: int,
    end_us: int,
    *,
    intended_us: int | None = -1,
    success: bool = True,
    error: FailureKind | None = None,
    identity: Identity | None = None,
    stream: str = "fresh",
    attempts: int = 1,
    session: str = "",
    thread: str = "",
    url: str = URL,
) -> Sample:
    """A sample with what a test does not care about filled in; it was due when it was sent, unless told."""
    answered = success or error is FailureKind.STATUS
    if identity is None:
        identity = Identity("web1", "lb1", AnsweredBy.BACKEND) if answered else NO_ANSWER
    return Sample(
        start_us=start_us,
        end_us=end_us,
        intended_us=start_us if intended_us == -1 else intended_us,
        label="probe",
        code="200" if success else "",
        message="",
        thread=thread,
        success=success,
        failure_message="",
        nbytes=100,
        sent_bytes=50,
        url=url,
        latency_us=end_us - start_us,
        connect_us=0,
        identity=identity,
        error=error,
        attempts=attempts,
        stream=stream,
        session=session,
    )


def refused(start_us: int, took_us: int = 200) -> Sample:
    return sample(start_us, start_us + took_us, success=False, error=FailureKind.REFUSED)


def steady(from_us: int, to_us: int, every_us: int = 1000, took_us: int = 300) -> list[Sample]:
    """Good probes on a grid."""
    return [sample(at, at + took_us) for at in range(from_us, to_us, every_us)]


def vrrp(node: str, at_us: int, **fields: Any) -> Point:
    return Point("switchover_vrrp", {"node": node, "instance": "VI_1"}, fields, at_us * 1000)


def pair_run(**settings: Any) -> Run:
    """A run of `haproxy-kill` on lb1 of a pair, fired at 5 s, healed at 20 s, over at 30 s."""
    run = Run(id="20240101T000000Z-test", name="haproxy-kill")
    nodes = [
        {"name": "lb1", "role": "balancer"},
        {"name": "lb2", "role": "balancer"},
        *({"name": f"web{number}", "role": "backend"} for number in (1, 2, 3)),
    ]
    run.target = TargetFacts.of({"url": URL, "dedicated": True, "nodes": nodes})
    run.settings = RunSettings.of(
        {"probe_rate": 1000.0, "kept_rate": 0.0, "timeout_read_ms": 1000.0, "late_ms": 1000.0, **settings}
    )
    run.plan = Plan(
        start_us=0,
        fired_from_us=FIRED,
        fired_to_us=FIRED + 500,
        confirmed_us=FIRED + 900,
        heal_from_us=HEAL,
        heal_to_us=HEAL + 1000,
        healed_us=HEAL + 2000,
        end_us=END,
    )
    run.clocks = [
        ClockReading.of({"node": node, "when": when, "offset_us": 0, "bound_us": 0})
        for node in ("lb1", "lb2")
        for when in ("before", "after")
    ]
    run.generator = ProbeAccount.of({"scheduled": 0, "unsent": 0})
    run.fault = FaultRun(
        name="haproxy-kill",
        kind="master",
        master="lb1",
        backup="lb2",
        victim="lb1",
        predict_low_ms=2609.375,
        predict_high_ms=4609.375,
        predict_reason="script time and the master down interval",
    )
    return run


@cache
def probes(down_us: int = 3 * SECOND) -> tuple[Sample, ...]:
    """Refused for a while from the kill on; lb2 answers until the failback."""
    found = []
    for at in range(0, END, STEP):
        node = "lb2" if FIRED <= at < HEAL + 4 * SECOND else "lb1"
        identity = Identity(f"web{at // STEP % 3 + 1}", node, AnsweredBy.BACKEND)
        found.append(refused(at) if FIRED <= at < FIRED + down_us else sample(at, at + 300, identity=identity))
    return tuple(found)


def drill(**changes: Any) -> RunData:
    """A trusted `haproxy-kill` of 3 s with an ownership source."""
    run = pair_run(probe_rate=100.0)
    run.generator = ProbeAccount.of(
        {"scheduled": 3_000, "unsent": 0, "lag_p50_ms": 0.1, "lag_p99_ms": 0.9, "cpu_percent": 15.0}
    )
    points = [
        vrrp("lb1", 0, state="MASTER", priority=101, holds_vip=True),
        vrrp("lb2", 0, state="BACKUP", priority=100, holds_vip=False),
        vrrp("lb1", FIRED + 400_000, state="MASTER", priority=81, holds_vip=True),
        vrrp("lb2", FIRED + 2_998_000, state="MASTER", priority=100, holds_vip=True),
        vrrp("lb1", FIRED + 2_999_000, state="BACKUP", priority=81, holds_vip=False),
        vrrp("lb1", HEAL + 4 * SECOND, state="MASTER", priority=101, holds_vip=True),
        vrrp("lb2", HEAL + 4 * SECOND + 1500, state="BACKUP", priority=100, holds_vip=False),
    ]
    facts: dict[str, Any] = {"run": run, "probes": probes(), "points": points}
    return run_data(**facts | changes)


@dataclass
class _Process:
    """One HAProxy process: what it has counted, each entry stamped with when it counted it, in order."""

    generation: str
    servers: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    backend: list[int] = field(default_factory=list)
    requests: list[int] = field(default_factory=list)
    turn: int = 0

    def rows(self, node: str, sent_us: int, read_us: Sequence[int], backends: Sequence[str]) -> list[Point]:
        """`read_us`: when each row was read. HAProxy goes on working while one of its threads writes them."""

        def row(proxy: str, server: str, kind: str, **numbers: int) -> Point:
            tags = {"node": node, "proxy": proxy, "server": server, "type": kind}
            return Point(
                "switchover_haproxy", tags, {**numbers, "status": "UP", "generation": self.generation}, sent_us * 1000
            )

        def until(times: list[int], at_us: int) -> int:
            return bisect_right(times, at_us)

        web, health, *servers, backend = read_us
        return [
            row("web", "FRONTEND", "frontend", req_tot=until(self.requests, web), hrsp_2xx=until(self.backend, web)),
            row("health", "FRONTEND", "frontend", req_tot=health // 50_000, hrsp_2xx=health // 50_000),
            *(
                row("web", name, "server", hrsp_2xx=until(self.servers[name], at_us), stot=999)
                for name, at_us in zip(backends, servers, strict=True)
            ),
            row("web", "BACKEND", "backend", hrsp_2xx=until(self.backend, backend), wretr=0, wredis=0),
        ]


class _World:
    """Two balancers, three backends, one client; time is given by the caller."""

    def __init__(
        self, chance: random.Random, plan: Plan, takeover_us: int, failback_us: int, *, is_cut: bool, reload_us: int
    ) -> None:
        self.chance = chance
        self.plan = plan
        self.takeover_us = takeover_us
        self.failback_us = failback_us
        self.backends = ["web1", "web2", "web3"]
        self.access: dict[str, Counter[str]] = {name: Counter() for name in self.backends}
        self.old = {"lb1": _Process("100-1"), "lb2": _Process("200-1")}
        self.new = _Process("300-9")
        self.reloaded = _Process("400-5")
        self.reload_us = reload_us
        self.is_cut = is_cut
        self.killed_us = chance.randint(plan.fired_from_us or 0, plan.fired_to_us or 0)

    def owner(self, at_us: int) -> str:
        return "lb2" if self.takeover_us <= at_us < self.failback_us else "lb1"

    def process(self, node: str, at_us: int) -> _Process | None:
        if node == "lb1" and at_us >= self.reload_us and (self.is_cut or at_us < self.killed_us):
            return self.reloaded
        if node == "lb2" or self.is_cut or at_us < self.killed_us:
            return self.old[node]
        return self.new if at_us >= (self.plan.heal_from_us or 0) + 700 else None

    def request(self, start_us: int, intended_us: int | None, stream: str) -> Sample:
        node = self.owner(start_us)
        process = self.process(node, start_us)
        took_us = self.chance.randint(300, 3000)
        if self.reload_us < _NEVER and process is not None:
            # It may wait for a process to take it, and find another one than there was when it was sent.
            process = self.process(node, start_us + took_us // 20) or process
        if process is None or (self.is_cut and self.killed_us <= start_us < self.takeover_us):
            return sample(
                start_us,
                start_us + 150,
                intended_us=intended_us,
                success=False,
                error=FailureKind.REFUSED,
                stream=stream,
            )
        dies_us = self.killed_us if process in (self.old["lb1"], self.reloaded) and not self.is_cut else None
        times = [start_us + took_us * part // 10 for part in (1, 3, 6, 9)]
        parsed, forwarded, header, gone = times
        own = self.chance.random() < 0.01
        name = self.backends[process.turn % 3]
        process.turn += not own

        def lives(at_us: int) -> bool:
            return dies_us is None or at_us < dies_us

        if lives(parsed):
            insort(process.requests, parsed)
        if not own and lives(forwarded):
            self.access[name]["/"] += 1  # whatever becomes of the balancer
        if lives(header) and not own:
            insort(process.servers[name], header)
        if lives(gone):
            insort(process.backend, gone)
        if not lives(start_us + took_us):
            assert dies_us is not None
            return sample(
                start_us,
                dies_us + 100,
                intended_us=intended_us,
                success=False,
                error=FailureKind.RESET,
                stream=stream,
            )
        identity = Identity("", node, AnsweredBy.BALANCER) if own else Identity(name, node, AnsweredBy.BACKEND)
        error = FailureKind.STATUS if own else None
        return sample(
            start_us,
            start_us + took_us,
            intended_us=intended_us,
            success=not own,
            error=error,
            identity=identity,
            stream=stream,
        )

    def scrapes(self, until_us: int) -> list[Point]:
        points: list[Point] = []
        for number, node in enumerate(("lb1", "lb2")):
            sent_us = -500_000
            while sent_us <= until_us + 400_000:
                duration_us = self.chance.randint(500, 8000)
                rows = 3 + len(self.backends)
                read_us = sorted(sent_us + self.chance.randint(0, duration_us) for _ in range(rows))
                # One that dies in the middle of its answer has given none.
                process = self.process(node, read_us[-1])
                if node == "lb1" and 0 <= sent_us - self.reload_us < OVERLAP:
                    # Both take connections for a moment.
                    process = self.chance.choice((self.old[node], process))
                if node == "lb1" and sent_us <= self.reload_us < sent_us + duration_us:
                    process = self.old[node]
                ok = process is not None
                fields: dict[str, int | float | str | bool] = {"duration_ms": duration_us / 1000, "ok": ok}
                points.append(Point("switchover_scrape", {"node": node, "source": "haproxy"}, fields, sent_us * 1000))
                if process is not None:
                    points += process.rows(node, sent_us, read_us, self.backends)
                last = sent_us > until_us
                sent_us += 300_000 + number * 7_000 + self.chance.randint(0, 30_000)
                if not last and sent_us > until_us:
                    sent_us = until_us + 300_000
        return points


def simulate(
    seed: int, *, users: int = 3, rate: int = 200, is_cut: bool = False, reload_us: int | None = None
) -> RunData:
    """A `haproxy-kill` drill whose books are exact: nothing is lost, doubled or foreign.

    `is_cut`: a `node-down`, which ends no process. `reload_us`: when lb1 is reloaded, after the fault.
    """
    chance = random.Random(seed)
    run = pair_run(probe_rate=float(rate))
    if is_cut and run.fault is not None:
        run.fault = replace(run.fault, name="node-down")
    fired = chance.randint(1_500_000, 2_200_000)
    # On a busy machine the victim may live on for a while after the command was started, and be scraped once more.
    firing = chance.choice((800, 400_000))
    run.plan = Plan(
        start_us=0,
        fired_from_us=fired,
        fired_to_us=fired + firing,
        confirmed_us=fired + firing + 700,
        heal_from_us=fired + 2_000_000,
        heal_to_us=fired + 2_000_600,
        healed_us=fired + 2_001_000,
        end_us=fired + 4_000_000,
    )
    world = _World(
        chance,
        run.plan,
        fired + chance.randint(200_000, 900_000),
        fired + 2_900_000,
        is_cut=is_cut,
        reload_us=_NEVER if reload_us is None else fired + reload_us,
    )
    end_us = run.plan.end_us or 0
    due = [slot * SECOND // rate for slot in range(end_us * rate // SECOND)]
    unsent = set(chance.sample(range(len(due)), 2))
    starts: list[tuple[int, int | None, str]] = [
        (at + chance.randint(0, 300), at, "") for slot, at in enumerate(due) if slot not in unsent
    ]
    for user in range(users):
        at = chance.randint(0, 20_000)
        while at < end_us:
            starts.append((at, None, f"user {user}"))
            at += chance.randint(5_000, 30_000)
    requests = [
        world.request(at, due_us, "fresh")._replace(thread=thread)
        for at, due_us, thread in sorted(starts, key=lambda start: start[0])
    ]
    run.generator = ProbeAccount.of({"scheduled": len(due), "recorded": len(due) - 2, "unsent": 2})
    return run_data(
        run=run,
        probes=[one for one in requests if not one.thread],
        samples=[one._replace(stream="") for one in requests if one.thread],
        points=sorted(world.scrapes(end_us), key=lambda point: point.time_ns),
        access=world.access,
    )
