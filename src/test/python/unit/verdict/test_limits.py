"""Which limits hold a run, and which file has to be whole for each of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import pytest

from support.records import line
from switchover.evidence.flaws import Flaw
from switchover.evidence.run_data import RunData
from switchover.figures.accounting.ledger import add_up
from switchover.figures.events import Events
from switchover.figures.figures import Figures
from switchover.rundir.run_records import WorkerFacts
from switchover.verdict.judge import Verdict, judge
from switchover.verdict.limit import Limit as Asked
from switchover.verdict.limit import limits_of, parse_limit
from switchover.verdict.limit_checks import hold_limits
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Limit, LimitName, State
from synthetic import drill, simulate, telling

Record = TypeVar("Record", RunData, Events, Figures)

ASKED = [
    parse_limit(text)
    for text in (
        "outage=5s",
        "failback=5s",
        "failed=20",
        "failed-total=20",
        "late=20",
        "split-brain=1s",
        "unaccounted=0",
        "lost=0",
        "lossy=1%",
        "delay=1s",
    )
]
OF_PROBES = {"outage", "failback"}
OF_REQUESTS = {"failed", "failed-total", "late"}
OF_ALL = {"unaccounted", "lost", "lossy", "delay"}


@pytest.fixture(scope="module")
def with_load() -> tuple[RunData, Verdict]:
    data = simulate(1)
    return data, judge(data)


@pytest.fixture(scope="module")
def with_probes() -> tuple[RunData, Verdict]:
    data = drill()
    return data, judge(data)


@pytest.fixture(autouse=True)
def left_as_it_was(with_load: tuple[RunData, Verdict], with_probes: tuple[RunData, Verdict]) -> Iterator[None]:
    kept = [(data.run, data.run.target, data.run.workers) for data, _ in (with_load, with_probes)]
    yield
    for run, target, workers in kept:
        run.target, run.workers, run.truncated = target, workers, []


def held(found: tuple[RunData, Verdict], *asked: Asked, **facts: Any) -> Sequence[Limit]:
    """`facts`: what is otherwise in the data, the events or the figures."""
    data, verdict = found
    return hold_limits(
        asked,
        _changed(data, facts),
        _changed(verdict.events, facts),
        _changed(verdict.figures, facts),
    )


def _changed(record: Record, facts: Mapping[str, Any]) -> Record:
    names = {one.name for one in fields(record)}
    return replace(record, **{name: value for name, value in facts.items() if name in names})


def damaged(name: str) -> tuple[Flaw, ...]:
    return (Flaw(name, make_reason("file_damaged", name=name, what=f"{name} was cut off")),)


def unmeasured(results: Sequence[Limit], note: str) -> set[str]:
    return {one.name.value for one in results if (one.state, one.note) == (State.UNMEASURED, note)}


def test_limits_are_those_that_the_run_was_started_with() -> None:
    data = drill()
    data.run.settings |= {"limits": ["outage=1s", "failed=2"]}
    assert [str(limit) for limit in limits_of(data.run)] == ["outage=1s", "failed=2"]


@pytest.mark.parametrize(
    ("name", "with_samples", "with_probes_alone"),
    [
        ("probes.jtl", OF_PROBES | OF_ALL, OF_PROBES | OF_REQUESTS | OF_ALL),
        ("samples-2.jtl", OF_REQUESTS | OF_ALL, OF_ALL),
        ("journal.lp", {"split-brain"} | OF_ALL, {"split-brain"} | OF_ALL),
        ("access-web1.csv", OF_ALL, OF_ALL),
    ],
)
def test_a_limit_is_not_measured_where_a_file_of_its_source_is_damaged(
    name: str,
    with_samples: set[str],
    with_probes_alone: set[str],
    with_load: tuple[RunData, Verdict],
    with_probes: tuple[RunData, Verdict],
) -> None:
    flaws = damaged(name)
    for found, lost in ((with_load, with_samples), (with_probes, with_probes_alone)):
        assert unmeasured(held(found, *ASKED, flaws=flaws), flaws[0].reason.text) == lost
    with_probes[0].run.workers = [WorkerFacts(worker="1")]
    lost = unmeasured(held(with_probes, *ASKED, flaws=flaws), flaws[0].reason.text)
    assert lost & OF_REQUESTS == with_samples & OF_REQUESTS, "their load left nothing, and it was one"


def test_what_is_unaccounted_is_not_measured_where_a_part_is_missing_or_a_file_without_a_seal_may_be_why(
    with_load: tuple[RunData, Verdict],
) -> None:
    unaccounted = parse_limit("unaccounted=0")
    (found,) = (
        one for one in held(with_load, unaccounted, missing=("a.jtl", "b.jtl")) if one.name is unaccounted.name
    )
    assert (found.state, found.note) == (State.UNMEASURED, make_reason("part_missing", name="a.jtl").text)
    why = "unaccounted 3, and these files have no seal: a.jtl. The cause may be the pair or a damaged file"
    differs = add_up(True, (line("requests", 5, 2, "HAProxy's counters", "lb1", unaccounted=3),))
    given: dict[str, Any] = {"unsealed": ("a.jtl",), "accounting": differs}
    found = next(one for one in held(with_load, unaccounted, **given) if one.name is unaccounted.name)
    assert (found.state, found.note) == (State.UNMEASURED, why)
    flaws = damaged("b.jtl")
    found = next(one for one in held(with_load, unaccounted, **given, flaws=flaws) if one.name is unaccounted.name)
    assert found.note == flaws[0].reason.text, "the damage is known, and comes first"
    found = next(one for one in held(with_load, unaccounted, **given, missing=("c",)) if one.name is unaccounted.name)
    assert found.note == make_reason("part_missing", name="c").text


def test_rows_that_could_not_be_read_are_those_of_the_log_that_the_limit_counts(
    with_load: tuple[RunData, Verdict], with_probes: tuple[RunData, Verdict]
) -> None:
    for found, more in ((with_load, "7"), (with_probes, "9")):
        limit = parse_limit("failed-total=0")
        result = held(found, limit, lost_rows={"samples": 7, "probes": 9})[0]
        assert result.note.endswith(f"; {more} more could not be read")
        assert "could not be read" not in held(found, limit, lost_rows={})[0].note


def defaults(found: tuple[RunData, Verdict], **facts: Any) -> set[LimitName]:
    return {one.name for one in held(found, **facts) if one.default}


def test_a_split_brain_is_always_looked_for_where_it_was_or_was_to_be_observed(
    with_probes: tuple[RunData, Verdict],
) -> None:
    run = with_probes[0].run
    assert LimitName.SPLIT_BRAIN in defaults(with_probes)
    assert LimitName.SPLIT_BRAIN not in defaults(with_probes, split_brain=None)
    run.target = telling(run.target, "lb1", vip_owner=True)
    assert LimitName.SPLIT_BRAIN not in defaults(with_probes, split_brain=None)
    assert LimitName.SPLIT_BRAIN not in defaults(with_probes, split_brain=None, balancers=("lb1",))
    run.target = telling(run.target, "lb1", "lb2", vip_owner=True)
    assert LimitName.SPLIT_BRAIN in defaults(with_probes, split_brain=None)
    assert run.fault is not None
    for fault, is_held in (("node-down", False), (run.fault.name, True)):
        run.fault = replace(run.fault, name=fault)
        assert (LimitName.SPLIT_BRAIN in defaults(with_probes, split_brain=None)) is is_held
        assert LimitName.SPLIT_BRAIN in defaults(with_probes), "it was observed all the same"
    run.target = telling(run.target, "web1", vip_owner=True)
    assert LimitName.SPLIT_BRAIN in defaults(with_probes, split_brain=None)
    assert LimitName.SPLIT_BRAIN not in defaults(with_probes, split_brain=None, balancers=())


def test_nothing_may_be_unaccounted_where_others_counted_or_were_to_count(
    with_probes: tuple[RunData, Verdict],
) -> None:
    run = with_probes[0].run
    unknown, shared = add_up(True), add_up(False)
    equal = (line("requests", 1, 1, "HAProxy's counters", "lb1"),)
    assert LimitName.UNACCOUNTED in defaults(with_probes, accounting=add_up(True, equal))
    assert LimitName.UNACCOUNTED not in defaults(with_probes, accounting=unknown)
    run.target = telling(run.target, "lb1", haproxy=True)
    assert LimitName.UNACCOUNTED in defaults(with_probes, accounting=unknown)
    assert LimitName.UNACCOUNTED not in defaults(with_probes, accounting=shared)
    run.plan.changes = [{}]
    assert LimitName.UNACCOUNTED not in defaults(with_probes, accounting=unknown), "only access logs count"
    run.plan.changes = []
