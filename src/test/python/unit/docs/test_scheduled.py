"""Drills that a timer starts: the files that the documentation offers, and the scripts of the action."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from support.action import ACTION, STEPS, Runner
from support.checkout import CHECKOUT
from switchover.cli.main import build_parser

FOLDER = CHECKOUT / "docs" / "scheduled"
GIVEN = {"GITHUB_ACTION_PATH", "RUNNER_TEMP", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ACTIONS"}
"""What each step of an action has without asking."""
SCRIPTS = {name: step for name, step in STEPS.items() if "run" in step}


def read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def documented(name: str) -> Any:
    return yaml.safe_load(read(name))


def drills() -> dict[str, str]:
    """The options of each drill that the files start."""
    found = {}
    for service in FOLDER.glob("*.service"):
        text = service.read_text(encoding="utf-8")
        words = dict(re.findall(r'^Environment="(DRILL)=(.*)"$', text, re.M))
        (started,) = re.findall(r"^ExecStart=\S+/switchover drill (.*)$", text, re.M)
        found[service.name] = started.replace("$DRILL", words["DRILL"])
    for name in ("crontab", "gitlab-ci.yml"):
        (found[name],) = re.findall(r"switchover drill (.*)$", read(name), re.M)
    job = documented("github-actions.yml")["jobs"]["drill"]
    found["github-actions.yml"] = job["steps"][-1]["with"]["options"] + " --scheduled"
    return found


@pytest.mark.parametrize(("file", "options"), drills().items())
def test_what_they_start_is_a_scheduled_drill(file: str, options: str) -> None:
    asked = build_parser("drill").parse_args(["drill", *shlex.split(options)])
    assert asked.scheduled
    assert asked.arm == (asked.target is not None)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_has_nothing_to_say_against_the_units(tmp_path: Path) -> None:
    for unit in (*FOLDER.glob("*.service"), *FOLDER.glob("*.timer")):
        text = unit.read_text(encoding="utf-8").replace("/opt/switchover/bin/switchover", "/bin/true")
        (tmp_path / unit.name.replace("@", "@shop")).write_text(text, encoding="utf-8")
    units = [str(path) for path in tmp_path.iterdir()]
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True)
    assert (len(units), done.returncode, done.stderr) == (4, 0, "")


def test_the_page_names_each_file() -> None:
    page = (CHECKOUT / "docs" / "scheduled.md").read_text(encoding="utf-8")
    assert [path.name for path in FOLDER.iterdir() if f"(scheduled/{path.name})" not in page] == []


def test_gitlab_keeps_what_this_drill_left_and_nothing_of_before(tmp_path: Path) -> None:
    job = documented("gitlab-ci.yml")["nightly drill"]
    runs = tmp_path / "runs"
    (runs / "before").mkdir(parents=True)
    os.utime(runs / "before", (1, 1))
    after = [line for line in job["after_script"] if "history" not in line]
    begins = f"{job['script'][0]}; touch -d @9 began"  # clocks of files have steps of milliseconds
    script = "\n".join([begins, 'mkdir "$RUNS/now"; touch "$RUNS/now/junit.xml"', *after])
    environment = {"PATH": "/usr/bin:/bin", "RUNS": str(runs)}
    done = subprocess.run(["sh", "-ec", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in (tmp_path / "drill").iterdir()] == ["now"]
    assert (tmp_path / "drill" / "now" / "junit.xml").is_file()


def test_the_workflow_gives_the_action_inputs_that_it_has() -> None:
    for step in documented("github-actions.yml")["jobs"]["drill"]["steps"]:
        assert set(step.get("with", {})) <= set(ACTION["inputs"])


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
    runner = Runner(tmp_path, options="--target site.toml --fault * --budget outage=usual")
    command = tmp_path / "switchover" / "bin" / "switchover"
    command.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nexit 1\n', encoding="utf-8")
    done = runner.step("Drill")
    words = "drill --scheduled --out runs --target site.toml --fault * --budget outage=usual"
    assert (done.returncode, done.stdout.split()) == (1, words.split())


def test_a_drill_that_left_nothing_has_no_output(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    (tmp_path / "switchover-began").touch()
    assert runner.step("Say what came of it").returncode == 0
    assert runner.outputs == {"run": "", "word": "", "junit": ""}
