"""The verdict: limits, trust, exit codes, and its JSON."""

import json
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
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.journal import Journal
from switchover.rundir.points import Point
from switchover.rundir.run_directory import CutPhase, FaultRun, Plan, Run, write_run
from switchover.rundir.run_records import ProbeAccount, RunSettings
from switchover.rundir.sample_log import Sample, SampleWriter
from switchover.verdict.judge import Verdict, judge
from switchover.verdict.limit import parse_limit
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import State, Status
from switchover.verdict.validity import unseen_limit_us
from synthetic import (
    FIRED,
    HEAL,
    SECOND,
    STEP,
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


def test_a_clean_drill_passes_and_can_be_trusted() -> None:
    verdict = judged(drill(), "outage=5s", "failback=1s", "failed=100%", "failed-total=10.1%", "late=0")
    assert verdict.reasons == [] and verdict.status is Status.PASSED and verdict.exit_code == 0
    assert verdict.events.outage and verdict.events.outage.duration_us == 3_010_000
    assert verdict.figures.prediction is not None and verdict.figures.prediction.inside is True
    assert verdict.figures.split_brain is not None and verdict.record.split_brain_ms == 0
    assert max(one.duration_ms for one in verdict.figures.split_brain.handovers) == 1.5
    assert [result.name.value for result in verdict.record.limits][-1] == "split-brain"


@pytest.mark.parametrize(
    "limit", ["outage=2.98s", "failed=1%", "failed=299", "failed-total=1%", "failed-total=100", "outage=2.9"]
)
def test_a_broken_limit_exits_with_one(limit: str) -> None:
    verdict = judged(drill(), limit)
    assert verdict.valid and verdict.status is Status.FAILED and verdict.exit_code == 1


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
    found = texts(judged(replace(data, connections=connections), "lost=0"))
    assert "1 of 1 requests of the load failed in the baseline: reset pooled once" in found
    assert any(text.startswith("only its own commands say that reload did anything") for text in found)
    assert found[-1].endswith("limit 0 (truncated pooled once)")


def test_invalid_outranks_a_broken_limit() -> None:
    data = drill()
    data.run.plan.confirmed_us = None
    verdict = judged(data, "outage=1s")
    assert verdict.exit_code == 2 and verdict.record.limits[0].state is State.EXCEEDED


def texts(verdict: Verdict) -> list[str]:
    return [reason.text for reason in verdict.reasons]


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
    ("data", "reason"),
    [
        (change(drill(), confirmed_us=None), "nothing proved"),
        (
            change(drill(), fired_from_us=None, fired_to_us=None, confirmed_us=None, heal_from_us=None),
            "was not fired",
        ),
        (change(drill(), healed_us=None), "heal of haproxy-kill was not verified"),
        (change(drill(), heal_from_us=None, healed_us=None), "heal of haproxy-kill was not verified"),
        (account(scheduled=None, unsent=None, warning="killed"), "no account of what it sent: killed"),
        (account(lost=3), "3 probes were sent, but could not be written down"),
        (answered_by_lb2(0), "lb2 gave 1 answers in the baseline: lb1 was not the only master"),
        (
            drill(probes=[p for p in probes(20_000) if not 10 * SECOND < p.start_us < 10.5 * SECOND]),
            "nothing was sent for 500 ms, 5.0 s after the fault",
        ),
        (
            drill(probes=[p for p in probes(0) if not FIRED < p.start_us < FIRED + 3 * SECOND]),
            "nothing was sent for 3,000 ms, 0.0 s after the fault",
        ),
        (
            drill(probes=[cannot_send(p) if FIRED <= p.start_us < FIRED + 3 * SECOND else p for p in probes(0)]),
            "outage: nothing was sent for 3,000 ms",
        ),
        (drill(probes=[p for p in probes() if p.start_us < HEAL]), "failback: nothing was sent for 10,000 ms"),
        (
            drill(probes=[p for p in probes() if p.start_us < 25 * SECOND]),
            "nothing was sent for 5,010 ms, 5.0 s after the heal",
        ),
        (change(drill(), end_us=None), "did not reach its end"),
        (drill(probes=[]), "there is no probe"),
        (drill(missing=("samples-2.jtl",)), "samples-2.jtl is missing"),
        (drill(probes=[refused(1_000_500), *probes()]), "1 of 501 probes failed in the baseline"),
        (
            drill(probes=[p for p in probes(300_000) if not FIRED + 150_000 < p.start_us < FIRED + 450_000]),
            "is too wide to say anything",
        ),
    ],
    ids=lambda value: value.replace(" ", "_") if isinstance(value, str) else "",
)
def test_a_run_is_not_trusted(data: RunData, reason: str) -> None:
    verdict = judged(data)
    assert verdict.exit_code == 2
    assert any(reason in text for text in texts(verdict)), texts(verdict)


