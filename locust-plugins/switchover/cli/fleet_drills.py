"""A drill of each pair of a fleet in turn, until the first that does not end with 0."""

import argparse
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

from switchover.drill.options import DrillSettings
from switchover.drill.skipped import keep_skipped
from switchover.model.errors import SwitchoverError
from switchover.process.signals import ENDING, answering, shell_status
from switchover.report.fleet import FleetPair
from switchover.target.reader import load_target

STDERR = 2
NOT_DONE = 2
"""The exit code of a list that a signal has ended between two drills."""


def drill_all(
    pairs: Sequence[FleetPair], arguments: argparse.Namespace, pause_s: float
) -> tuple[int, Mapping[str, str]]:
    """The pairs that are well, one after the other. The exit code of the drill that stopped the list, and what came
    of each file."""
    code, fired, stop = 0, False, ""
    drilled = {}
    runner = DrillRunner()
    with answering(dict.fromkeys(ENDING, runner.stop)):
        for pair in pairs:
            if not pair.problem and not any(promise.fault == arguments.drill for promise in pair.promises):
                drilled[pair.file] = f"not drilled: it has no fault {arguments.drill}"
                continue
            why = pair.problem or "".join(pair.ill[:1])
            if not why and not stop and fired:
                print(f"pausing for {pause_s:g} s", file=sys.stderr)
                runner.pause(pause_s)
            if not why and runner.is_interrupted:
                code, stop = code or NOT_DONE, "the list was interrupted"
            if why := why or stop:
                drilled[pair.file] = f"not drilled: {why}"
                _keep_skipped(pair, why, arguments)
                continue
            fired = True
            print(f"{pair.file}: {arguments.drill}", file=sys.stderr)
            # Its progress and its summary do not stand among the data.
            code = runner.run(drill_command(pair.file, arguments), STDERR if arguments.json else None)
            done = "drilled" if arguments.arm else "rehearsed"
            drilled[pair.file] = f"{done}, and all is well"
            if code:
                drilled[pair.file] = f"{done}, and stops the list: exit code {code}"
                stop = "a drill before it stopped the list"
    return code, drilled


class DrillRunner:
    """Runs one drill after the other. A signal that ends a drill in order is passed on to the one that runs, which
    heals, and no other begins."""

    def __init__(self) -> None:
        self._interrupted = threading.Event()
        self._signal: int | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_interrupted(self) -> bool:
        return self._interrupted.is_set()

    def pause(self, seconds: float) -> None:
        """Shorter where a signal comes."""
        self._interrupted.wait(seconds)

    def run(self, command: Sequence[str], out: int | None) -> int:
        """Its exit code, as a shell has it. The drill is in a group of its own: it gets one signal, also where Ctrl-C
        at the terminal reaches the whole foreground group; a second one would break off its report."""
        with subprocess.Popen(command, stdout=out, process_group=0) as self._process:
            if self._signal is not None:
                self._process.send_signal(self._signal)
            return shell_status(self._process.wait())

    def stop(self, number: int, _frame: FrameType | None) -> None:
        """A signal has come."""
        self._interrupted.set()
        self._signal = number
        if self._process is not None:
            self._process.send_signal(number)


def _keep_skipped(pair: FleetPair, why: str, arguments: argparse.Namespace) -> None:
    if not arguments.scheduled:
        return
    file, target = Path(pair.file), None
    with suppress(SwitchoverError):
        target = load_target(file)
    command = ("switchover", *arguments.argv)
    keep_skipped(DrillSettings(target=file, fault=arguments.drill, out=arguments.runs, command=command), why, target)


def drill_command(file: str, arguments: argparse.Namespace) -> list[str]:
    budgets = [word for budget in arguments.budget for word in ("--budget", budget)]
    words = ["--target", file, "--fault", arguments.drill, "--out", str(arguments.runs), *budgets]
    words += ["--arm" if arguments.arm else "--rehearse"]
    words += ["--scheduled"] if arguments.scheduled else []
    return [sys.executable, "-m", "switchover", "drill", *words]
