"""The composite action: its steps' scripts, run as a runner would, without GitHub."""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from support.checkout import CHECKOUT

ACTION: Mapping[str, Any] = yaml.safe_load((CHECKOUT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}


@dataclass
class Runner:
    """A job's folder, with what a runner gives to the steps of an action."""

    folder: Path
    options: str = ""
    command: str = ""
    report: str = ""
    runs: str = "runs"
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        place = self.folder / "switchover" / "bin"
        place.mkdir(parents=True)
        for name, command in {"switchover": f"{sys.executable} -m switchover", "python": sys.executable}.items():
            (place / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
            (place / name).chmod(0o755)

    @property
    def outputs(self) -> dict[str, str]:
        lines = (self.folder / "output").read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)

    @property
    def summary(self) -> str:
        return (self.folder / "summary").read_text(encoding="utf-8")

    def step(self, name: str) -> subprocess.CompletedProcess[str]:
        """As `shell: bash` of an action runs it."""
        script = self.folder / "step.sh"
        script.write_text(STEPS[name]["run"], encoding="utf-8")
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": str(self.folder),
            "RUNNER_TEMP": str(self.folder),
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(CHECKOUT),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "OPTIONS": self.options,
            "COMMAND": self.command,
            "REPORT": self.report,
            "RUNS": self.runs,
            **self.environment,
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=240
        )