def test_a_stall_is_the_resolution_of_none_up_to_a_second() -> None:
    run = pair_run()
    run.plan = Plan(start_us=0, end_us=4 * SECOND)
    run.fault = FaultRun(name="none", kind="none")
    for stall_us, valid in ((25_000, True), (171_000, True), (1_000_000, True), (1_001_000, False)):
        kept = [p for p in steady(0, 4 * SECOND) if not SECOND < p.start_us < SECOND + stall_us]
        verdict = judge(run_data(run=run, probes=kept), [])
        assert verdict.events.outage is not None and verdict.events.outage.detection_limit_us == stall_us
        assert verdict.valid is valid, verdict.reasons


def held_up(begin_us: int, probe_gap_us: int, *, down_us: int = 3 * SECOND) -> RunData:
    """A drill in which nothing was sent for a while."""
    return drill(probes=[p for p in probes(down_us) if not begin_us < p.start_us < begin_us + probe_gap_us])


@pytest.mark.parametrize("case", cases("unseen"), ids=lambda case: case["name"])
def test_the_limit_of_what_was_not_looked_at_is_as_the_vectors_say(case: dict[str, Any]) -> None:
    assert unseen_limit_us(case["seen_us"], case["interval_us"]) == case["limit_us"]


@pytest.mark.parametrize(
    ("data", "valid"),
    [
        (held_up(HEAL + SECOND, 170_000), True),
        (held_up(HEAL + SECOND, 3_010_000), True),
        (held_up(HEAL + SECOND, 3_020_000), False),
        (held_up(2 * FIRED, 1_000_000, down_us=0), True),
        (held_up(2 * FIRED, 1_010_000, down_us=0), False),
        (held_up(2 * FIRED, 230_000, down_us=200_000), False),
    ],
)
def test_a_stretch_that_was_not_looked_at_is_held_against_the_outage(data: RunData, valid: bool) -> None:
    verdict = judged(data)
    assert verdict.valid is valid, texts(verdict)
    assert valid or any("nothing was sent for" in text for text in texts(verdict))


def test_a_limit_within_a_stretch_that_was_not_looked_at_is_inconclusive() -> None:
    data = held_up(HEAL + SECOND, 170_000)
    assert texts(judged(data, "failback=100ms")) == [
        "failback 0 to 170 ms, limit 100 ms: this run cannot tell; no probe was sent for 170 ms"
    ]
    assert judged(data, "failback=1s").status is Status.PASSED


@pytest.mark.parametrize("probe_gap_us", [12_000, 25_000, 200_000])
@pytest.mark.parametrize("edge_us", [FIRED, FIRED + 3 * SECOND])
def test_a_probe_gap_at_an_edge_widens_the_bound_and_no_run_is_refused_for_it(
    probe_gap_us: int, edge_us: int
) -> None:
    kept = [p for p in probes() if not edge_us - probe_gap_us < p.start_us < edge_us]
    verdict = judged(drill(probes=kept), "outage=5s")
    assert verdict.status is Status.PASSED, texts(verdict)
    assert verdict.events.outage is not None and verdict.events.outage.detection_limit_us == STEP
    assert verdict.events.outage.length.low <= 3 * SECOND <= (verdict.events.outage.length.high or 0)


def test_an_inconclusive_limit_says_that_this_run_cannot_tell() -> None:
    verdict = judged(drill(), "outage=3s")
    assert verdict.status is Status.INCONCLUSIVE and verdict.exit_code == 2 and verdict.valid
    assert texts(verdict) == ["outage 2,989 to 3,010 ms, limit 3,000 ms: this run cannot tell"]


