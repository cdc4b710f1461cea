"""What makes the samples of a load unbelievable, and what a run says that had no prober, or healed at its end."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from support.request_tables import changed
from switchover.evidence.run_data import RunData
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.points import Point
from switchover.rundir.run_records import ProbeAccount, WorkerFacts
from switchover.rundir.sample_log import Sample
from switchover.verdict.judge import judge
from switchover.verdict.limit import parse_limit
from switchover.verdict.limit_result import named_limit
from switchover.verdict.record import PhaseName, State, Status
from synthetic import END, FIRED, HEAL, SECOND, drill, refused, sample

WORKER = {"worker": "w1", "host": "h", "lost": 0, "ended": "stopped", "joined": "start"}


def load_of(users: int = 5) -> list[Sample]:
    """Users of a closed loop, refused for 3 s, from 1 s after the start to 1 s before the end."""
    found = []
    for user in range(users):
        for at in range(SECOND + user * 1000, END - SECOND, 250_000):
            node = "lb2" if FIRED <= at < HEAL + 4 * SECOND else "lb1"
            identity = Identity("web1", node, AnsweredBy.BACKEND)
            down = FIRED <= at < FIRED + 3 * SECOND
            one = refused(at) if down else sample(at, at + 400, identity=identity)
            found.append(one._replace(intended_us=None, thread=f"user {user}", stream="kept"))
    return found


def loaded(*, state: str | None = "ended", workers: list[dict[str, Any]] | None = None, **changes: Any) -> RunData:
    data = changed(drill(), **({"samples": load_of()} | changes))
    data.run.settings |= {"generator": "locust", "load": {"state": state}}
    told = [WORKER | {"samples": len(data.samples)}] if workers is None else workers
    data.run.workers = list(map(WorkerFacts.of, told))
    return data


def reasons(data: RunData) -> str:
    return "; ".join(reason.text for reason in judge(data, []).reasons)


def test_a_load_that_is_whole_is_believed() -> None:
    verdict = judge(loaded(), [])
    assert verdict.reasons == [] and verdict.figures.samples is not None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"state": "running"}, "the load did not end in order"),
        ({"samples": ()}, "the load left no sample"),
        (
            {"workers": [WORKER | {"ended": "lost", "samples": None}]},
            "w1 on h was lost: what else",
        ),
        ({"workers": [WORKER | {"samples": 9_999}]}, "the load recorded 9,999 samples, and 560 are here"),
        ({"workers": [WORKER | {"samples": 563, "lost": 3}]}, "3 samples of w1 on h could not be written down"),
    ],
)
def test_what_is_missing_of_a_load_is_named(changes: dict[str, Any], said: str) -> None:
    verdict = judge(loaded(**changes), [])
    assert verdict.exit_code == 2 and said in "; ".join(reason.text for reason in verdict.reasons)


def test_a_run_without_a_load_needs_to_say_nothing_of_one() -> None:
    assert reasons(drill()) == ""


def test_a_server_that_was_lost_before_its_first_sample_is_named() -> None:
    """Nothing of its load is here, but what it sent is in the balancer's counts."""
    data = drill()
    data.run.workers = [WorkerFacts(worker="s1:1099", host="s1", ended="lost")]
    verdict = judge(data, [])
    assert verdict.exit_code == 2
    assert [reason.text for reason in verdict.reasons] == [
        "s1:1099 on s1 was lost: what else it had sent is not known"
    ]


def test_rates_and_users_are_over_the_time_in_which_the_load_ran() -> None:
    points = [Point("switchover_users", {"worker": "w1"}, {"active": 5}, at * 1_000_000_000) for at in range(1, 29)]
    data = loaded()
    verdict = judge(replace(data, points=[*data.points, *points]), [])
    assert verdict.figures.samples is not None
    baseline = verdict.figures.samples.by_phase[PhaseName.BASELINE]
    assert baseline.total == 80 and baseline.rate == pytest.approx(20.0, rel=0.01) and baseline.users == 5
    whole = verdict.figures.samples
    assert whole.rate == pytest.approx(whole.total / 28, rel=0.02)


def without_prober(**changes: Any) -> RunData:
    data = loaded(probes=(), **changes)
    data.run.settings |= {"probe_rate": 0.0}
    data.run.generator = ProbeAccount.of({})
    return data


def test_without_a_prober_no_outage_is_claimed_and_none_denied() -> None:
    verdict = judge(without_prober(), [])
    assert verdict.reasons == []
    found = msgspec.to_builtins(verdict.record)
    assert (found["outage"], found["failback"], found["probes"]) == (None, None, None)
    assert found["prediction"]["inside"] is None
    steps = {row["step"]: row["at_us"] for row in found["timeline"]}
    assert steps["first impairment"] is None and steps["clean"] is None
    assert steps["detection"] is not None and steps["new master elected"] is not None
    assert found["load"]["longest_gap"]["duration_ms"] == pytest.approx(3250, abs=250)


def test_without_a_prober_the_switchover_lasts_until_the_heal() -> None:
    verdict = judge(without_prober(), [])
    assert verdict.figures.samples is not None
    phases = verdict.figures.samples.by_phase
    assert phases[PhaseName.SWITCHOVER].total == 5 * 60 and phases[PhaseName.ON_BACKUP].total == 0
    assert phases[PhaseName.FAILBACK].total == 5 * 36 and phases[PhaseName.RECOVERED].total == 0


@pytest.mark.parametrize("limit", ["outage=1h", "failback=1h"])
def test_without_a_prober_a_limit_on_it_makes_the_run_invalid(limit: str) -> None:
    verdict = judge(without_prober(), [parse_limit(limit)])
    assert verdict.status is Status.INVALID
    assert [reason.text for reason in verdict.reasons] == [
        f"limit {named_limit(verdict.record.limits[0])}: there was no prober"
    ]


def test_without_a_prober_limits_on_the_load_are_judged() -> None:
    verdict = judge(without_prober(), [parse_limit("failed-total=20%"), parse_limit("failed=1")])
    assert [result.state for result in verdict.record.limits[:2]] == [
        State.KEPT,
        State.EXCEEDED,
    ] and verdict.exit_code == 1


def test_a_fault_that_was_healed_at_the_end_has_no_failback() -> None:
    """The heal came when the run was over: whatever it cost, nobody looked."""
    data = loaded()
    data.run.plan = replace(data.run.plan, end_us=HEAL)
    verdict = judge(data, [parse_limit("failback=1h")])
    assert (
        verdict.events.failback is None
        and verdict.events.outage is not None
        and verdict.events.outage.duration_us == 3_010_000
    )
    assert verdict.record.limits[0].note == "the fault was not healed while the load ran, so there is no failback"
    assert PhaseName.FAILBACK not in (verdict.figures.samples.by_phase if verdict.figures.samples else {})
