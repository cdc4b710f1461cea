"""Runs of every kind for the vectors, made from seeds: what went wrong in them was drawn by lot."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from support.request_tables import changed, run_data, samples_of
from switchover.analysis.run_data import RunData
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import NO_ANSWER, AnsweredBy, Identity
from switchover.rundir.measurements import ADVERT, EVENT, HAPROXY, MACHINE, SCRAPE
from switchover.rundir.points import Point
from switchover.rundir.run_directory import CutPhase, Plan, Run
from switchover.rundir.run_records import ClockReading, ProbeAccount, RunSettings, WorkerFacts
from switchover.rundir.sample_log import Sample
from synthetic import END, FIRED, HEAL, SECOND, drill, pair_run, probes, sample, simulate, telling, vrrp

PLANS, SIMULATED, DRAWN = 30, 6, 50
LIMITS = (
    "outage=3s",
    "outage=750ms",
    "failback=1s",
    "failed=1%",
    "failed=20",
    "failed-total=0.5%",
    "late=0",
    "late=2%",
    "split-brain=0s",
    "split-brain=1s",
    "unaccounted=0",
)


ONLY_PYTHON = frozenset({44})
"""An unconfirmed kill that a supervisor undid: the jar does not judge it, and calls the run INVALID."""


def scenarios() -> Iterator[tuple[str, RunData]]:
    thinned = drill(probes=probes()[::5])
    thinned.run.settings |= {"probe_rate": 20.0}
    yield "a trusted drill", thinned
    yield "no probe was recorded", drill(probes=())
    yield "a baseline whose rate is rounded", rounded_baseline()
    yield "a service that stood still for less than the late threshold", _stood_still(thinned)
    yield from _plans_that_failed()
    for seed in range(SIMULATED):
        yield f"simulated {seed}", simulate(seed, users=1, rate=25)
    for seed in sorted({*range(DRAWN)} - ONLY_PYTHON):
        yield f"drawn {seed}", _Draw(seed).data()


def rounded_baseline() -> RunData:
    """7 probes in 3.9966 s are 1.7515/s, told as 1.751/s: 16.7 % more than 1.5/s, and not 16.8 %."""
    start_us = FIRED - 3_996_603
    data = drill(probes=[one for one in probes()[::50] if one.start_us >= start_us])
    data.run.settings |= {"probe_rate": 1.5}
    data.run.plan = replace(data.run.plan, start_us=start_us)
    return data


def _stood_still(data: RunData, stood_us: int = 800_000) -> RunData:
    """After the fault, and then it answers all that it was asked."""
    until_us, held = FIRED + stood_us, []
    for one in probes(0)[::5]:
        is_held = FIRED <= one.start_us < until_us
        held.append(one._replace(end_us=until_us) if is_held else one)
    return changed(data, probes=held)


def _plans_that_failed() -> Iterator[tuple[str, RunData]]:
    """Runs in which the commands said one thing, and the sources another."""
    yield "a observed drill with its limits kept", observed("outage=5s", "failed=100%")
    yield "a limit within the interval", observed("outage=2.99s")
    yield "a kill that hit nothing", observed("outage=5s", killed=False)
    yield "a heal that did nothing", observed("outage=5s", healed=False)
    yield "a server that did not come back", observed("outage=5s", server_back=False)
    stays = observed("outage=5s", probed_down_us=0, killed=False, answers_move=False)
    yield "a kill whose only source is its own command", replace(stays, points=[])
    down = observed("outage=5s")
    assert down.run.fault is not None
    cut_off = replace(down.run, fault=replace(down.run.fault, name="node-down"))
    cut_off.target = telling(cut_off.target, "lb1", "lb2", vip_owner=True)
    yield "a node that is down, and its source with it", replace(down, run=cut_off, points=[])
    unfired = observed("outage=5s", killed=False, probed_down_us=0, answers_move=False)
    unfired.run.plan = replace(
        unfired.run.plan, fired_from_us=None, fired_to_us=None, confirmed_us=None, heal_from_us=None, healed_us=None
    )
    yield "a fault that was planned and not fired", unfired
    assert unfired.run.fault is not None
    refused = replace(unfired.run.fault, error="haproxy-kill does not fire: no backup is proven well")
    yield "a fault that was refused", replace(unfired, run=replace(unfired.run, fault=refused))
    in_use = replace(unfired.run.fault, error="lb1 is in use: process 7 has it for run other")
    unbegun = replace(unfired.run, fault=in_use, plan=Plan(), generator=ProbeAccount())
    yield "a fault that was refused before the run began", changed(unfired, run=unbegun, probes=(), points=[])
    undue = unfired.run.settings | {"fault_planned": "haproxy-kill", "fault_at_s": 60.0}
    yield "a fault that was never due", replace(unfired, run=replace(unfired.run, fault=None, settings=undue))
    dry_run = replace(unfired, run=replace(unfired.run, dry_run=True))
    yield "a dry run", dry_run
    stopped = observed("outage=5s")
    stopped.run.stopped = "interrupted before the plan was done"
    yield "a run that was stopped", stopped
    yield "not recovered, without a limit", observed(probed_down_us=15 * SECOND)
    yield "a heal before the next scrape", healed_between_scrapes()
    yield "a heal that did nothing, before the failback was due", ended_before_the_failback()
    yield "the watchdog healed for a run that was killed", healed_for_a_killed_run()
    yield "a heal at the end of the run that did nothing", healed_at_the_end(healed=False)
    yield "a heal at the end of the run", healed_at_the_end(healed=True)
    yield "a journal that could not be written any more", unwritten_journal()
    yield from _held_up()
    yield "limits kept without any telemetry", replace(observed("outage=5s"), points=[])
    unheard = observed("outage=5s")
    unheard.run.workers = [WorkerFacts.of({"worker": "s1:1099", "host": "s1", "ended": "lost"})]
    yield "a server that was lost before its first sample", unheard


def _held_up() -> Iterator[tuple[str, RunData]]:
    """A stretch without a probe somewhere else than at an edge of the outage, which is of 3.05 s."""

    def held(from_us: int, for_us: int, *limits: str, down_us: int = 3 * SECOND) -> RunData:
        data = observed(*limits, probed_down_us=down_us)
        sent = [one for one in samples_of(data.probes) if not from_us < one.start_us < from_us + for_us]
        return changed(data, probes=sent)

    yield "held up after the heal", held(HEAL + SECOND, 600_000)
    yield "held up for longer than the outage", held(HEAL + SECOND, 3_500_000)
    yield "no outage, held up for a second", held(FIRED + 9 * SECOND, SECOND, down_us=0)
    yield "no outage, held up for longer than a second", held(FIRED + 9 * SECOND, 1_050_000, down_us=0)
    busy = [_machine(HEAL, {}), _machine(HEAL + SECOND, {}), _machine(HEAL + 5 * SECOND, {"waited_ms": 3_400.0})]
    yield "held up by a busy machine", _with_points(held(HEAL + SECOND, 3_500_000), busy)
    yield "a limit within a probe gap after the heal", held(HEAL + SECOND, 600_000, "failback=550ms")
    stolen = [_machine(FIRED - SECOND, {}), _machine(FIRED, {"stolen_ms": 200.0})]
    probe_gap = held(FIRED - 180_000, 180_000, "outage=3100ms")
    yield "a limit within a probe gap that the hypervisor made", _with_points(probe_gap, stolen)
    heard = Point(ADVERT, {"node": "lb2"}, {"vrid": 51, "priority": 100}, (FIRED + 2_962_000) * 1000)
    yield "an advert before the new master said that it is one", _with_points(observed(), [heard])


def _machine(at_us: int, fields: dict[str, float]) -> Point:
    quiet = {"stolen_ms": 0.0, "softirq_ms": 0.0, "running": 9, "waited_ms": 0.0}
    return Point(MACHINE, {"node": "client", "processor": "all"}, quiet | fields, at_us * 1000)


def _with_points(data: RunData, points: list[Point]) -> RunData:
    return replace(data, points=[*data.points, *points])


def healed_between_scrapes() -> RunData:
    """A real kill that was healed so soon that no scrape fell between the two."""
    data = observed("outage=5s")
    plan = data.run.plan
    assert plan.fired_to_us is not None
    within = range(plan.fired_to_us, HEAL)
    points = [point for point in data.points if point.measurement != HAPROXY or point.time_ns // 1000 not in within]
    heal_us = plan.fired_to_us + 900_000
    soon = replace(plan, heal_from_us=heal_us, heal_to_us=heal_us + 1000, healed_us=heal_us + 2000)
    return replace(data, points=points, run=replace(data.run, plan=soon))


def ended_before_the_failback() -> RunData:
    """Nothing is healed, and six seconds after the heal the run ends; the address was to return after four."""
    data = observed("outage=5s", healed=False)
    plan, fault = data.run.plan, data.run.fault
    assert fault is not None and plan.healed_us is not None
    short = replace(plan, end_us=plan.healed_us + 6 * SECOND)
    return replace(data, run=replace(data.run, plan=short, fault=replace(fault, failback_settled_ms=4_000.0)))


def healed_for_a_killed_run(after_us: int = SECOND) -> RunData:
    """The run was killed while its fault was in force; its watchdog healed so long after the kill command's end."""
    data = observed("outage=5s")
    plan = data.run.plan
    assert plan.fired_to_us is not None
    text = {"text": "haproxy-kill: healed by the watchdog"}
    event = Point(EVENT, {"run": "r", "kind": "heal"}, text, (plan.fired_to_us + after_us) * 1000)
    killed = replace(plan, heal_from_us=None, heal_to_us=None, healed_us=None, end_us=None)
    points = sorted([*data.points, event], key=lambda point: point.time_ns)
    return replace(data, points=points, run=replace(data.run, plan=killed))