def machine(at_us: int, stolen_ms: float) -> Point:
    fields = {"stolen_ms": stolen_ms, "softirq_ms": 0.0, "running": 2, "waited_ms": 0.0}
    return Point("switchover_machine", {"node": "client", "processor": "all"}, fields, at_us * 1000)


def test_an_inconclusive_limit_names_the_probe_gap_that_made_it_so_and_its_cause() -> None:
    kept = [p for p in probes() if not FIRED - 180_000 < p.start_us < FIRED]
    stolen = [machine(FIRED - SECOND, 0.0), machine(FIRED, 200.0)]
    data = drill(probes=kept)
    assert texts(judged(data, "outage=3s")) == [
        "outage 2,989 to 3,180 ms, limit 3,000 ms: this run cannot tell; no probe was sent for 180 ms"
    ]
    verdict = judged(replace(data, points=[*data.points, *stolen]), "outage=3s")
    (text,) = texts(verdict)
    assert text.endswith(
        "no probe was sent for 180 ms (the hypervisor took the processor: 200 ms stolen in that second)"
    )
    assert verdict.reasons[0].figures["cause"] == "the hypervisor took the processor: 200 ms stolen in that second"


def test_a_probe_gap_that_leaves_the_outage_unmeasured_is_named_with_its_cause() -> None:
    kept = [p for p in probes(0) if not 2 * FIRED < p.start_us < 2 * FIRED + 1.1 * SECOND]
    stolen = [machine(2 * FIRED - SECOND, 0.0), machine(2 * FIRED + SECOND, 700.0)]
    data = drill(probes=kept)
    verdict = judged(replace(data, points=[*data.points, *stolen]), "outage=5s")
    assert any("nothing was sent for 1,100 ms" in text and "700 ms stolen" in text for text in texts(verdict))


def test_unreadable_rows_leave_a_count_open() -> None:
    data = replace(drill(), lost_rows={"probes": 5})
    assert judged(data, "failed-total=300").status is Status.INCONCLUSIVE
    assert judged(data, "failed-total=305").status is Status.PASSED
    assert judged(data, "failed-total=299").status is Status.FAILED


def test_a_failed_probe_of_a_run_without_a_fault_is_a_reason() -> None:
    run = pair_run()
    run.plan, run.fault = Plan(start_us=0, end_us=SECOND), FaultRun(name="none", kind="none")
    data = run_data(run=run, probes=[*steady(0, SECOND), refused(500_500)])
    assert any("1 of 1,001 probes failed in the baseline" in text for text in texts(judge(data, [])))


def test_configured_telemetry_that_never_came_leaves_its_limit_without_a_source() -> None:
    data = simulate(3)
    data.run.target = telling(data.run.target, "lb1", "lb2", haproxy=True, vip_owner=True)
    verdict = judge(data)
    assert [result.name.value for result in verdict.record.limits] == ["split-brain", "unaccounted"]
    assert verdict.record.limits[0].state is State.UNMEASURED and verdict.record.limits[1].state is State.KEPT
    silent = replace(data, points=[p for p in data.points if p.tags.get("node") != "lb2"])
    verdict = judge(silent)
    assert verdict.exit_code == 2 and verdict.figures.accounting.uncounted == ["lb2"]
    assert any("unaccounted=0: no counters of lb2" in text for text in texts(verdict))


def test_a_source_that_died_proves_nothing() -> None:
    data = drill()
    data.run.target = telling(data.run.target, "lb1", "lb2", vip_owner=True)
    verdict = judge(replace(data, points=[*data.points, vrrp("lb1", FIRED + 100_000, state="")]), [])
    assert verdict.valid, "it came back before the other one took the address"
    until = [point for point in data.points if point.tags["node"] == "lb2" or point.time_ns <= FIRED * 1000]
    verdict = judge(replace(data, points=[*until, vrrp("lb1", FIRED + 100_000, state="")]), [])
    assert verdict.figures.split_brain is None and verdict.exit_code == 2
    assert verdict.record.limits[0].state is State.UNMEASURED and verdict.record.limits[0].default


def test_a_failure_that_is_there_again_at_the_horizon_breaks_the_limit_however_short() -> None:
    again = [refused(p.start_us) if HEAL - 50_000 <= p.start_us < HEAL else p for p in probes()]
    verdict = judged(drill(probes=again), "outage=1h")
    assert (
        verdict.events.outage
        and verdict.events.outage.later_gaps
        and not verdict.events.outage.censored
        and not verdict.events.outage.recovered
    )
    assert verdict.record.limits[0].state is State.EXCEEDED and "not recovered" in verdict.record.limits[0].note


