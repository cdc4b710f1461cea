"""The steps of the composite action, one after the other as a runner runs them, with real drills in the lab."""

import os
from pathlib import Path

from support.action import Runner
from support.kept_runs import kept_run
from switchover.cli.main import main


def begin(folder: Path) -> None:
    """As the step Drill does, some time ago."""
    began = folder / "switchover-began"
    began.touch()
    os.utime(began, (9, 9))


def test_a_drill_is_made_and_what_came_of_it_told(tmp_path: Path) -> None:
    runner = Runner(tmp_path, options="--fault haproxy-kill --generator none --limit outage=1min")
    drill = runner.step("Drill")
    assert drill.returncode == 0, drill.stderr
    assert runner.step("Say what came of it").returncode == 0
    assert runner.outputs["verdict"] == "PASSED"
    assert (tmp_path / runner.outputs["junit"]).is_file()
    assert (tmp_path / runner.outputs["run"] / "report.html").is_file()
    assert "haproxy-kill" in runner.summary and "### The latest drills\n\n    " in runner.summary


def test_a_drill_that_cannot_be_made_fails_its_step_and_is_told(tmp_path: Path) -> None:
    runner = Runner(tmp_path, options="--target missing.toml --fault lb-kill --arm")
    drill = runner.step("Drill")
    assert (drill.returncode, drill.stderr.count("\n")) == (2, 1)
    assert runner.step("Say what came of it").returncode == 0
    assert runner.outputs == {"run": "", "verdict": "", "junit": ""}


def test_what_came_of_it_is_an_output_and_a_summary(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    begin(tmp_path)
    run = kept_run("node-down", tmp_path / "runs")
    main(["report", str(run)])
    run.touch()
    assert runner.step("Say what came of it").returncode == 0
    junit = f"runs/{run.name}/junit.xml" if (run / "junit.xml").exists() else ""
    assert runner.outputs == {"run": f"runs/{run.name}", "verdict": "MEASURED", "junit": junit}
    verdict, history = runner.summary.split("### The latest drills\n\n    ")
    assert "MEASURED" in verdict and "node-down" in verdict and "    1 run\n" in history


def test_a_command_of_the_users_own_is_run_and_its_run_found(tmp_path: Path) -> None:
    run = kept_run("node-down", tmp_path / "made")
    runner = Runner(tmp_path, command=f"sh -c 'mkdir runs && cp -r {run} runs/ && exit 3'")
    assert runner.step("Drill").returncode == 3
    assert runner.step("Say what came of it").returncode == 0
    assert (runner.outputs["run"], runner.outputs["verdict"]) == ("runs/node-down", "MEASURED")


def test_a_run_that_exists_is_judged_by_quoted_options(tmp_path: Path) -> None:
    kept_run("node-down", tmp_path / "a folder")
    runner = Runner(tmp_path, report="a folder/node-down", options="--limit 'outage=1 ms'")
    judged = runner.step("Drill")
    assert judged.returncode == 1, judged.stderr
    assert runner.step("Say what came of it").returncode == 0
    assert runner.outputs["verdict"] == "FAILED"
