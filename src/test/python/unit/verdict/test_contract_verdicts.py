"""The verdicts that Java makes of runs are Python's: the same inputs, the same figures to the last digit."""

import json
from typing import Any

import pytest

from support.contract import named
from support.verdict_vectors import FILE, decode, encode, expected, told_by_java
from switchover.verdict.record import Status
from synthetic import drill, simulate


@pytest.mark.parametrize("case", named(FILE, "cases"))
def test_verdict_is_as_agreed(case: dict[str, Any]) -> None:
    told = told_by_java(decode(case))
    # As text, which also compares how numbers are written.
    assert json.dumps(expected(told), indent=1) == json.dumps(case["expect"], indent=1)


def test_what_is_kept_of_a_run_is_all_that_the_figures_need() -> None:
    for data in (drill(), simulate(3)):
        kept = decode(json.loads(json.dumps(encode(data))))
        assert expected(told_by_java(kept)) == expected(told_by_java(data))


def test_the_vectors_see_every_kind_of_run() -> None:
    cases = [case.values[0]["expect"] for case in named(FILE, "cases")]
    outages = [case["outage"] for case in cases if case["outage"]]
    assert {outage["kind"] for outage in outages} == {"none", "outage", "partial"}
    assert {outage["censored"] for outage in outages} == {True, False}
    assert any(outage["later_gaps"] for outage in outages)
    assert any(case["outage"] is None for case in cases) and any(case["failback"] is None for case in cases)
    assert {case["valid"] for case in cases} == {True, False}
    assert {case["verdict"] for case in cases} == set(Status) - {Status.REFUTED}
    assert any(case["split_brain_ms"] for case in cases) and any(case["split_brain_ms"] is None for case in cases)
    assert any(case["samples"] is None for case in cases)
    assert any(limit["state"] == "unmeasured" for case in cases for limit in case["limits"])