def test_an_outage_that_a_phase_was_too_short_to_see_is_not_none() -> None:
    short = CutPhase("hold", 1.0, 10.6, chosen=True)
    data = drill(probes=probes(0))
    data.run.truncated = [short]
    assert any("it may have come later" in text for text in texts(judged(data, "outage=5s")))
    assert judged(data, "failback=5s").valid
    data.run.truncated = [CutPhase("recover", 1.0, 10.6, chosen=True)]
    (result,) = judged(data, "failback=5s").record.limits[:1]
    assert (result.state, result.note) == (
        State.INCONCLUSIVE,
        f"no probe was impaired, but {data.run.truncated[0].text}: it may have come later",
    )
    whole = judged(drill(probes=probes(0)), "outage=5s", "failback=5s").record.limits[:2]
    assert [(result.state, result.note) for result in whole] == [(State.KEPT, ""), (State.KEPT, "")]
    data = drill()
    data.run.truncated = [short]
    assert judged(data, "outage=5s").valid, "an outage was seen"


def test_what_was_warned_about_in_the_run_is_a_warning_but_not_the_fault_itself() -> None:
    def warned(node: str, at_us: int) -> Point:
        return Point("switchover_event", {"kind": "warning", "node": node}, {"text": f"{node} silent"}, at_us * 1000)

    data = drill()
    points = [*data.points, warned("lb1", FIRED + 1), warned("lb2", FIRED + 1), warned("web1", 0)]
    assert set(judge(replace(data, points=points), []).record.warnings) == {"lb2 silent", "web1 silent"}


def test_a_sender_that_lags_is_warned_about() -> None:
    assert any("99th percentile 1.6 ms" in text for text in judge(account(lag_p99_ms=1.6), []).record.warnings)


def test_the_guards_own_error_is_the_reason() -> None:
    data = drill()
    assert data.run.fault is not None
    data.run.fault.error = "haproxy-kill: verify_down still finds it running"
    assert texts(judged(data))[0] == "haproxy-kill: verify_down still finds it running"


def test_a_probe_gap_away_from_the_edges_does_not_matter() -> None:
    data = drill(probes=[p for p in probes() if not 10 * SECOND < p.start_us < 10 * SECOND + 250_000])
    assert judged(data).valid


def test_a_bound_that_says_nothing_is_trusted_where_it_decides_a_limit() -> None:
    data = drill(probes=[p for p in probes(300_000) if not FIRED + 150_000 < p.start_us < FIRED + 450_000])
    assert judged(data, "outage=5s").status is Status.PASSED
    assert judged(data, "outage=250ms").status is Status.INVALID


def test_a_limit_without_a_source_makes_the_run_invalid() -> None:
    for limit, data in (
        ("split-brain=0s", drill(points=[])),
        ("unaccounted=0", drill()),
        ("failback=1s", change(drill(), heal_from_us=None)),
    ):
        verdict = judged(data, limit)
        assert verdict.exit_code == 2 and verdict.record.limits[0].low is None
        assert any(limit in reason for reason in texts(verdict))


def test_split_brain_breaks_its_default_limit_though_no_request_failed() -> None:
    data = drill(probes=[p if p.success else sample(p.start_us, p.start_us + 300) for p in probes()])
    both = [point for point in data.points if point.tags["node"] == "lb2" or point.time_ns == 0]
    verdict = judge(replace(data, points=both), [])
    assert verdict.figures.probes and verdict.figures.probes.failed == 0
    assert (
        verdict.exit_code == 1
        and verdict.record.split_brain_ms is not None
        and verdict.record.split_brain_ms > 16_000
    )
    found = verdict.record.limits[0]
    assert found.low == found.high == 16_003.5, "from 7.998 s to 24.0015 s"


def test_an_outage_that_did_not_end_is_over_any_limit() -> None:
    verdict = judged(drill(probes=probes(15 * SECOND)), "outage=1h")
    assert (
        verdict.events.outage and verdict.events.outage.censored and verdict.record.limits[0].state is State.EXCEEDED
    )


