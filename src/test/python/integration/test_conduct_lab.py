"""A conducted run against the real pair: fired and healed by command, by the clock, and by the controller alone."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.drilling import assert_word
from support.waiting import wait_for
from switchover.lab.lab import Lab

pytestmark = pytest.mark.integration

TESTS = Path(__file__).parents[1]
PACKAGE = Path(__file__).parents[4] / "locust-plugins"
CONDUCTED_S = 180.0


def conducted(lab: Lab, directory: Path, scenario: str) -> dict[str, Any]:
    directory.mkdir()
    command = [sys.executable, "-m", "support.conducted", str(directory), str(lab.target_file), scenario]
    environment = {**os.environ, "PYTHONPATH": f"{PACKAGE}:{TESTS}"}
    done = subprocess.run(
        lab.exec_argv("client", command),
        capture_output=True,
        text=True,
        timeout=CONDUCTED_S,
        check=False,
        env=environment,
    )
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.long
@pytest.mark.parametrize("scenario", ["told", "timed"])
def test_a_fault_is_fired_and_healed_as_told_and_everybody_counts_the_same(
    lab: Lab, tmp_path: Path, scenario: str
) -> None:
    found = conducted(lab, tmp_path / "run", scenario)
    verdict = found["verdict"]
    run = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    plan = run["plan"]
    assert plan["fired_from_us"] <= plan["confirmed_us"] < plan["heal_from_us"] <= plan["healed_us"] < plan["end_us"]
    if scenario == "timed":
        assert plan["heal_from_us"] - plan["fired_from_us"] == pytest.approx(13_000_000, abs=2_000_000)
    assert verdict["accounting"]["unaccounted"] == 0, verdict["accounting"]
    assert verdict["samples"]["total"] == run["workers"][0]["samples"] > 100
    assert verdict["outage"]["high_ms"] > 1000 and verdict["failback"] is not None
    assert verdict["load"]["longest_gap"]["duration_ms"] > 1000
    assert_word(verdict, "PASSED", "MEASURED")
    assert found["exit_code"] == verdict["exit_code"]


def test_a_load_that_vanishes_in_mid_fault_leaves_a_healed_pair_and_a_verdict(lab: Lab, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    assert conducted(lab, directory, "vanish") == {"fired": True}
    wait_for((directory / "report.html").exists, "the verdict")
    run = json.loads((directory / "run.json").read_text(encoding="utf-8"))
    assert run["plan"]["healed_us"] is not None
    verdict = json.loads((directory / "verdict.json").read_text(encoding="utf-8"))
    assert verdict["valid"] is False and verdict["failback"] is None
    assert any("went away before" in text for text in verdict["warnings"])


@pytest.mark.long
def test_without_a_prober_the_pair_still_accounts_and_no_outage_is_claimed(lab: Lab, tmp_path: Path) -> None:
    found = conducted(lab, tmp_path / "run", "unprobed")
    verdict = found["verdict"]
    assert verdict["outage"] is None and verdict["probes"] is None
    assert verdict["accounting"]["unaccounted"] == 0
    steps = {row["step"]: row["at_us"] for row in verdict["timeline"]}
    assert steps["new master elected"] is not None and steps["clean"] is None
    assert_word(verdict, "PASSED", "MEASURED")
    assert found["exit_code"] == verdict["exit_code"]
