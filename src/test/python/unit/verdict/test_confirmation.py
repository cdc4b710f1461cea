"""Each source of a fault by itself: what it saw, what it denies, and what it cannot tell."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from support.contract import named
from support.records import check
from support.request_tables import run_data
from support.verdict_scenarios import observed, scraped
from switchover.evidence.run_data import RunData
from switchover.figures.events import find_events
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.points import Point
from switchover.rundir.run_directory import CutPhase, FaultRun
from switchover.rundir.sample_log import Sample
from switchover.verdict.confirmation import Evidence, SourceKind, _seen, look_for_confirmation, source_kinds
from synthetic import FIRED, HEAL, SECOND, drill, pair_run, sample, vrrp


def seen(data: RunData, kind: SourceKind) -> tuple[bool | None, str]:
    check = Evidence(find_events(data)).check(kind)
    assert check.name == kind.value
    return check.holds, check.text


@pytest.mark.parametrize(
    ("holds", "expected"),
    [
        ({}, None),
        ({"server": None, "probes": None}, None),
        ({"server": False, "probes": None}, False),
        ({"server": False, "probes": True}, True),
        ({"owner": False, "probes": True}, True),
        ({"generation": False, "probes": True}, False),
        ({"frontend": False, "probes": True}, False),
        ({"scrapes": False, "generation": True}, False),
        ({"scrapes": None, "generation": True}, True),
    ],
)
def test_what_looks_at_the_very_thing_outranks_what_only_saw_something(
    holds: dict[str, bool | None], expected: bool | None
) -> None:
    assert _seen([check(name, held, "") for name, held in holds.items()]) is expected


def of_backend(*requests: Sample) -> RunData:
    """A fault of web1, from 5 to 20 s."""
    run = pair_run()
    run.fault = FaultRun(name="backend-slow", kind="backend", victim="web1")
    return run_data(run=run, samples=requests)


ERRORS = {"ok": None, "failed": FailureKind.REFUSED, "generator": FailureKind.GENERATOR}


def requests_of(rows: Sequence[Sequence[Any]]) -> list[Sample]:
    found = []
    for start_us, end_us, result, backend, balancer, number in rows:
        identity = Identity(backend, balancer, AnsweredBy.BACKEND if backend else AnsweredBy.NONE)
        one = sample(start_us, end_us, success=result == "ok", error=ERRORS[result], identity=identity)
        found += [one] * number
    return found


@pytest.mark.parametrize("case", named("confirmation.json", "cases"))
def test_what_requests_say_of_a_fault_is_as_agreed(case: dict[str, Any]) -> None:
    data, share = of_backend(*requests_of(case["requests"])), case["share"]
    found, slower = Evidence(find_events(data))._answers_of("web1")
    assert found == pytest.approx(share) and slower is case["slower"]
    probed = seen(data, SourceKind.PROBES)
    if case["another"]:
        assert probed == (True, "another balancer answered")
    elif case["failed"]:
        assert probed == (True, f"{case['failed']} requests failed")
    else:
        assert probed == (None, "no request was impaired")
    server = {
        None: (None, "web1 sent no response before the fault"),
        0.4: (True, "the share of web1 fell to 40% of its share before the fault"),
        0.0: (True, "the share of web1 fell to 0% of its share before the fault"),
    }
    kept = (
        (True, "the responses of web1 took longer than before")
        if case["slower"]
        else (False, "web1 answered as before")
    )
    assert seen(data, SourceKind.SERVER) == server.get(share, kept)


def with_states(*states: tuple[int, str]) -> RunData:
    """Of web1 as lb2 shows it."""
    points = [one for at_us, web1 in states for one in scraped("lb2", at_us, generation="1", web1=web1)]
    return replace(of_backend(), points=points)


@pytest.mark.parametrize(
    ("states", "holds", "text"),
    [
        ([(SECOND, "UP"), (FIRED + 1, "DOWN")], True, "lb2: web1 became DOWN"),
        ([(SECOND, "UP"), (HEAL - 1, "DOWN")], True, "lb2: web1 became DOWN"),
        ([(SECOND, "UP"), (FIRED + 1, "UP"), (HEAL, "DOWN")], False, "web1 stayed up"),
        ([(SECOND, "DOWN"), (FIRED + 1, "DOWN")], False, "web1 stayed up"),
        ([(SECOND, "UP"), (FIRED, "DOWN")], None, "web1 sent no response before the fault"),
        ([(FIRED + 1, "DOWN")], None, "web1 sent no response before the fault"),
    ],
)
def test_a_balancer_marks_a_server_down_between_the_fault_and_its_heal(
    states: Sequence[tuple[int, str]], holds: bool | None, text: str
) -> None:
    assert seen(with_states(*states), SourceKind.SERVER) == (holds, text)


def of_lb1(*scrapes: list[Point]) -> RunData:
    return replace(drill(), points=[point for one in scrapes for point in one])


def test_a_frontend_that_changed_its_status_was_hit() -> None:
    before = scraped("lb1", SECOND, generation="1")
    closed = scraped("lb1", FIRED + SECOND, generation="1", front="STOP")
    still = scraped("lb1", FIRED + SECOND, generation="1")
    late = scraped("lb1", HEAL, generation="1", front="STOP")
    assert seen(of_lb1(before, closed), SourceKind.FRONTEND) == (True, "lb1: frontend www became STOP")
    kept = (False, "every frontend of lb1 kept its status")
    assert seen(of_lb1(before, still, late), SourceKind.FRONTEND) == kept
    new = [
        replace(one, tags={**one.tags, "proxy": "new"}, fields={**one.fields, "status": "STOP"}) for one in still[:1]
    ]
    assert seen(of_lb1(before, [*still, *new]), SourceKind.FRONTEND) == kept
    unseen = (None, "no frontend of lb1 was seen before and after the fault")
    for scrapes in ((), (before,), (closed,), (before, late), (before[1:], closed)):
        assert seen(of_lb1(*scrapes), SourceKind.FRONTEND) == unseen


def test_another_process_or_none_answers_where_one_was_ended() -> None:
    before = [scraped("lb1", at_s * SECOND, generation="1") for at_s in range(5)]
    same = [scraped("lb1", at_s * SECOND, generation="1") for at_s in range(6, 20)]
    other = scraped("lb1", HEAL - 1, generation="2")
    assert seen(of_lb1(*before, other), SourceKind.GENERATION) == (True, "another process answered on lb1")
    assert seen(of_lb1(*before), SourceKind.GENERATION) == (True, "the process on lb1 stopped answering")
    stayed = (False, "the same process on lb1 answered all the time")
    assert seen(of_lb1(*before, *same), SourceKind.GENERATION) == stayed
    away = (True, "lb1 stopped answering scrapes")
    assert seen(of_lb1(*before), SourceKind.SCRAPES) == away
    answered = (False, "lb1 answered its scrapes all the time")
    assert seen(of_lb1(*before, *same), SourceKind.SCRAPES) == answered
    assert seen(of_lb1(*before, *same[:2], *same[9:]), SourceKind.SCRAPES) == away, "and came back before the heal"
    assert seen(of_lb1(*same), SourceKind.GENERATION) == (None, "lb1 was not scraped before the fault")
    assert seen(of_lb1(*same), SourceKind.SCRAPES) == (None, "lb1 was not scraped before the fault")


def test_an_address_moves_to_another_node_between_the_fault_and_its_heal() -> None:
    first = [vrrp("lb1", 0, state="MASTER"), vrrp("lb2", 0, state="BACKUP")]

    def owner(*points: Point) -> tuple[bool | None, str]:
        return seen(replace(drill(), points=[*first, *points]), SourceKind.OWNER)

    assert owner(vrrp("lb2", FIRED, state="MASTER")) == (True, "lb2 got the address")
    assert owner(vrrp("lb2", HEAL - 1, holds_vip=True)) == (True, "lb2 got the address")
    for at_us in (FIRED - 1, HEAL):
        assert owner(vrrp("lb2", at_us, state="MASTER")) == (False, "lb2 never got the address")
    assert owner(vrrp("lb2", FIRED, state="BACKUP")) == (False, "lb2 never got the address")
    assert owner(vrrp("lb2", FIRED, state="MASTER", holds_vip=False)) == (True, "lb2 got the address")
    assert owner(vrrp("lb3", 0, state="BACKUP")) == (False, "lb2 and lb3 never got the address")
    unknown = (
        None,
        "unknown: no ownership source on the other nodes, or the fault was too short to see the address move",
    )
    alone = replace(drill(), points=first[:1])
    assert seen(alone, SourceKind.OWNER) == unknown
    short = replace(drill(), points=first)
    short.run.truncated = [CutPhase("recover", 1.0, 6.0, chosen=True)]
    assert seen(short, SourceKind.OWNER)[0] is False
    short.run.truncated = [CutPhase("hold", 1.0, 10.6, chosen=True)]
    assert seen(short, SourceKind.OWNER) == unknown


def test_a_known_fault_without_recorded_sources_has_the_sources_of_the_catalogue() -> None:
    """JMeter records no sources."""
    data = observed("outage=5s")
    assert data.run.fault is not None
    data.run.fault.name, data.run.fault.sources = "keepalived-stop", []
    assert source_kinds(data.run) == [SourceKind.OWNER, SourceKind.PROBES]


def test_a_fault_that_names_no_source_is_seen_by_any_and_denied_by_none() -> None:
    data = observed("outage=5s", killed=False, probed_down_us=0, answers_move=False)
    assert data.run.fault is not None
    data.run.fault.name = "our-own-kill"
    assert source_kinds(data.run) == [SourceKind.PROBES]
    found = look_for_confirmation(Evidence(find_events(data)))
    assert [check.name for check in found.checks] == ["generation", "frontend", "scrapes", "owner", "probes"]
    assert all(check.holds is not False for check in found.checks)
    assert found.checks[0] == check("generation", None, "the same process on lb1 answered all the time")
    data.run.fault.kind = "backend"
    of_a_backend = look_for_confirmation(Evidence(find_events(data)))
    assert [check.name for check in of_a_backend.checks] == ["server", "probes"]
    data.run.fault.sources = ["probes", "unheard of", "owner"]
    assert source_kinds(data.run) == [SourceKind.OWNER, SourceKind.PROBES]
    data.run.fault = None
    assert source_kinds(data.run) == ()
