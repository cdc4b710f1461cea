"""Running the real command in a lab's client, as a user would."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from switchover.lab.lab import Lab

DRILL_TIMEOUT_S = 180.0
ATTEMPTS = 3
REPEATS = 8
"""Of all tests of a process together: a machine that spoils more than these would spoil the next as well."""

T = TypeVar("T")

_repeats = iter(range(REPEATS, 0, -1))


@dataclass(frozen=True, slots=True)
class Drilled:
    """What a drill left and said."""

    code: int
    verdict: dict[str, Any]
    run: dict[str, Any]
    directory: Path
    said: str

    @property
    def longest_gap_ms(self) -> float:
        """The longest time in which nobody answered: what a capture, which sees only answers, can confirm."""
        return max((float(gap["duration_ms"]) for gap in self.verdict["outage"]["gaps"]), default=0.0)

    def budget(self, name: str) -> dict[str, Any]:
        (found,) = (budget for budget in self.verdict["budgets"] if budget["name"] == name)
        return dict(found)


def drill(lab: Lab, out: Path, *options: str, target: Path | None = None) -> Drilled:
    """`switchover drill` with these options, inside the client; the verdict it printed."""
    return undisturbed(
        out,
        lambda out: _drill(lab, out, *options, target=target),
        lambda done: [str(reason["text"]) for reason in done.verdict["reasons"]],
    )


def undisturbed(out: Path, make: Callable[[Path], T], reasons_of: Callable[[T], list[str]]) -> T:
    """What was made, in a folder of its own below `out`, on a machine that let it.

    A busy machine can keep the metronome from sending for a moment, or the lab from answering in time before anything
    was done to it; the run then says why it is not to be trusted, and is made again, a few times at the most. A
    machine that never lets it be skips the test, which the closing lines say.
    """
    for attempt in range(ATTEMPTS):
        if attempt and not next(_repeats, None):
            break
        done = make(out / str(attempt))
        reasons = reasons_of(done)
        if not reasons or not all(is_the_machines(reason) for reason in reasons):
            return done
    pytest.skip(f"the machine spoiled it, as often as it was tried: {'; '.join(reasons)}")


def is_the_machines(reason: str) -> bool:
    """Whether a busy machine is why a run is not to be trusted, and nothing that the run is about."""
    return reason.startswith("the generator sent nothing") or "probes failed in the baseline" in reason


def _drill(lab: Lab, out: Path, *options: str, target: Path | None) -> Drilled:
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


def newest_run(out: Path) -> Path:
    return max((path.parent for path in out.glob("**/run.json")), key=lambda path: path.stat().st_mtime_ns)


def report(directory: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """`switchover report` on this machine, without the lab."""
    command: Sequence[str] = [sys.executable, "-m", "switchover", "report", str(directory), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
