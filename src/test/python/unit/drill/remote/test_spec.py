"""What a conductor is to run, on its way to the process, and what is refused before there is one."""

import json
from pathlib import Path
from typing import Any

import pytest

from switchover.drill.remote import ConductorState, ConductSpec
from switchover.model.errors import UsageError

FULL = ConductSpec(
    directory=Path("/runs/r"),
    run="r",
    name="failover",
    target_file=Path("site.toml"),
    url="http://a/",
    fault="lb-kill",
    arm=True,
    fault_at_s=30.0,
    heal_at_s=60.0,
    budgets=("outage=5s", "late=0"),
    probe_rate=100.0,
    kept_rate=5.0,
    timeouts=(0.25, 1.0),
    late_s=0.5,
    scrape_s=2.0,
    seed=7,
    command=("locust", "-f", "my.py"),
)


@pytest.mark.parametrize("spec", [FULL, ConductSpec(directory=Path("/r"), run="r", name="n", url="http://a/")])
def test_a_spec_arrives_as_it_was_sent(spec: ConductSpec) -> None:
    assert "\n" not in spec.to_json()
    assert ConductSpec.from_json(spec.to_json()) == spec


@pytest.mark.parametrize("line", ["", "null", "[]", "{}", "{" * 9000, '{"directory": 3}'])
def test_anything_else_is_one_line(line: str) -> None:
    with pytest.raises(UsageError, match="it reads one line of JSON"):
        ConductSpec.from_json(line)


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(UsageError, match="speed"):
        ConductSpec.from_json(json.dumps(json.loads(FULL.to_json()) | {"speed": 9}))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "nothing to probe"),
        ({"url": "http://a/", "fault": "lb-kill"}, "without a target file"),
        ({"url": "http://a/", "fault_at_s": 3.0}, "but no fault"),
        ({"target_file": Path("t"), "fault": "x", "fault_at_s": 9.0, "heal_at_s": 9.0}, "must come after the fault"),
        ({"target_file": Path("t"), "fault": "x", "fault_at_s": -1.0}, "between 0 s and a day"),
        ({"target_file": Path("t"), "fault": "x", "heal_at_s": float("nan")}, "between 0 s and a day"),
        ({"url": "http://a/", "probe_rate": 0.0, "kept_rate": 5.0}, "must not be 0"),
    ],
)
def test_what_does_not_fit_together_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        ConductSpec(directory=Path("/r"), run="r", name="n", **changes)


def test_a_state_that_says_more_than_is_known_is_still_one() -> None:
    assert ConductorState.from_message({"phase": "baseline", "mood": "good"}) == ConductorState(phase="baseline")
