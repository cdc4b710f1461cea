"""Running the real command in a lab's client, as a user would."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.capture import Capture, Handover, handover
from switchover.lab import addresses
from switchover.lab.lab import Lab
from switchover.verdict.reasons import REASONS

DRILL_TIMEOUT_S = 180.0
OF_A_BUSY_MACHINE = frozenset(
    {
        "failed_before",
        "late_before",
        "load_failed_before",
        "unseen",
        "wide_bound",
        "limit_inconclusive",
        "not_recovered",
    }
)
"""Reasons that a drill on a busy machine may have beside exit code 2, and that say nothing about what was tested."""


@dataclass(frozen=True, slots=True)
class Drilled:
    """What a drill left and said."""

    code: int
    verdict: dict[str, Any]
    run: dict[str, Any]
    directory: Path
    said: str

    def assert_word(self, *statuses: str) -> None:
        """See below; and the command's exit code is the word's."""
        assert_word(self.verdict, *statuses)
        assert self.code == self.verdict["exit_code"]

    @property
    def longest_gap_ms(self) -> float:
        """The longest time in which nobody answered: what a capture, which sees only answers, can confirm."""
        return max((float(gap["duration_ms"]) for gap in self.verdict["outage"]["gaps"]), default=0.0)

    def limit(self, name: str) -> dict[str, Any]:
        (found,) = (limit for limit in self.verdict["limits"] if limit["name"] == name)
        return dict(found)


def drill(lab: Lab, out: Path, *options: str, target: Path | None = None) -> Drilled:
    """`switchover drill` with these options, once, inside the client; the verdict it printed."""
    command = [sys.executable, "-m", "switchover", "drill", "--target", str(target or lab.target_file)]
    command += ["--out", str(out), "--json", "--baseline", "2s", "--generator", "none", *options]
    done = subprocess.run(
        lab.exec_argv("client", command), capture_output=True, text=True, timeout=DRILL_TIMEOUT_S, check=False
    )
    directory = newest_run(out)
    assert done.stdout, done.stderr
    return Drilled(
        code=done.returncode,
        verdict=json.loads(done.stdout),
        run=json.loads((directory / "run.json").read_text(encoding="utf-8")),
        directory=directory,
        said=done.stderr,
    )


def captured(lab: Lab, folder: Path, fault: str, *options: str) -> tuple[Drilled, Handover]:
    """A drill, and the handover that a capture beside it saw."""
    with Capture(lab, addresses.VIP, folder) as capture:
        done = drill(lab, folder / "runs", "--fault", fault, *options)
    assert capture.dropped() == 0
    seen = handover(done.run, capture.answers())
    assert seen is not None
    return done, seen


def assert_word(verdict: Mapping[str, Any], *statuses: str) -> None:
    """The verdict has one of these words; or a machine that was too busy to tell is every reason why it has not.

    Such a drill is never made again. Its word has exit code 2, and a test goes on with the figures that hold in any
    case; those that a run says not to trust are no figures.
    """
    others = [reason for reason in verdict["reasons"] if REASONS[reason["code"]].status not in statuses]
    assert all(reason["code"] in OF_A_BUSY_MACHINE for reason in others), (verdict["verdict"], others)
    assert verdict["verdict"] in statuses or (others and verdict["exit_code"] == 2), (
        verdict["verdict"],
        verdict["reasons"],
    )


def newest_run(out: Path) -> Path:
    return max((path.parent for path in out.glob("**/run.json")), key=lambda path: path.stat().st_mtime_ns)


def report(directory: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """`switchover report` on this machine, without the lab."""
    command: Sequence[str] = [sys.executable, "-m", "switchover", "report", str(directory), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
