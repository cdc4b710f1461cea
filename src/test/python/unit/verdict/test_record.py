"""The record of a verdict: it reads and writes every verdict.json, and its schema describes every field."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from support.changes import EVERY_US, START_US, Rows, change, end_us, no_samples
from support.contract import named
from support.kept_runs import KEPT, NAMES
from support.report_runs import RUNS
from support.verdict_vectors import FILE
from switchover.analysis.artefacts import Artefact, ArtefactName
from switchover.analysis.change_figures import measure_changes
from switchover.analysis.confirmation import Check
from switchover.analysis.dead_connections import measure_dead
from switchover.analysis.ledger import Accounting, Line
from switchover.analysis.limit import parse_limit
from switchover.analysis.phases import PhaseName
from switchover.analysis.restoration import Restoration
from switchover.analysis.round_robin import Turns
from switchover.analysis.split_brain import SplitBrain
from switchover.analysis.statistics import ChiSquare
from switchover.analysis.verdict import Verdict, judge
from switchover.analysis.verdict_json import to_json
from switchover.cli.main import main
from switchover.model.failure_kind import FailureKind
from switchover.model.interval import Span
from switchover.rundir.held_log import EndedBy
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Verdict as Record
from switchover.verdict.schema import verdict_schema
from synthetic import simulate

Node = dict[str, Any]


@pytest.fixture(scope="module")
def schema() -> Node:
    return verdict_schema()


@pytest.fixture(scope="module")
def validator(schema: Node) -> Draft202012Validator:
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def reread(values: Node) -> Node:
    """The values of a verdict.json, decoded into the record and encoded again."""
    found: Node = json.loads(msgspec.json.encode(msgspec.json.decode(json.dumps(values), type=Record)))
    return found


def full() -> Node:
    """A verdict in which nothing is unknown, and no list is empty."""
    asked = ("outage=0s", "failback=0s", "split-brain=0s", "unaccounted=0", "lossy=1%@95")
    verdict = judge(simulate(1), list(map(parse_limit, asked)))
    assert verdict.events.outage is not None
    return to_json(
        replace(
            verdict,
            restoration=Restoration(others=(Check("answers", True, "lb1 answers scrapes"),)),
            events=replace(
                verdict.events, outage=replace(verdict.events.outage, later_gaps=verdict.events.outage.gaps)
            ),
            figures=replace(
                verdict.figures,
                split_brain=SplitBrain((Span(1, 2),), (Span(3, 4),), 5),
                distribution=replace(
                    verdict.figures.distribution,
                    algorithm="random",
                    turns=(Turns(PhaseName.BASELINE, "lb1", {"web1": 3}, 0.5, 1.0),),
                    chi_square=ChiSquare(1.5, 2, 0.47),
                    sessions=3,
                    sessions_moved=1,
                ),
                accounting=Accounting(
                    True,
                    (Line("a", 3, 1, "b", "lb1", "1", {"retries": 2}), Line("read under load", 0, -1, "b")),
                    ("lb2",),
                ),
                longest_gap=Span(1, 2),
                artefacts=tuple(Artefact(name, PhaseName.SWITCHOVER, "text", {"sent": 1}) for name in ArtefactName),
            ),
            reasons=(make_reason("stopped", why="one"),),
            warnings=("two",),
        )
    )


def with_changes() -> Verdict:
    """Of a run of two changes, the first of which cost something; and, as of a fault, what it killed."""
    made = [change(1), change(2, lingering=True)]
    with tempfile.TemporaryDirectory() as folder:
        rows = Rows(Path(folder) / "connections.jtl")
        rows.add(0)
        rows.add(EVERY_US, error=FailureKind.RESET, ended_by=EndedBy.RST, number=1)
        rows.add(EVERY_US + 1000, number=1, place="2.1")
        rows.add(EVERY_US + 1000, number=1, thread="go 1")
        felt = rows.read()
        figures = measure_changes(made, felt, end_us(made), samples=no_samples(), retrying_clients=felt)
        dead = measure_dead(felt, START_US + EVERY_US, end_us(made))
    verdict = judge(simulate(1), [])
    return replace(verdict, figures=replace(verdict.figures, changes=figures, dead=dead))


@pytest.mark.parametrize("case", named(FILE, "cases"))
def test_the_record_holds_what_java_writes(case: Node, validator: Draft202012Validator) -> None:
    assert reread(case["expect"]) == case["expect"]
    validator.validate(case["expect"])


@pytest.mark.parametrize("name", RUNS)
def test_the_record_holds_the_verdict_of_a_run_whatever_it_lacks(name: str, validator: Draft202012Validator) -> None:
    values = to_json(judge(RUNS[name]()))
    assert reread(values) == values
    validator.validate(values)


@pytest.mark.parametrize("name", NAMES)
def test_the_record_holds_the_verdicts_of_real_drills(name: str, validator: Draft202012Validator) -> None:
    kept = json.loads((KEPT / name / "verdict.json").read_text(encoding="utf-8"))
    assert reread(kept) == kept
    validator.validate(kept)


OF_A_LOG = {"silences", "file", "longest", "more", "in_progress"}
"""Fields that only the verdict on a log has."""


def test_every_field_of_the_schema_is_written(schema: Node, validator: Draft202012Validator) -> None:
    verdict, changes = full(), to_json(with_changes())
    validator.validate(verdict)
    validator.validate(changes)
    assert reread(verdict) == verdict and reread(changes) == changes
    described = {name for _, node in nodes(schema) for name in node.get("properties", {})}
    assert described - keys(verdict) - keys(changes) == OF_A_LOG


def test_no_field_may_be_left_out_or_added(validator: Draft202012Validator) -> None:
    verdict = full()
    for name in verdict:
        assert not validator.is_valid({key: value for key, value in verdict.items() if key != name})
    assert not validator.is_valid(verdict | {"more": 1})


def test_every_field_is_described_and_each_number_has_its_unit(schema: Node) -> None:
    units = {"_ms": "millisecond", "_us": "microseconds since the epoch", "_percent": "Percent"}
    for place, node in nodes(schema):
        for name, field in node.get("properties", {}).items():
            assert field["description"].endswith("."), f"{place}/{name}"
            for suffix, unit in units.items():
                if name.endswith(suffix) and {"number", "integer"} & set(types(field)):
                    assert unit in field["description"], f"{place}/{name}"


def test_the_command_prints_it(schema: Node, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == schema


def nodes(value: Any, place: str = "") -> Iterator[tuple[str, Node]]:
    """All objects of the schema."""
    if isinstance(value, dict):
        yield place, value
        for name, inner in value.items():
            yield from nodes(inner, f"{place}/{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from nodes(inner, f"{place}/{number}")


def types(field: Node) -> list[str]:
    return [one.get("type", "") for one in field.get("anyOf", [field])]


def keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*(keys(inner) for inner in value.values()))
    return set().union(*(keys(inner) for inner in value)) if isinstance(value, list) else set()
