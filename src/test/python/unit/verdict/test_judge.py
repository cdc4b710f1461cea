"""The verdict: limits, trust, exit codes, and its JSON."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.changes import EVERY_US, START_US, Rows, end_us
from support.changes import change as made_change
from support.request_tables import run_data, samples_of
from switchover.evidence.flaws import Flaw
from switchover.evidence.held_rows import read_held_rows
from switchover.evidence.run_data import RunData, load
from switchover.model.errors import RunDirectoryError
from switchover.model.failure_kind import FailureKind
from switchover.model.held_kind import HeldKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.journal import Journal
from switchover.rundir.run_directory import CutPhase, FaultRun, Plan, Run, write_run
from switchover.rundir.run_records import ProbeAccount, RunSettings
from switchover.rundir.sample_log import Sample, SampleWriter
from switchover.verdict.judge import Verdict, judge
from switchover.verdict.limit import parse_limit
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Figure, State
from switchover.verdict.validity import unseen_limit_us
from synthetic import (
    FIRED,
    HEAL,
    SECOND,
    drill,
    pair_run,
    probes,
    refused,
    sample,
    simulate,
    steady,
    telling,
    vrrp,
)
from vectors import cases


def judged(data: RunData, *limits: str) -> Verdict:
    return judge(data, [parse_limit(text) for text in limits])


def test_what_a_damaged_file_does_not_tell_of_a_fault_is_unknown() -> None:
    whole = judged(drill())
    assert whole.record.confirmation is not None and whole.record.restoration is not None
    flaw = Flaw("journal.lp", make_reason("file_damaged", name="journal.lp", what="cut off"))
    flawed = judged(drill(flaws=(flaw,)))
    assert (flawed.record.confirmation, flawed.record.restoration) == (None, None)


def test_a_series_of_changes_is_judged_by_what_its_held_load_lost(tmp_path: Path) -> None:
    rows = Rows(tmp_path / "connections.jtl")
    rows.add(0, error=FailureKind.RESET)
    rows.add(EVERY_US, error=FailureKind.TRUNCATED, number=1)
    made, run = made_change(1), pair_run()
    run.fault, run.change = None, FaultRun(name="reload", kind="master", master="lb1")
    run.plan = Plan(start_us=START_US, end_us=end_us([made]), changes=[asdict(made)])
    rows.read()
    data = run_data(run)
    connections = read_held_rows(data.samples.store, [tmp_path / "connections.jtl"])
    verdict = judged(replace(data, connections=connections), "lost=0")
    changes = verdict.figures.changes
    assert changes is not None and (changes.record, changes.unread) == (verdict.record.changes, 0)
    assert not any("of the held connections" in warning for warning in verdict.record.warnings)
    found = verdict.record.reasons
    assert make_reason("load_failed_before", failed=1, total=1, most=": reset pooled once") in found
    assert make_reason("unconfirmed", fault="reload") in found
    assert found[-1].figures["why"] == " (truncated pooled once)"
    data.run.plan.fired_from_us = START_US + 1
    (dead,) = judged(replace(data, connections=connections)).record.dead_connections
    assert (dead.kind, dead.open) == (HeldKind.POOLED, 1)


def texts(verdict: Verdict) -> list[str]:
    return [reason.text for reason in verdict.record.reasons]


def change(data: RunData, **values: Any) -> RunData:
    for name, value in values.items():
        setattr(data.run.plan, name, value)
    return data


def account(**values: Any) -> RunData:
    data = drill()
    data.run.generator |= values
    return data


def answered_by_lb2(at_us: int) -> RunData:
    by_lb2 = Identity("web1", "lb2", AnsweredBy.BACKEND)
    return drill(probes=[p._replace(identity=by_lb2) if p.start_us == at_us else p for p in probes()])


def cannot_send(probe: Sample) -> Sample:
    return sample(probe.start_us, probe.start_us + 50, success=False, error=FailureKind.GENERATOR)


@pytest.mark.parametrize(
    ("data", "code", "figures"),
    [
        (change(drill(), confirmed_us=None), "not_confirmed", {"fault": "haproxy-kill"}),
        (
            change(drill(), fired_from_us=None, fired_to_us=None, confirmed_us=None, heal_from_us=None),
            "not_fired",
            {},
        ),
        (change(drill(), healed_us=None), "not_healed", {"fault": "haproxy-kill"}),
        (change(drill(), heal_from_us=None, healed_us=None), "not_healed", {"fault": "haproxy-kill"}),
        (account(scheduled=None, unsent=None, warning="killed"), "no_account", {"why": ": killed"}),
        (account(lost=3), "probes_lost", {"lost": 3}),
        (answered_by_lb2(0), "other_master", {"node": "lb2", "answers": 1, "master": "lb1"}),
        (
            drill(probes=[p for p in probes(20_000) if not 10 * SECOND < p.start_us < 10.5 * SECOND]),
            "unseen",
            {"unseen_ms": 500, "after_s": 5.0, "event": "fault"},
        ),
        (
            drill(probes=[p for p in probes(0) if not FIRED < p.start_us < FIRED + 3 * SECOND]),
            "unseen",
            {"unseen_ms": 3000, "after_s": 0.0, "event": "fault"},
        ),
        (
            drill(probes=[cannot_send(p) if FIRED <= p.start_us < FIRED + 3 * SECOND else p for p in probes(0)]),
            "unseen",
            {"figure": "outage", "unseen_ms": 3000},
        ),
        (
            drill(probes=[p for p in probes() if p.start_us < HEAL]),
            "unseen",
            {"figure": "failback", "unseen_ms": 10000},
        ),
        (
            drill(probes=[p for p in probes() if p.start_us < 25 * SECOND]),
            "unseen",
            {"unseen_ms": 5010, "after_s": 5.0, "event": "heal"},
        ),
        (change(drill(), end_us=None), "no_end", {}),
        (drill(probes=[]), "no_probe", {}),
        (drill(missing=("samples-2.jtl",)), "part_missing", {"name": "samples-2.jtl"}),
        (drill(probes=[refused(1_000_500), *probes()]), "failed_before", {"failed": 1, "total": 501}),
        (
            drill(probes=[p for p in probes(300_000) if not FIRED + 150_000 < p.start_us < FIRED + 450_000]),
            "wide_bound",
            {},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_run_is_invalid(data: RunData, code: str, figures: dict[str, Figure]) -> None:
    verdict = judged(data)
    assert verdict.record.exit_code == 2
    rounded = {"after_s": pytest.approx(figures["after_s"], abs=0.05)} if "after_s" in figures else {}
    assert any(
        reason.code == code and reason.figures | figures | rounded == reason.figures
        for reason in verdict.record.reasons
    ), texts(verdict)


@pytest.mark.parametrize("case", cases("unseen"), ids=lambda case: case["name"])
def test_the_limit_of_what_was_not_looked_at_is_as_the_vectors_say(case: dict[str, Any]) -> None:
    assert unseen_limit_us(case["seen_us"], case["interval_us"]) == case["limit_us"]


def test_a_failed_probe_of_a_run_without_a_fault_is_a_reason() -> None:
    run = pair_run()
    run.plan, run.fault = Plan(start_us=0, end_us=SECOND), FaultRun(name="none", kind="none")
    data = run_data(run=run, probes=[*steady(0, SECOND), refused(500_500)])
    reason = make_reason("failed_before", failed=1, total=1001, most=": refused probe once")
    assert reason in judge(data, []).record.reasons


def test_a_source_that_died_proves_nothing() -> None:
    data = drill()
    data.run.target = telling(data.run.target, "lb1", "lb2", vip_owner=True)
    verdict = judge(replace(data, points=[*data.points, vrrp("lb1", FIRED + 100_000, state="")]), [])
    assert verdict.record.valid, "it came back before the other one took the address"
    until = [point for point in data.points if point.tags["node"] == "lb2" or point.time_ns <= FIRED * 1000]
    verdict = judge(replace(data, points=[*until, vrrp("lb1", FIRED + 100_000, state="")]), [])
    assert verdict.figures.split_brain is None and verdict.record.exit_code == 2
    assert verdict.record.limits[0].state is State.UNMEASURED and verdict.record.limits[0].default


def test_an_outage_that_a_phase_was_too_short_to_see_is_not_none() -> None:
    short = CutPhase("hold", 1.0, 10.6, chosen=True)
    data = drill(probes=probes(0))
    data.run.truncated = [short]
    assert any("an outage may have begun later" in text for text in texts(judged(data, "outage=5s")))
    assert judged(data, "failback=5s").record.valid
    data.run.truncated = [CutPhase("recover", 1.0, 10.6, chosen=True)]
    (result,) = judged(data, "failback=5s").record.limits[:1]
    assert (result.state, result.note) == (
        State.INCONCLUSIVE,
        f"no probe was impaired, but {data.run.truncated[0].text}: an outage may have begun later",
    )
    whole = judged(drill(probes=probes(0)), "outage=5s", "failback=5s").record.limits[:2]
    assert [(result.state, result.note) for result in whole] == [(State.KEPT, ""), (State.KEPT, "")]
    data = drill()
    data.run.truncated = [short]
    assert judged(data, "outage=5s").record.valid, "an outage was seen"


def test_a_run_without_a_fault_measures_from_its_start() -> None:
    run = Run(id="x", name="measure", plan=Plan(start_us=0, end_us=10 * SECOND))
    run.settings, run.fault = RunSettings.of({"probe_rate": 100.0}), FaultRun(name="none", kind="none")
    run.generator = ProbeAccount.of({"scheduled": 1000, "unsent": 0})
    good = [sample(at, at + 300) for at in range(0, 10 * SECOND, 10_000)]
    verdict = judge(run_data(run=run, probes=good), [])
    assert verdict.record.exit_code == 0 and verdict.events.timeline == [] and verdict.figures.prediction is None


def write_parts(data: RunData, directory: Path, other: Path) -> None:
    """A run directory, and one beside it with the samples of another host."""
    directory.mkdir()
    other.mkdir()
    data.run.parts = ["samples-2.jtl"]
    write_run(directory, data.run)
    for path, samples in ((directory / "probes.jtl", data.probes), (other / "samples-2.jtl", data.samples)):
        writer = SampleWriter(path)
        for one in samples_of(samples):
            writer.write(one)
        writer.close()
    journal = Journal(directory / "journal.lp", {"run": data.run.id})
    for point in data.points:
        journal.write(point.measurement, point.tags, point.fields, point.time_ns)
    journal.event("end", data.run.name, time_ns=(data.run.plan.end_us or 0) * 1000)
    journal.close()
    for backend, counts in data.access.items():
        rows = [f"1,198.18.0.1,200,10,GET,{path}?x=1\n" for path in counts.elements()]
        header = "time_us,remote,status,bytes,request_method,path\n"
        (directory / f"access-{backend}.csv").write_text(header + "".join(rows), encoding="utf-8")


def test_a_run_directory_gives_the_same_verdict_as_the_run(tmp_path: Path) -> None:
    data = simulate(11)
    write_parts(data, tmp_path / "run", tmp_path / "other")
    loaded = load(tmp_path / "run", tmp_path / "other")
    assert msgspec.to_builtins(judge(loaded).record) == msgspec.to_builtins(judge(data).record)


def test_parts_of_two_runs_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_run(tmp_path / name, Run(id=name, name=name))
    with pytest.raises(RunDirectoryError, match=r"but .* belongs to run"):
        load(tmp_path / "a", tmp_path / "b")


def test_a_run_directory_with_nothing_but_its_description_is_judged(tmp_path: Path) -> None:
    write_run(tmp_path, Run(id="a", name="a"))
    assert judge(load(tmp_path)).record.exit_code == 2
