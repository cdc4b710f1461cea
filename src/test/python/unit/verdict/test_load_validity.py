"""What makes the samples of a load unbelievable, and what a run says that had no prober, or healed at its end."""

from typing import Any

import msgspec
import pytest

from support.request_tables import changed
from switchover.evidence.run_data import RunData
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.run_records import ProbeAccount, WorkerFacts
from switchover.rundir.sample_log import Sample
from switchover.verdict.judge import judge
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Reason
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
    return "; ".join(reason.text for reason in judge(data, []).record.reasons)


def test_a_load_that_is_whole_is_believed() -> None:
    verdict = judge(loaded(), [])
    assert verdict.record.reasons == [] and verdict.figures.samples is not None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"state": "running"}, make_reason("load_not_ended")),
        ({"samples": ()}, make_reason("no_sample")),
        (
            {"workers": [WORKER | {"ended": "lost", "samples": None}]},
            make_reason("worker_lost", worker="w1 on h"),
        ),
        (
            {"workers": [WORKER | {"samples": 9_999}]},
            make_reason("samples_differ", recorded=9_999, found=560),
        ),
        (
            {"workers": [WORKER | {"samples": 563, "lost": 3}]},
            make_reason("samples_lost", worker="w1 on h", lost=3),
        ),
    ],
)
def test_what_is_missing_of_a_load_is_named(changes: dict[str, Any], reason: Reason) -> None:
    verdict = judge(loaded(**changes), [])
    assert verdict.record.exit_code == 2 and reason in verdict.record.reasons


def test_a_run_without_a_load_needs_to_say_nothing_of_one() -> None:
    assert reasons(drill()) == ""


def without_prober(**changes: Any) -> RunData:
    data = loaded(probes=(), **changes)
    data.run.settings |= {"probe_rate": 0.0}
    data.run.generator = ProbeAccount.of({})
    return data


def test_without_a_prober_no_outage_is_claimed_and_none_denied() -> None:
    verdict = judge(without_prober(), [])
    assert verdict.record.reasons == []
    found = msgspec.to_builtins(verdict.record)
    assert (found["outage"], found["failback"], found["probes"]) == (None, None, None)
    assert found["prediction"]["inside"] is None
    steps = {row["step"]: row["at_us"] for row in found["timeline"]}
    assert steps["first bad probe"] is None and steps["recovery"] is None
    assert steps["detection"] is not None and steps["new master elected"] is not None
    assert found["load"]["longest_gap"]["duration_ms"] == pytest.approx(3250, abs=250)
