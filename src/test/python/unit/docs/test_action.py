"""The scripts of the action."""

import re
import subprocess
from pathlib import Path

import pytest

from support.action import ACTION, STEPS, Runner

GIVEN = {"GITHUB_ACTION_PATH", "PATH", "RUNNER_TEMP", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ACTIONS"}
"""What each step of an action has without asking."""
SCRIPTS = {name: step for name, step in STEPS.items() if "run" in step}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_takes_what_a_user_wrote_from_its_environment_only(name: str) -> None:
    step = SCRIPTS[name]
    assert step["shell"] == "bash" and "${{" not in step["run"]
    used = set(re.findall(r"\$\{?([A-Z_]{2,})\b", step["run"]))
    assert used <= GIVEN | set(step.get("env", {}))
    asked = re.findall(r"inputs\.(\w+)", str(ACTION["runs"]))
    assert set(asked) == set(ACTION["inputs"])


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_bash(name: str) -> None:
    done = subprocess.run(["bash", "-n"], input=SCRIPTS[name]["run"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_drill_takes_the_words_of_the_options_and_no_file_names(tmp_path: Path) -> None:
    runner = Runner(tmp_path, options="--target site.toml --fault * --limit outage=usual")
    command = tmp_path / "switchover" / "bin" / "switchover"
    command.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nexit 1\n', encoding="utf-8")
    done = runner.step("Drill")
    words = "drill --out runs --target site.toml --fault * --limit outage=usual"
    assert (done.returncode, done.stdout.split()) == (1, words.split())


def test_a_drill_that_left_nothing_has_no_output(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    (tmp_path / "switchover-began").touch()
    assert runner.step("Say what came of it").returncode == 0
    assert runner.outputs == {"run": "", "verdict": "", "junit": ""}
