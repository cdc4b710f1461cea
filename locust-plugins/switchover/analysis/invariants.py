"""What must be true of each run directory, and does not depend on what was measured."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from switchover.analysis.flaws import count_probes
from switchover.analysis.own_records import schedule_lines
from switchover.analysis.run_data import RunData
from switchover.analysis.trust import count_recorded
from switchover.analysis.verdict import judge
from switchover.analysis.verdict_json import record_of
from switchover.rundir.journal import JournalRecord
from switchover.rundir.measurements import EVENT, PROBES, REQUESTS, USERS, VRRP
from switchover.rundir.run_directory import VERDICT_FILE, Plan, Run
from switchover.verdict.reasons import REASONS, word_of
from switchover.verdict.record import Verdict as Record
from switchover.verdict.record import loudest

OF_SCHEMA = "verdict.json has its schema"
COMPARED = ("outage", "failback", "probes", "samples", "split_brain")
"""Figures of verdict.json that no option of a report changes."""


@dataclass(frozen=True, slots=True)
class Violation:
    """An invariant that does not hold."""

    invariant: str
    text: str


def find_violations(data: RunData, records: Sequence[JournalRecord], kept: bytes | None) -> Iterator[Violation]:
    """`records`: the journals in the order of their files; `kept`: verdict.json, where there is one."""
    checks = {
        "files are as the run left them": _files(data),
        "the plan's times are in order": _plan(data.run.plan),
        "the schedule is complete": _schedule(data),
        "files count the same": _counts(data),
        "journals go forward in time": _order(records),
    }
    if kept is not None:
        checks |= _kept_checks(data, kept)
    for invariant, violations in checks.items():
        yield from (Violation(invariant, text) for text in violations)


def _files(data: RunData) -> Iterator[str]:
    yield from (flaw.reason.text for flaw in data.flaws)
    yield from (f"{name} is missing" for name in data.missing)
    yield from data.unread


def _plan(plan: Plan) -> Iterator[str]:
    names = ("start_us", "fired_from_us", "fired_to_us", "heal_from_us", "heal_to_us")
    known = [(name, getattr(plan, name)) for name in names if getattr(plan, name) is not None]
    for (before, earlier), (after, later) in pairwise(known):
        if later < earlier:
            yield f"{after} is {earlier - later:,} µs before {before}"
    if plan.start_us is not None and plan.end_us is not None and plan.end_us < plan.start_us:
        yield f"the run ends {plan.start_us - plan.end_us:,} µs before its start"


def _schedule(data: RunData) -> Iterator[str]:
    """Each due time has one row of probes.jtl, or is one that the prober gave up."""
    lost = data.run.generator.lost or 0
    for line in schedule_lines(data.probes, data.run.generator):
        if line.unaccounted > lost:
            yield f"{line.name}: {line.client:,} rows for {line.source:,}, {line.unaccounted:,} of them wrong"


def _counts(data: RunData) -> Iterator[str]:
    """Logs, the traffic in the journals, and what the processes say that they recorded."""
    run = data.run
    lost = run.generator.lost or 0
    yield from _differ("probes", count_probes(run), "the prober", len(data.probes) + lost, "probes.jtl")
    yield from _differ("samples", count_recorded(run), "the load", len(data.samples), "the sample logs")
    if data.probes:
        traffic = _traffic(data, PROBES)
        yield from _differ("probes", traffic, "the journals", len(data.probes) + lost, "probes.jtl")
    if data.samples and run.workers:
        lost = sum(worker.lost or 0 for worker in run.workers)
        traffic = _traffic(data, REQUESTS)
        yield from _differ("samples", traffic, "the journals", len(data.samples) + lost, "the sample logs")


def _traffic(data: RunData, measurement: str) -> int:
    counts = [point.fields.get("count") for point in data.points if point.measurement == measurement]
    return sum(count for count in counts if isinstance(count, int))


def _differ(what: str, counted: int | None, by: str, found: int, place: str) -> Iterator[str]:
    if counted is not None and counted != found:
        yield f"{by} counted {counted:,} {what}, against {found:,} in {place}"


def _order(records: Sequence[JournalRecord]) -> Iterator[str]:
    """Points of one source are written as they come. Traffic is written again, events tell of what was before, and
    who holds the address has the time that its node says."""
    for record in records:
        last: dict[tuple[str, frozenset[tuple[str, str]]], int] = {}
        for point in record.points:
            if point.measurement in (PROBES, REQUESTS, USERS, EVENT, VRRP):
                continue
            key = point.measurement, frozenset(point.tags.items())
            if point.time_ns < last.get(key, point.time_ns):
                back_ms = (last[key] - point.time_ns) / 1e6
                source = f"{point.measurement} of {point.tags.get('node', '?')}"
                yield f"{record.name}: {source} goes back {back_ms:.3f} ms"
                break
            last[key] = point.time_ns


def _kept_checks(data: RunData, text: bytes) -> dict[str, Iterator[str]]:
    try:
        kept = msgspec.json.decode(text, type=Record)
    except msgspec.MsgspecError as error:
        return {OF_SCHEMA: iter([f"{error}: 'switchover report' makes it again"])}
    return {
        OF_SCHEMA: _run_id(data.run, kept),
        "the word follows from the reasons": _word(kept),
        "intervals hold what they are of": _intervals(msgspec.to_builtins(kept), ""),
        "verdict.json says what the other files say": _figures(data, kept),
    }


def _run_id(run: Run, kept: Record) -> Iterator[str]:
    if kept.run != run.id:
        yield f"{VERDICT_FILE} is of run {kept.run}, run.json of {run.id}"


def _word(kept: Record) -> Iterator[str]:
    unknown = [reason.code for reason in kept.reasons if reason.code not in REASONS]
    if unknown:
        yield f"{unknown[0]} is no reason"
        return
    statuses = {word_of(reason) for reason in kept.reasons}
    expected = loudest(statuses, kept.status)
    if not statuses and kept.status.exit_code:
        yield f"the word is {kept.status}, and no reason leads to it"
    elif kept.status is not expected:
        yield f"the word is {kept.status}, and its reasons lead to {expected}"
    if kept.exit_code != kept.status.exit_code:
        yield f"the exit code of {kept.status} is {kept.status.exit_code}, and {kept.exit_code} stands there"


def _intervals(value: object, place: str) -> Iterator[str]:
    """No lower end is above its upper end."""
    if isinstance(value, dict):
        for low, high in (("low_ms", "high_ms"), ("low", "high")):
            begin, end = value.get(low), value.get(high)
            if isinstance(begin, int | float) and isinstance(end, int | float) and begin > end:
                yield f"{place or 'the verdict'} goes from {begin} to {end}"
        for name, one in value.items():
            yield from _intervals(one, f"{place}.{name}" if place else str(name))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _intervals(one, f"{place}[{number}]")


def _figures(data: RunData, kept: Record) -> Iterator[str]:
    now = record_of(judge(data))
    for name in COMPARED:
        if getattr(kept, name) != getattr(now, name):
            yield f"{name} is another one there: 'switchover report' makes it again"
