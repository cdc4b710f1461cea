"""The record of a verdict: it reads and writes every verdict.json, and its schema describes every field."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from support.contract import named
from support.kept_runs import KEPT, NAMES
from support.report_runs import RUNS
from support.verdict_vectors import FILE
from switchover.cli.main import main
from switchover.verdict.judge import judge
from switchover.verdict.record import Verdict as Record
from switchover.verdict.schema import verdict_schema

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


@pytest.mark.parametrize("case", named(FILE, "cases"))
def test_the_record_holds_what_java_writes(case: Node, validator: Draft202012Validator) -> None:
    verdict = case["expect"] | {"reasons": [reason | {"text": "why"} for reason in case["expect"]["reasons"]]}
    assert reread(verdict) == verdict
    validator.validate(verdict)


@pytest.mark.parametrize("name", RUNS)
def test_the_record_holds_the_verdict_of_a_run_whatever_it_lacks(name: str, validator: Draft202012Validator) -> None:
    values = msgspec.to_builtins(judge(RUNS[name]()).record)
    assert reread(values) == values
    validator.validate(values)


@pytest.mark.parametrize("name", NAMES)
def test_the_record_holds_the_verdicts_of_real_drills(name: str, validator: Draft202012Validator) -> None:
    kept = json.loads((KEPT / name / "verdict.json").read_text(encoding="utf-8"))
    assert reread(kept) == kept
    validator.validate(kept)


def test_no_field_may_be_left_out_or_added(validator: Draft202012Validator) -> None:
    verdict = json.loads((KEPT / "node-down" / "verdict.json").read_text(encoding="utf-8"))
    for name in verdict:
        assert not validator.is_valid({key: value for key, value in verdict.items() if key != name})
    assert not validator.is_valid(verdict | {"more": 1})


def test_every_field_is_described_and_each_number_has_its_unit(schema: Node) -> None:
    units = {"_ms": "millisecond", "_us": "microseconds since the epoch", "_percent": "percent"}
    for place, node in nodes(schema):
        for name, field in node.get("properties", {}).items():
            assert field["description"].endswith("."), f"{place}/{name}"
            for suffix, unit in units.items():
                if name.endswith(suffix) and {"number", "integer"} & set(types(field)):
                    assert unit in field["description"].lower(), f"{place}/{name}"


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
