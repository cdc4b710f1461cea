"""A drill in the built-in lab: bring it up, and run the same command inside its client with the lab's target file."""

import argparse
import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from switchover.lab.commands import spec_from_arguments, spec_options
from switchover.lab.lab import Lab
from switchover.report.progress import Progress


def drill_in_lab(arguments: argparse.Namespace) -> int:
    """The exit code of the drill. The lab ends with this process, however that ends."""
    spec = spec_from_arguments(arguments)
    with Progress() as progress, Lab(spec, progress=progress.note) as lab:
        command = [sys.executable, "-m", "switchover", *inner_words(arguments.argv, lab.target_file)]
        inside = subprocess.Popen(lab.exec_argv("client", command))

        def forward(number: int, _frame: FrameType | None) -> None:
            inside.send_signal(number)

        # Ctrl-C reaches the drill by the terminal, which signals every process of the foreground group.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, forward)
        signal.signal(signal.SIGHUP, forward)
        return inside.wait()


def inner_words(typed: Sequence[str], target_file: Path) -> list[str]:
    """The drill inside: without the lab's options, with its target file, and with what was typed, for run.json."""
    _, rest = spec_options().parse_known_args(list(typed))
    return [*rest, "--target", str(target_file), "--typed", json.dumps(list(typed))]
