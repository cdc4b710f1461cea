"""Runs for the vectors: one for each reason or verdict."""

from collections.abc import Iterator
from dataclasses import replace

from support.request_tables import changed, samples_of
from switchover.evidence.run_data import RunData
from switchover.rundir.measurements import ADVERT, EVENT, HAPROXY, MACHINE, SCRAPE
from switchover.rundir.points import Point
from switchover.rundir.run_directory import Plan
from switchover.rundir.run_records import ProbeAccount, WorkerFacts
from synthetic import END, FIRED, HEAL, SECOND, drill, probes, simulate, telling

SIMULATED = 1


def scenarios() -> Iterator[tuple[str, RunData]]:
    thinned = drill(probes=probes()[::5])
    thinned.run.settings |= {"probe_rate": 20.0}
    yield "a trusted drill", thinned
    yield "no probe was recorded", drill(probes=())
    yield "a baseline whose rate is rounded", rounded_baseline()
    yield "a service that stood still for less than the late threshold", _stood_still(thinned)
    for name, data in _plans_that_failed():
        yield name, _of_one_backend(data)
    for seed in range(SIMULATED):
        yield f"simulated {seed}", simulate(seed, users=1, rate=25)


def _of_one_backend(data: RunData) -> RunData:
    """All requests answered by web1, so that they take few lines in the vectors."""
    probes, samples = (
        [
            one._replace(identity=replace(one.identity, backend="web1")) if one.identity.backend else one
            for one in samples_of(requests)
        ]
        for requests in (data.probes, data.samples)
    )
    return changed(data, probes=probes, samples=samples)


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
    in_use = replace(unfired.run.fault, error="lb1 is in use: process 7 holds the lock for run other")
    unbegun = replace(unfired.run, fault=in_use, plan=Plan(), generator=ProbeAccount())
    yield "a fault that was refused before the run began", changed(unfired, run=unbegun, probes=(), points=[])
    undue = unfired.run.settings | {"fault_planned": "haproxy-kill", "fault_at_s": 60.0}
    yield "a fault that was never due", replace(unfired, run=replace(unfired.run, fault=None, settings=undue))
    dry_run = replace(unfired, run=replace(unfired.run, dry_run=True))
    yield "a dry run", dry_run
    stopped = observed("outage=5s")
    stopped.run.stopped = "interrupted before the end of the plan"
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
    """A period without a probe somewhere else than at an edge of the outage, which is of 3.05 s."""

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
