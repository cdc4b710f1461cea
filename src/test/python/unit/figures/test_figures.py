"""Of which records, and of which part of a run, each figure is taken."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from support.changes import START_US, Rows
from support.request_tables import changed, samples_of
from switchover.evidence.flaws import Flaw
from switchover.evidence.held_rows import read_held_rows
from switchover.evidence.run_data import RunData
from switchover.figures.accounting.ledger import add_up
from switchover.figures.events import find_events
from switchover.figures.figures import Figures, take_figures
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.model.interval import Span
from switchover.rundir.held_log import EndedBy
from switchover.rundir.points import Point
from switchover.rundir.run_directory import ChangeRun
from switchover.rundir.run_records import ProbeAccount
from switchover.rundir.sample_log import Sample
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import ArtefactName, PhaseName
from synthetic import END, FIRED, HEAL, SECOND, drill, probes, sample, simulate, vrrp

LATE_US = 1_000_000


def figures_of(data: RunData) -> Figures:
    return take_figures(data, find_events(data))


def users(at_us: int, number: int) -> Point:
    return Point("switchover_users", {"node": "client"}, {"active": number}, at_us * 1000)


def asked(
    from_us: int, to_us: int, *, every_us: int = 10_000, ok: bool = True, stream: str = "kept", took_us: int = 300
) -> list[Sample]:
    """Requests of a load, on connections that it keeps."""
    error = None if ok else FailureKind.RESET
    return [
        sample(at, at + took_us, intended_us=None, success=ok, error=error, stream=stream, thread="t-1")
        for at in range(from_us, to_us, every_us)
    ]


def loaded(samples: Sequence[Sample] | None = None, **facts: Any) -> RunData:
    """A drill with a load that began a second after the run did."""
    failed = [*asked(SECOND, FIRED), *asked(FIRED, FIRED + 3 * SECOND, ok=False, every_us=100_000)]
    whole = [*failed, *asked(FIRED + 3 * SECOND, HEAL)]
    return drill(samples=whole if samples is None else samples, **facts)


def flawed(name: str) -> tuple[Flaw, ...]:
    return (Flaw(name, make_reason("file_damaged", name=name, what="cut off")),)


def test_probes_and_samples_are_counted_apart_and_what_is_late_is_of_the_run() -> None:
    late = sample(2 * SECOND, 2 * SECOND + LATE_US + 1, intended_us=2 * SECOND)
    in_time = sample(2 * SECOND, 2 * SECOND + LATE_US, intended_us=2 * SECOND)
    load = [*asked(SECOND, 3 * SECOND), late._replace(stream="kept"), in_time]
    data = loaded(load, probes=[*probes(), late, in_time])
    figures = figures_of(data)
    assert figures.probes is not None and figures.samples is not None
    assert (figures.probes.total, figures.probes.late) == (3_002, 1)
    assert (figures.samples.total, figures.samples.late) == (202, 1)
    assert figures.requests is figures.samples
    alone = figures_of(changed(data, samples=[]))
    assert alone.samples is None and alone.requests is alone.probes and alone.requests is not None


def test_rates_and_users_of_a_load_are_of_its_own_time() -> None:
    data = loaded()
    figures = figures_of(replace(data, points=[*data.points, users(2 * SECOND, 7), users(3 * SECOND, 7)]))
    assert figures.samples is not None and figures.probes is not None
    baseline = figures.samples.by_phase[PhaseName.BASELINE]
    assert baseline.rate == pytest.approx(100, rel=0.01) and baseline.users == 7
    assert figures.probes.by_phase[PhaseName.BASELINE].users is None


def test_probes_are_counted_where_there_were_to_be_some() -> None:
    data = drill(probes=[])
    assert figures_of(data).probes is not None
    data.run.settings |= {"probe_rate": 0.0}
    assert figures_of(data).probes is None


def both_have_it(from_us: int, to_us: int) -> list[Point]:
    return [
        vrrp("lb2", from_us, state="MASTER", priority=100, holds_vip=True),
        vrrp("lb2", to_us, state="BACKUP", priority=100, holds_vip=False),
    ]


def test_two_owners_are_looked_for_from_the_fault_to_the_end_as_exactly_as_clocks_tell() -> None:
    first = [
        vrrp("lb1", 0, state="MASTER", priority=101, holds_vip=True),
        vrrp("lb2", 0, state="BACKUP", priority=100, holds_vip=False),
    ]
    stretches = ((SECOND, 2 * SECOND), (FIRED + SECOND, FIRED + 3 * SECOND), (END - SECOND, END + SECOND))
    points = [*first, *(point for one in stretches for point in both_have_it(*one))]
    data = drill(points=points)
    data.run.clocks = [replace(clock, bound_us=50) for clock in data.run.clocks]
    found = figures_of(data)
    assert found.split_brain is not None
    assert [(one.from_us, one.to_us) for one in found.split_brain.overlaps] == [
        (FIRED + SECOND, FIRED + 3 * SECOND),
        (END - SECOND, END),
    ]
    bound_ms, bound_us = found.split_brain.bound_ms, find_events(data).owners_bound_us
    assert bound_ms is not None and bound_us is not None and bound_ms == bound_us / 1000 >= 0.1
    assert found.split_brain.low_ms < 3000 < (found.split_brain.high_ms or 0)
    assert figures_of(replace(data, flaws=flawed("samples.jtl"))).split_brain == found.split_brain
    unknown = figures_of(replace(data, flaws=flawed("journal-jmeter.lp")))
    assert unknown.split_brain is None


def test_answers_are_counted_by_who_gave_them_with_the_weights_of_the_balancers() -> None:
    data = simulate(1)
    data.run.settings |= {"algorithm": "random"}
    by_load = Identity("web9", "lb1", AnsweredBy.BACKEND)
    more = sample(1000, 2000, intended_us=None, identity=by_load, stream="", thread="t")
    figures = figures_of(changed(data, samples=[*samples_of(data.samples), more]))
    backends = figures.distribution.by_phase[PhaseName.BASELINE].backends
    assert backends["web9"].count == 1 and sum(one.count for one in backends.values()) > 300
    assert figures.distribution.algorithm == "random"
    weights = [
        replace(point, fields={**point.fields, "weight": 7 if point.tags["server"] == "web1" else 1})
        if point.tags.get("type") == "server"
        else point
        for point in data.points
    ]
    even, uneven = figures_of(data).distribution, figures_of(replace(data, points=weights)).distribution
    assert even.chi_square is not None and uneven.chi_square is not None
    assert even.chi_square.p > 1e-6 > uneven.chi_square.p


def test_counts_are_compared_only_where_all_files_are_whole() -> None:
    data = simulate(1)
    assert figures_of(data).accounting.unaccounted == 0
    unknown = add_up(True)
    assert figures_of(replace(data, flaws=flawed("samples.jtl"))).accounting == unknown
    assert figures_of(replace(data, missing=("samples-2.jtl",))).accounting == unknown
    data.run.target |= {"dedicated": False}
    assert figures_of(replace(data, missing=("samples-2.jtl",))).accounting == add_up(False)


def test_the_held_load_tells_of_changes_and_of_dead_connections(tmp_path: Path) -> None:
    felt, again = Rows(tmp_path / "connections.jtl"), Rows(tmp_path / "retrying_client.jtl")
    for place, ended_by in (("1.1", EndedBy.RST), ("2.1", EndedBy.FIN)):
        felt.add(SECOND - START_US, place=place)
        felt.add(FIRED + 1000 - START_US, place=place, error=FailureKind.RESET, ended_by=ended_by, number=1)
    felt.add(END - START_US + 5, error=FailureKind.GENERATOR, place="3.1")
    again.add(FIRED + 1000 - START_US, thread="go 1", number=1)
    change = ChangeRun(
        number=1, from_us=FIRED, to_us=FIRED + 500, confirmed_us=FIRED + 900, settled_us=FIRED + SECOND
    )
    felt.read()
    again.read()
    data = loaded(lost_rows={"samples": 3, "probes": 5})
    store = data.samples.store
    data = replace(
        data,
        connections=read_held_rows(store, [tmp_path / "connections.jtl"]),
        retrying_clients=read_held_rows(store, [tmp_path / "retrying_client.jtl"]),
    )
    data.run.plan.changes = [asdict(change) | {"of_a_later_version": 1}]
    figures = figures_of(data)
    changes = figures.changes
    assert changes is not None and changes.record.made == 1
    assert {kind.kind: kind.lost for kind in changes.record.kinds} == {"pooled": 2, "samples": 11}
    assert (changes.unread, changes.generator_errors) == (3, 0)
    assert [retrying_client.requests for retrying_client in changes.record.retrying_clients] == [1]
    assert [(dead.kind, dead.open, dead.dead, dead.by_rst) for dead in figures.dead] == [("pooled", 2, 2, 1)]
    fewer = figures_of(replace(data, lost_rows={"probes": 5})).changes
    assert fewer is not None and fewer.unread == 0
    data.run.plan.changes = []
    assert figures_of(data).changes is None


def test_the_prediction_is_held_against_the_outage() -> None:
    found = figures_of(drill()).prediction
    assert found is not None and (found.fault, found.inside) == ("haproxy-kill", True)
    outside = figures_of(drill(probes=probes(10 * SECOND))).prediction
    assert outside is not None and outside.inside is False


def test_the_longest_gap_of_the_samples_lies_between_the_fault_and_its_heal() -> None:
    samples = [*asked(0, SECOND), *asked(3 * SECOND, FIRED), *asked(FIRED + 800_000, HEAL), sample(END, END + 9)]
    data = loaded(samples)
    assert figures_of(data).longest_gap == Span(FIRED - 10_000 + 300, FIRED + 800_300)
    data.run.plan = replace(data.run.plan, fired_from_us=None, fired_to_us=None)
    assert figures_of(data).longest_gap is None


def test_what_the_users_made_of_an_outage_is_told_against_their_rate_before() -> None:
    found = {one.name: one for one in figures_of(loaded()).artefacts}
    assert found[ArtefactName.OMISSION].figures == {"sent": 31, "due": 301}
    assert found[ArtefactName.OMISSION].event is PhaseName.SWITCHOVER
    stale = [*asked(0, HEAL), *asked(HEAL + SECOND, HEAL + SECOND + 40_000, ok=False)]
    (after,) = (one for one in figures_of(loaded(stale)).artefacts if one.event is PhaseName.FAILBACK)
    assert (after.name, after.figures["failed"]) == (ArtefactName.STALE, 4)


def test_where_there_was_no_load_or_nobody_wrote_when_the_run_ended_nothing_is_told_of_its_users() -> None:
    silent = drill()
    silent.run.settings |= {"load": {"clients": {"User": {"client": "requests", "timeout_read_s": None}}}}
    assert figures_of(silent).artefacts == ()
    data = loaded()
    data.run.plan = replace(data.run.plan, end_us=None)
    assert figures_of(data).artefacts == ()


def alone(samples: Sequence[Sample], **facts: Any) -> RunData:
    data = simulate(1)
    data.run.settings |= {"probe_rate": 0.0}
    data.run.generator = ProbeAccount()
    data.run.fault = None
    data.run.plan = replace(
        data.run.plan,
        fired_from_us=None,
        fired_to_us=None,
        confirmed_us=None,
        heal_from_us=None,
        heal_to_us=None,
        healed_us=None,
    )
    return changed(data, probes=[], samples=samples, points=[], access={}, **facts)


def test_a_load_alone_is_told_by_its_labels_and_its_silences() -> None:
    away = [*asked(0, 2 * SECOND), *asked(2 * SECOND, 3 * SECOND, ok=False), *asked(3 * SECOND, 4 * SECOND)]
    figures = figures_of(alone(away))
    assert figures.labels is not None and [one.total for one in figures.labels[0]] == [400]
    (whole,) = figures.silences
    assert whole.outage is not None
    assert (whole.outage.from_us, whole.outage.to_us) == (2 * SECOND - 10_000 + 300, 3 * SECOND + 300)
    with_fault = figures_of(loaded(away))
    assert with_fault.labels is not None and with_fault.silences == []
    nothing = figures_of(alone([]))
    assert (nothing.labels, nothing.silences) == (None, [])
