"""The published JSON Schema of verdict.json: everything that is written is in it, and nothing else."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from support.changes import EVERY_US, START_US, Rows, change, end_us, no_samples
from support.contract import named
from support.kept_runs import KEPT, NAMES
from support.report_runs import RUNS
from support.verdict_vectors import FILE
from switchover.analysis.anatomy import Step
from switchover.analysis.artefacts import Artefact, ArtefactName
from switchover.analysis.budget import BudgetName, Unit, parse_budget
from switchover.analysis.budget_result import State
from switchover.analysis.change_figures import measure_changes
from switchover.analysis.dead_connections import measure_dead
from switchover.analysis.effect import Check
from switchover.analysis.ledger import Line, Reconciliation
from switchover.analysis.outage import OutageKind
from switchover.analysis.phases import PhaseName
from switchover.analysis.reason import Reason, ReasonCode
from switchover.analysis.round_robin import Turns
from switchover.analysis.split_brain import SplitBrain
from switchover.analysis.statistics import ChiSquare
from switchover.analysis.verdict import Verdict, judge
from switchover.analysis.verdict_json import GAPS_LIMIT, SCHEMA, to_json
from switchover.analysis.wholeness import Wholeness
from switchover.analysis.word import Word
from switchover.cli.main import main
from switchover.cli.schema import VERDICT_SCHEMA
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy
from switchover.model.interval import Span
from switchover.rundir.patient_log import EndedBy
from synthetic import simulate

Node = dict[str, Any]


@pytest.fixture(scope="module")
def schema() -> Node:
    found: Node = json.loads(VERDICT_SCHEMA.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def validator(schema: Node) -> Draft202012Validator:
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def full() -> Node:
    """A verdict in which nothing is unknown, and no list is empty."""
    asked = ("outage=0s", "failback=0s", "split-brain=0s", "unexplained=0", "lossy=1%@95")
    verdict = judge(simulate(1), list(map(parse_budget, asked)))
    assert verdict.events.outage is not None
    return to_json(
        replace(
            verdict,
            wholeness=Wholeness(others=(Check("answers", True, "lb1 answers scrapes"),)),
            events=replace(verdict.events, outage=replace(verdict.events.outage, strays=verdict.events.outage.gaps)),
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
                reconciliation=Reconciliation(True, (Line("a", 3, 1, "b", "lb1", "1", {"retries": 2}),), ("lb2",)),
                longest_gap=Span(1, 2),
                artefacts=tuple(Artefact(name, PhaseName.SWITCHOVER, "text", {"sent": 1}) for name in ArtefactName),
            ),
            reasons=(Reason(ReasonCode.STOPPED, {"why": "one"}),),
            warnings=("two",),
        )
    )


def with_changes() -> Verdict:
    """Of a run of two changes, the first of which cost something; and, as of a fault, what it killed."""
    made = [change(1), change(2, staying=True)]
    with tempfile.TemporaryDirectory() as folder:
        rows = Rows(Path(folder) / "patient.jtl")
        rows.add(0)
        rows.add(EVERY_US, error=FailureKind.RESET, ended_by=EndedBy.RST, number=1)
        rows.add(EVERY_US + 1000, number=1, place="2.1")
        rows.add(EVERY_US + 1000, number=1, thread="go 1")
        felt = rows.read()
        figures = measure_changes(made, felt, end_us(made), samples=no_samples(), twins=felt)
        dead = measure_dead(felt, START_US + EVERY_US, end_us(made))
    verdict = judge(simulate(1), [])
    return replace(verdict, figures=replace(verdict.figures, changes=figures, dead=dead))


@pytest.mark.parametrize("case", named(FILE, "cases"))
def test_what_java_writes_is_in_the_schema(case: Node, validator: Draft202012Validator) -> None:
    assert list(validator.iter_errors(case["expect"])) == []


@pytest.mark.parametrize("name", RUNS)
def test_whatever_a_run_lacks_its_verdict_is_in_the_schema(name: str, validator: Draft202012Validator) -> None:
    assert list(validator.iter_errors(to_json(judge(RUNS[name]())))) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_verdicts_of_real_drills_are_in_the_schema(name: str, validator: Draft202012Validator) -> None:
    kept = json.loads((KEPT / name / "verdict.json").read_text(encoding="utf-8"))
    assert list(validator.iter_errors(kept)) == []


OF_CHANGES = {"changes", "dead_connections"}
OPTIONAL = {"silences"} | OF_CHANGES
LEFT_OUT = {
    ("/$defs/budget", "confidence"),
    ("/properties/load", "labels"),
    ("/properties/load", "more_labels"),
}
"""Optional fields: only an estimated share has a confidence, and the verdict of the jar has no labels."""
OF_A_LOG = OPTIONAL | {"file", "longest", "more", "in_progress"}
"""Fields that only the verdict on a log of any tool has: the optional ones, and what is in them."""


def test_every_field_of_the_schema_is_written_and_every_written_field_is_in_the_schema(
    schema: Node, validator: Draft202012Validator
) -> None:
    verdict = full()
    validator.validate(verdict)
    described = {name for _, node in nodes(schema) for name in node.get("properties", {})}
    changes = to_json(with_changes())
    validator.validate(changes)
    assert described - keys(verdict) - keys(changes) == OF_A_LOG - OF_CHANGES
    assert list(schema["properties"]) == list(changes)
    assert list(verdict) == [name for name in changes if name not in OF_CHANGES]


def test_no_field_may_be_left_out_or_added(schema: Node, validator: Draft202012Validator) -> None:
    for place, node in nodes(schema):
        if "properties" in node:
            assert node["additionalProperties"] is False, place
            left_out = OPTIONAL | {name for where, name in LEFT_OUT if where == place}
            required = [name for name in node["properties"] if name not in left_out]
            assert node["required"] == required, place
    verdict = full()
    for name in verdict:
        assert not validator.is_valid({key: value for key, value in verdict.items() if key != name})
    assert not validator.is_valid(verdict | {"more": 1})


def test_every_field_is_described_and_each_number_has_its_unit(schema: Node) -> None:
    units = {"_ms": "millisecond", "_us": "microseconds since the epoch", "_percent": "Percent"}
    for place, node in nodes(schema):
        for name, field in node.get("properties", {}).items():
            assert "$ref" in field or field.get("description", "").endswith("."), f"{place}/{name}"
            for suffix, unit in units.items():
                if name.endswith(suffix) and {"number", "integer"} & set(types(field)):
                    assert unit in field["description"], f"{place}/{name}"


def test_words_are_those_of_the_code(schema: Node) -> None:
    definitions = schema["$defs"]
    kinds = [kind.value for kind in FailureKind if kind is not FailureKind.GENERATOR]
    counts = definitions["counts"]["properties"]
    for found, words in (
        (definitions["budget"]["properties"]["name"]["enum"], list(BudgetName)),
        (definitions["budget"]["properties"]["unit"]["enum"], list(Unit)),
        (definitions["budget"]["properties"]["state"]["enum"], list(State)),
        (schema["properties"]["word"]["enum"], list(Word)),
        (schema["properties"]["reasons"]["items"]["properties"]["code"]["enum"], list(ReasonCode)),
        (definitions["outage"]["properties"]["kind"]["enum"], list(OutageKind)),
        (definitions["phase"]["enum"], list(PhaseName)),
        (definitions["step"]["properties"]["step"]["enum"], list(Step)),
        (definitions["artefact"]["properties"]["name"]["enum"], list(ArtefactName)),
        (counts["by_kind"]["propertyNames"]["enum"], [*kinds, "unknown"]),
        (counts["by_answered_by"]["propertyNames"]["enum"], list(AnsweredBy)),
    ):
        assert found == words
    assert schema["properties"]["schema"]["const"] == SCHEMA
    assert schema["$id"] == f"urn:switchover:verdict:{SCHEMA}"
    assert definitions["outage"]["properties"]["gaps"]["maxItems"] == GAPS_LIMIT


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
    found = field.get("type", [])
    return [found] if isinstance(found, str) else found


def keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*(keys(inner) for inner in value.values()))
    return set().union(*(keys(inner) for inner in value)) if isinstance(value, list) else set()