def test_a_longer_gap_after_the_clean_window_counts_in_the_limit() -> None:
    again = [refused(p.start_us) if 15 * SECOND <= p.start_us < 19 * SECOND else p for p in probes(20_000)]
    verdict = judged(drill(probes=again), "outage=1s")
    assert verdict.events.outage and verdict.events.outage.duration_us == 30_000
    assert verdict.record.limits[0].state is State.EXCEEDED and any(
        "later gap" in text for text in verdict.record.warnings
    )


def test_samples_make_the_failed_limit_where_there_are_any() -> None:
    good = [sample(at, at + 100, intended_us=None, stream="") for at in range(FIRED, FIRED + 90_000, 1000)]
    bad = [sample(FIRED, FIRED + 100, intended_us=None, stream="", success=False, error=FailureKind.RESET)] * 10
    verdict = judged(drill(samples=[*good, *bad]), "failed=10%")
    assert verdict.record.limits[0].state is State.KEPT and verdict.record.limits[0].note == "10 of 100"


def test_a_held_probe_is_warned_about() -> None:
    assert any(
        "read timeout of the probes (1000 ms)" in text
        for text in judged(drill(probes=probes(500_000))).record.warnings
    )
    assert not any("read timeout" in text for text in judged(drill()).record.warnings)


def test_a_baseline_off_its_rate_is_warned_about() -> None:
    data = drill(probes=[p for p in probes() if p.start_us >= FIRED or p.start_us % (10 * STEP)])
    assert any("-10.0% off" in text for text in judged(data).record.warnings)


def test_a_run_without_a_fault_measures_from_its_start() -> None:
    run = Run(id="x", name="measure", plan=Plan(start_us=0, end_us=10 * SECOND))
    run.settings, run.fault = RunSettings.of({"probe_rate": 100.0}), FaultRun(name="none", kind="none")
    run.generator = ProbeAccount.of({"scheduled": 1000, "unsent": 0})
    good = [sample(at, at + 300) for at in range(0, 10 * SECOND, 10_000)]
    verdict = judge(run_data(run=run, probes=good), [])
    assert verdict.exit_code == 0 and verdict.events.timeline == [] and verdict.figures.prediction is None


def test_json_has_every_figure_and_null_for_what_is_unknown() -> None:
    found = json.loads(json.dumps(msgspec.to_builtins(judged(drill(points=[])).record)))
    assert list(found) == [
        "schema",
        "run",
        "verdict",
        "exit_code",
        "valid",
        "reasons",
        "warnings",
        "limits",
        "outage",
        "prediction",
        "confirmation",
        "restoration",
        "timeline",
        "probes",
        "samples",
        "load",
        "split_brain_ms",
        "split_brain",
        "failback",
        "distribution",
        "accounting",
        "generator",
    ]
    assert found["split_brain_ms"] is None and found["samples"] is None
    assert found["accounting"]["unaccounted"] is None
    assert found["outage"]["high_ms"] == 3010.0 and found["outage"]["gaps"][0]["failed"] == 300
    assert found["timeline"][2] == {
        "step": "detection",
        "at_us": None,
        "bound_ms": None,
        "after_kill_ms": None,
        "stamped_late_ms": 0.0,
        "source": "unknown",
        "order_unknown": False,
    }
    assert found["probes"]["by_phase"]["switchover"]["by_kind"] == {"refused": 300}
    assert found["generator"] == {
        "scheduled": 3_000,
        "unsent": 0,
        "lag_p50_ms": 0.1,
        "lag_p99_ms": 0.9,
        "cpu_percent": 15.0,
    }


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


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    write_parts(simulate(11), tmp_path / "run", tmp_path / "other")
    assert load(tmp_path / "run").missing == ("samples-2.jtl",)
    assert judge(load(tmp_path / "run")).exit_code == 2


def test_parts_of_two_runs_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_run(tmp_path / name, Run(id=name, name=name))
    with pytest.raises(RunDirectoryError, match="not parts of one run"):
        load(tmp_path / "a", tmp_path / "b")


def test_a_run_directory_with_nothing_but_its_description_is_judged(tmp_path: Path) -> None:
    write_run(tmp_path, Run(id="a", name="a"))
    assert judge(load(tmp_path)).exit_code == 2