def healed_at_the_end(*, healed: bool) -> RunData:
    """The run ends one second after the heal; a balancer that does not answer then is asked until it may."""
    data = observed("outage=5s", healed=healed)
    plan = data.run.plan
    assert plan.healed_us is not None
    asked_us = plan.healed_us + (1 if healed else 6) * SECOND
    points = [point for point in data.points if point.time_ns // 1000 < asked_us]
    asked = [
        Point(SCRAPE, {"node": node, "source": "haproxy"}, {"ok": healed or node != "lb1"}, asked_us * 1000)
        for node in ("lb1", "lb2")
    ]
    ended = replace(plan, end_us=plan.healed_us + SECOND)
    return replace(data, points=points + asked, run=replace(data.run, plan=ended))


def unwritten_journal() -> RunData:
    """A disk that is full from the heal on: no scrape of afterwards is known, neither an answer nor a silence."""
    data = observed("outage=5s")
    points = [point for point in data.points if point.time_ns // 1000 < HEAL]
    asked = [
        Point(SCRAPE, {"node": node, "source": "haproxy"}, {"ok": node == "lb2", "duration_ms": 1.5}, at_us * 1000)
        for at_us in range(0, HEAL, SECOND)
        for node in ("lb1", "lb2")
    ]
    return replace(data, points=sorted(points + asked, key=lambda point: point.time_ns))


def observed(
    *limits: str,
    killed: bool = True,
    healed: bool = True,
    server_back: bool = True,
    answers_move: bool = True,
    probed_down_us: int = 3 * SECOND,
) -> RunData:
    """The drill of `synthetic`, thinned, with scrapes of both balancers that tell what really happened."""
    found = [
        one if answers_move or not one.success else one._replace(identity=replace(one.identity, balancer="lb1"))
        for one in probes(probed_down_us)[::5]
    ]
    data = drill(probes=found)
    data.run.settings |= {"probe_rate": 20.0, "limits": list(limits)}
    data.run.target |= {"dedicated": False}
    points = list(data.points) if healed else [p for p in data.points if p.time_ns // 1000 < HEAL]
    for at_us in range(0, END, SECOND):
        away = killed and at_us >= FIRED and (at_us < HEAL or not healed)
        server = "UP" if server_back or at_us < FIRED else "DOWN"
        generation = "2" if killed and at_us >= HEAL else "1"
        points += [] if away else scraped("lb1", at_us, generation=generation, web1=server)
        points += scraped("lb2", at_us, generation="7", web1=server)
    return replace(data, points=sorted(points, key=lambda point: point.time_ns))


def scraped(node: str, at_us: int, *, generation: str, front: str = "OPEN", web1: str = "UP") -> list[Point]:
    """What one scrape of a HAProxy showed."""

    def row(proxy: str, server: str, kind: str, status: str) -> Point:
        tags = {"node": node, "proxy": proxy, "server": server, "type": kind}
        return Point(HAPROXY, tags, {"status": status, "generation": generation}, at_us * 1000)

    return [row("www", "FRONTEND", "frontend", front), row("web", "web1", "server", web1)]


class _Draw:
    """One run: a plan, a service that is away now and then, a client with troubles of its own, sources."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(1000 + seed)
        self.calm = self.chance.random() < 0.4
        self.rate = self.chance.choice([5.0, 8.0, 12.5])
        self.origin = self.chance.choice([0, 1_767_225_600_000_000])
        self.run = self._run()
        self.away = self._away()

    def likely(self, share: float) -> bool:
        return self.chance.random() < share

    def trouble(self, share: float) -> bool:
        """Something that no run needs to have."""
        return not self.calm and self.likely(share)

    def data(self) -> RunData:
        probed = self.run.settings.probe_rate != 0
        probes = self._probes("fresh", self.rate) if probed else []
        if probed and self.likely(0.3):
            probes += self._probes("kept", 4.0)
        samples = self._samples() if self.likely(0.6) or not probed else []
        self._tell_load(samples)
        points = [*self._sources(), *self._users(), *self._warnings(), *self._scrapes()]
        unread = self.trouble(0.2)
        return run_data(
            run=self.run,
            probes=probes,
            samples=samples,
            points=sorted(points, key=lambda point: point.time_ns),
            ignored={"not a point": 2, "last line cut off": 3} if unread else {},
            lost_rows={"probes": 1, "samples": 2} if unread else {},
            missing=("journal-prober.lp",) if self.trouble(0.1) else (),
        )

    def _run(self) -> Run:
        chance = self.chance
        run = pair_run(probe_rate=self.rate, late_ms=chance.choice([1000.0, 250.0, 33.3]))
        run.settings |= {"limits": chance.sample(LIMITS, chance.randint(0, 4))}
        run.settings |= {"algorithm": chance.choice([None, "roundrobin", "leastconn"])}
        if self.likely(0.5):
            run.target |= {"dedicated": False}
        if self.likely(0.3):
            run.target = telling(run.target, "lb1", "lb2", vip_owner=True)
        run.clocks = chance.choice([run.clocks, run.clocks[:1], [], self._drifting()])
        run.plan = self._plan()
        run.generator = ProbeAccount.of(self._account(run.plan))
        if self.likely(0.1):
            run.settings |= {"probe_rate": chance.choice([0, 0.0])}
        elif self.trouble(0.1):
            run.settings = RunSettings.of(
                {name: value for name, value in run.settings.written.items() if name != "probe_rate"}
            )
        self._mark_fault(run)
        run.warnings = ["the machine was busy", "the machine was busy"] if self.likely(0.2) else []
        cut = [CutPhase("hold", 3.0, 12.0, chosen=True), CutPhase("recover", 2.0, 6.0, chosen=False)]
        run.truncated = chance.sample(cut, chance.randint(0, 1))
        return run

    def _plan(self) -> Plan:
        fired = self.origin + 4 * SECOND + self.chance.randint(0, SECOND)
        heal = fired + self.chance.choice([7, 9, 12]) * SECOND
        end = heal + self.chance.choice([-1, 6, 8]) * SECOND
        plan = Plan(
            start_us=self.origin,
            fired_from_us=fired,
            fired_to_us=fired + 700,
            confirmed_us=fired + 900,
            heal_from_us=heal,
            heal_to_us=heal + 900,
            healed_us=heal + 2000,
            end_us=max(end, heal - SECOND),
        )
        if self.trouble(0.1):
            plan = replace(plan, confirmed_us=None)
        if self.trouble(0.1):
            plan = replace(plan, healed_us=None)
        if self.trouble(0.15):
            plan = replace(plan, heal_from_us=None, heal_to_us=None)
        if self.trouble(0.15):
            plan = Plan(start_us=plan.start_us, end_us=plan.end_us)
        return replace(plan, end_us=None) if self.trouble(0.08) else plan

    def _account(self, plan: Plan) -> dict[str, Any]:
        if self.trouble(0.15):
            return {"warning": "it was killed"} if self.likely(0.5) else {}
        account: dict[str, Any] = {"scheduled": 200, "unsent": 0, "lag_p50_ms": 0.1, "lag_p99_ms": 0.9, "lost": 0}
        if self.likely(0.5):
            account["first_due_us"] = self.origin + 123_457
        if self.trouble(0.15):
            account |= {"lost": 1234, "lag_p99_ms": 7.25, "cpu_percent": 99.5}
        if plan.fired_from_us and self.trouble(0.4):
            account["gaps"] = [[plan.fired_from_us - SECOND, plan.fired_from_us + SECOND]]
        return account

    def _mark_fault(self, run: Run) -> None:
        assert run.fault is not None
        if self.likely(0.1):
            run.fault = None
        elif self.trouble(0.15):
            run.fault.error = "it was up again before the heal"
        elif self.likely(0.2):
            run.fault.kind, run.fault.victim = "backend", "web1"
        elif self.likely(0.05):
            run.fault.kind = "none"

    def _drifting(self) -> list[ClockReading]:
        return [
            ClockReading.of({"node": node, "when": when, "offset_us": offset + drift, "bound_us": 150})
            for node, offset in (("lb1", 40), ("lb2", -300))
            for when, drift in (("before", 0), ("after", 25))
        ]

    def _away(self) -> list[tuple[int, int, str]]:
        """Stretches in which the service was away, or slow, after the fault and after the heal."""
        chance, plan = self.chance, self.run.plan
        stretches = []
        for event in (plan.fired_from_us or self.origin + 4 * SECOND, plan.heal_from_us):
            if event is None or self.likely(0.15):
                continue
            at_us = event + chance.choice([0, 0, 250_000])
            for _ in range(chance.choice([1, 1, 2, 4])):
                until_us = at_us + chance.choice([150_000, 900_000, 2_400_000, 20_000_000])
                stretches.append((at_us, until_us, chance.choice(["refused", "refused", "hang", "slow", "own"])))
                at_us = until_us + chance.choice([300_000, 1_000_000, 6_000_000])
        if self.trouble(0.15):
            stretches.append((self.origin + SECOND, self.origin + SECOND + 300_000, "slow"))
        return stretches

    def _end_us(self) -> int:
        return self.run.plan.end_us or self.origin + 15 * SECOND

    def _probes(self, stream: str, rate: float) -> list[Sample]:
        found = []
        stalled_us = self.origin + self.chance.randint(0, 20) * SECOND if self.trouble(0.3) else None
        for number in range(int((self._end_us() - self.origin) / SECOND * rate)):
            due_us = self.origin + int(number * SECOND / rate)
            sent_us = due_us + self.chance.randint(0, 400)
            if stalled_us is not None and stalled_us <= due_us < stalled_us + 3 * SECOND:
                if self.likely(0.7):
                    continue
                sent_us = stalled_us + 3 * SECOND
            found.append(self._request(sent_us, due_us, stream))
        return sorted(found, key=lambda one: (one.start_us, one.end_us))

    def _samples(self) -> list[Sample]:
        found, at_us = [], self.origin + self.chance.randint(0, 2 * SECOND)
        while at_us < self._end_us():
            found.append(self._request(at_us, None, ""))
            at_us += self.chance.randint(50_000, 600_000)
        return found

    def _request(self, at_us: int, due_us: int | None, stream: str) -> Sample:
        chance = self.chance
        if self.trouble(0.005):
            return self._failed(at_us, at_us + 10, due_us, stream, FailureKind.GENERATOR)
        node = "lb2" if at_us >= (self.run.plan.fired_from_us or 1 << 62) else "lb1"
        who = Identity(f"web{chance.randint(1, 3)}", node, AnsweredBy.BACKEND)
        took_us = chance.randint(400, 4000)
        what, until_us = next(((w, u) for f, u, w in self.away if f <= at_us < u), ("", 0))
        if what == "refused":
            return self._failed(at_us, at_us + 180, due_us, stream, FailureKind.REFUSED)
        if what == "hang" and until_us - at_us > SECOND:
            return self._failed(at_us, at_us + SECOND, due_us, stream, FailureKind.READ_TIMEOUT)
        if what == "own":
            who = Identity("", node, AnsweredBy.BALANCER)
            return self._failed(at_us, at_us + took_us, due_us, stream, FailureKind.STATUS, who)
        if what == "hang":
            took_us += until_us - at_us
        elif what == "slow":
            took_us += 1_200_000
        elif self.likely(0.002):
            who = Identity()
        return sample(at_us, at_us + took_us, intended_us=due_us, stream=stream, identity=who)

    def _failed(
        self, at_us: int, end_us: int, due_us: int | None, stream: str, kind: FailureKind, who: Identity = NO_ANSWER
    ) -> Sample:
        return sample(at_us, end_us, intended_us=due_us, stream=stream, success=False, error=kind, identity=who)

    def _tell_load(self, samples: list[Sample]) -> None:
        if samples and self.likely(0.5):
            lost = 3 if self.trouble(0.25) else 0
            told = len(samples) + lost + (2 if self.trouble(0.25) else 0)
            ended = "lost" if self.trouble(0.3) else "stopped"
            self.run.settings |= {"load": {"state": "running" if self.trouble(0.3) else "ended"}}
            self.run.workers = [
                WorkerFacts.of({"worker": "w1", "host": "127.0.0.1", "samples": told, "lost": lost, "ended": ended}),
                WorkerFacts.of({"worker": "", "host": None, "samples": 0, "lost": None, "ended": "stopped"}),
            ]
        elif self.trouble(0.1):
            self.run.settings |= {"load": {"state": None}}

    def _sources(self) -> list[Point]:
        chance, plan = self.chance, self.run.plan
        if self.likely(0.3):
            return []
        points = [
            vrrp("lb1", self.origin, state="MASTER", holds_vip=True),
            vrrp("lb2", self.origin, state="backup"),
        ]
        taken_us = (plan.fired_from_us or self.origin + 4 * SECOND) + chance.randint(100_000, 3_000_000)
        left_us = taken_us + chance.choice([-400_000, 2_000, 99_999, 100_700, 1_500_000])
        points.append(vrrp("lb2", taken_us, state="MASTER", priority=100))
        if self.likely(0.8):
            points.append(vrrp("lb1", left_us, state=chance.choice(["BACKUP", "FAULT"]), priority=81))
        if self.likely(0.3):
            points.append(vrrp("lb1", taken_us + 10_000, holds_vip=chance.choice([True, False])))
        if self.likely(0.2):
            points.append(vrrp("lb2", taken_us + 2 * SECOND, text="the source was lost"))
        if plan.heal_from_us is not None and self.likely(0.7):
            points.append(vrrp("lb1", plan.heal_from_us + SECOND, state="MASTER", holds_vip=True))
            points.append(vrrp("lb2", plan.heal_from_us + SECOND + 3_000, state="BACKUP", holds_vip=False))
        return points[1:] if self.trouble(0.15) else points

    def _users(self) -> list[Point]:
        if self.likely(0.5):
            return []
        return [
            Point(
                "switchover_users",
                {"generator": "locust", "worker": worker},
                {"active": self.chance.randint(1, 30)},
                (self.origin + second * SECOND) * 1000,
            )
            for worker in ("w1", "w2")
            for second in range(0, 20, 3)
        ]

    def _scrapes(self) -> list[Point]:
        """Two balancers, of which the victim may die, be replaced, close a frontend, or go on as if nothing were."""
        if self.likely(0.65):
            return []
        chance, plan = self.chance, self.run.plan
        fate = chance.choice(["dies", "dies", "dies", "replaced", "replaced", "closes", "lives", "server"])
        comes_back = self.likely(0.7)
        fired, healed = plan.fired_from_us or self.origin + 4 * SECOND, plan.healed_us or 1 << 62
        points: list[Point] = []
        for node in ("lb1", "lb2"):
            for at_us in range(self.origin, self._end_us() + SECOND, SECOND):
                down = node == "lb1" and at_us >= fired and not (comes_back and at_us >= healed)
                if down and fate == "dies":
                    continue
                generation = "2" if down and fate == "replaced" else "1"
                front = "PAUSED" if down and fate == "closes" else "OPEN"
                server = "DOWN" if down and fate == "server" else "UP"
                points += scraped(node, at_us, generation=generation, front=front, web1=server)
        return points

    def _warnings(self) -> list[Point]:
        if self.likely(0.8):
            return []
        at_us = (self.run.plan.fired_from_us or self.origin) + self.chance.choice([-SECOND, SECOND])
        return [
            Point(
                "switchover_event", {"kind": "warning", "node": node}, {"text": f"{node} fell silent"}, at_us * 1000
            )
            for node in ("lb1", "lb2", "web1")
        ]
