"""What a reader is warned of, though the figures stand."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from switchover.evidence.run_data import RunData
from switchover.figures.outage import Outage
from switchover.rundir.points import Point
from switchover.rundir.run_directory import CutPhase
from switchover.verdict.judge import Verdict, judge
from switchover.verdict.record import PhaseName
from switchover.verdict.warning_texts import RESTORATION_UNKNOWN, list_warnings
from synthetic import FIRED, SECOND, away, drill


@dataclass
class Judged:
    """A drill of which nothing is to be warned, and what is told of it where it was another."""

    data: RunData
    verdict: Verdict

    def warned(self, **facts: Any) -> list[str]:
        return self._list(replace(self.data, **facts))

    def warned_of_run(self, **facts: Any) -> list[str]:
        return self._list(replace(self.data, run=replace(self.data.run, **facts)))

    def warned_of_outage(self, outage: Outage | None, **settings: Any) -> list[str]:
        run = replace(self.data.run, settings=self.data.run.settings | settings)
        return self._list(replace(self.data, run=run), outage=outage)

    def _list(self, data: RunData, outage: Outage | None = None, **figures: Any) -> list[str]:
        none = self.verdict.events.fresh.only(np.zeros(len(self.verdict.events.fresh), np.bool_))
        events, restoration = replace(self.verdict.events, outage=outage, fresh=none), self.verdict.record.restoration
        return list(list_warnings(data, events, replace(self.verdict.figures, **figures), restoration))


@pytest.fixture(scope="module")
def judged() -> Judged:
    data = drill()
    return Judged(data, judge(data, []))


def event(text: str, node: str, at_us: int = 0, kind: str = "warning") -> Point:
    return Point("switchover_event", {"kind": kind, "node": node}, {"text": text}, at_us * 1000)


def test_what_the_run_itself_warned_of_comes_first_and_each_is_told_once(judged: Judged) -> None:
    cut = CutPhase("recover", 3.25, 10, chosen=False)
    told = judged.warned_of_run(warnings=["b", "a", "b"], truncated=[cut])
    assert told == ["b", "a", "recover 3.2 s is shorter than the 10 s that a stability window needs"]
    assert judged.warned() == []
    ignored = {"journal.lp": 2, "samples.jtl": 3}
    assert judged.warned(ignored=ignored) == ["5 lines of the run directory could not be read"]


@pytest.mark.parametrize(("outage", "is_told"), [(away(999_999), True), (away(SECOND), False), (away(0), False)])
def test_probes_that_wait_longer_than_the_outage_are_told(judged: Judged, outage: Outage, is_told: bool) -> None:
    outage = outage if outage.duration_us else replace(outage, gaps=())
    told = judged.warned_of_outage(outage, timeout_read_ms=1000.0)
    text = (
        "the read timeout of the probes (1000 ms) is longer than the outage: hung requests get late "
        "responses, so the number of failures and the loss-derived outage are too low"
    )
    assert told == ([text] if is_told else [])
    assert judged.warned_of_outage(outage, timeout_read_ms=None) == []


def test_probes_that_were_sent_late_or_not_at_all_are_told(judged: Judged) -> None:
    def lag(p99_ms: float | None, realtime: bool | None = None) -> list[str]:
        found = judged.data.run.generator | {"lag_p99_ms": p99_ms, "realtime": realtime}
        return judged.warned_of_run(generator=found)

    late = "probes were sent late (99th percentile 1.5 ms): the client machine was busy"
    assert lag(None) == lag(1.5) == lag(1.5, realtime=False) == []
    assert lag(1.51) == lag(1.51, realtime=True) == [late]
    assert lag(1.51, realtime=False) == [f"{late}, and the prober had no real-time scheduling"]
    probes = judged.verdict.figures.probes
    assert probes is not None
    whole = structs.replace(probes, unsent=7)
    assert judged._list(judged.data, probes=whole) == [
        "7 probes could not be sent: the client machine had no free ports or descriptors"
    ]
    assert judged._list(judged.data, probes=None) == []


def test_more_requests_cut_than_there_were_users_are_told(judged: Judged) -> None:
    probes = judged.verdict.figures.probes
    assert probes is not None

    def warned(unsent: int, *users: float | None) -> list[str]:
        by_phase = {
            phase: structs.replace(probes.by_phase[PhaseName.BASELINE], users=users)
            for phase, users in zip(PhaseName, users, strict=False)
        }
        load = structs.replace(probes, unsent=unsent, by_phase=by_phase)
        return judged._list(judged.data, samples=load)

    more = "51 requests were not sent, or were aborted by the load generator"
    assert warned(50, 12.0, 49.3) == warned(50, 50.0) == warned(0) == []
    assert warned(51, 12.0, 49.3) == warned(51, None) == warned(51) == [more]


def test_warnings_of_the_journal_are_told_but_not_that_the_victim_fell_silent(judged: Judged) -> None:
    points = [
        event("of lb1 before", "lb1", FIRED - 1),
        event("as lb1 falls", "lb1", FIRED),
        event("of lb2", "lb2", FIRED + 1),
        event("no warning", "lb2", kind="fault"),
        Point("switchover_scrape", {"kind": "warning"}, {"text": "no event"}, 0),
        Point("switchover_event", {"kind": "warning"}, {}, 0),
        event("at the end", "web1", FIRED + SECOND),
    ]
    assert judged.warned(points=points) == ["of lb1 before", "of lb2", "", "at the end"]
    run = replace(judged.data.run, fault=None)
    assert judged.warned(points=points[:2], run=run) == ["of lb1 before", "as lb1 falls"]
    unfired = replace(judged.data.run, plan=replace(judged.data.run.plan, fired_from_us=None))
    assert judged.warned(points=points[:2], run=unfired) == ["of lb1 before", "as lb1 falls"]


def test_a_pair_of_which_nothing_is_known_after_its_heal_is_told(judged: Judged) -> None:
    verdict = replace(judged.verdict, record=structs.replace(judged.verdict.record, restoration=None))
    assert Judged(judged.data, verdict).warned() == [RESTORATION_UNKNOWN]
    plan = replace(judged.data.run.plan, healed_us=None)
    assert Judged(judged.data, verdict).warned_of_run(plan=plan) == []
    assert Judged(judged.data, verdict).warned_of_run(fault=None) == []
