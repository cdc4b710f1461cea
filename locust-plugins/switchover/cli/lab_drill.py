"""A drill in the built-in lab: bring it up, and run the same command inside its client with the lab's target file."""

import argparse
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import FrameType

from switchover.cli.progress import Progress
from switchover.drill.fire_and_heal import NO_FAULT
from switchover.drill.options import DrillSettings
from switchover.faults.catalogue import CATALOGUE, CHANGES
from switchover.faults.lab_commands import LabCommands
from switchover.faults.mechanism import Mechanism
from switchover.lab.lab import Lab
from switchover.lab.options import spec_from_arguments, spec_options
from switchover.lab.spec import LabSpec
from switchover.model.errors import FaultError, UsageError
from switchover.process.signals import ENDING, shell_status
from switchover.streaming.influx.destination import choose_database
from switchover.streaming.outside import OutsideStreams
from switchover.streaming.parent import check_metrics


def drill_in_lab(settings: DrillSettings, arguments: argparse.Namespace) -> int:
    """The exit code of the drill. The lab ends with this process, however that ends; where connections are to be kept
    open, its backends serve what a patient load asks for."""
    spec = spec_from_arguments(arguments)
    if settings.change is not None or settings.patient is not None:
        spec = replace(spec, patient=True)
    if settings.fault is not None:
        refuse_unknown(CATALOGUE, "fault", settings.fault, spec, f", and {NO_FAULT}")
    if settings.change is not None:
        refuse_unknown(CHANGES, "change", settings.change, spec)
    return run_in_lab(spec, settings, arguments)


def run_in_lab(spec: LabSpec, settings: DrillSettings, arguments: argparse.Namespace) -> int:
    with ExitStack() as stack:
        if settings.influx:
            choose_database(settings.influx, None, os.environ)
        check_metrics(settings.prometheus)
        progress = stack.enter_context(Progress())
        lab = stack.enter_context(Lab(spec, progress=progress.note))
        stack.enter_context(OutsideStreams(lab.layout.follower_socket))
        command = [sys.executable, "-m", "switchover", *inner_words(arguments.argv, lab.target_file)]
        # Ctrl-C at the terminal reaches the whole foreground group, a cancelled job's SIGINT only this process: the
        # drill is in a group of its own, and gets one signal in either case.
        inside = subprocess.Popen(lab.exec_argv("client", command), process_group=0)

        def forward(number: int, _frame: FrameType | None) -> None:
            inside.send_signal(number)

        for number in ENDING:
            signal.signal(number, forward)
        return shell_status(inside.wait())


def refuse_lab_options(typed: Sequence[str]) -> None:
    """They say nothing where a target file is given."""
    chosen, _ = spec_options().parse_known_args(list(typed))
    for name, value in vars(chosen).items():
        if value != spec_options().get_default(name):
            option = "--" + name.replace("_", "-")
            raise UsageError(f"{option} is for the built-in lab; what --target describes is as it is")


def refuse_unknown(catalogue: Mapping[str, Mechanism], what: str, name: str, spec: LabSpec, more: str = "") -> None:
    """Refuse it before a lab is started."""
    fault = catalogue.get(name)
    lab = LabCommands(
        "", "", "", balancer=spec.balancer, backend_kind=spec.backend_kind, mode=spec.mode, patient=spec.patient
    )
    reason = fault.applies(lab) if fault else None
    if reason is not None:
        raise FaultError(f"the lab cannot do {name}: {reason}")
    if fault is None:
        raise FaultError(f"the lab has no {what} {name!r}; it has {', '.join(catalogue)}{more}")


def inner_words(typed: Sequence[str], target_file: Path) -> list[str]:
    """The drill inside: without the lab's options, with its target file, and with what was typed, for run.json."""
    _, rest = spec_options().parse_known_args(list(typed))
    return [*rest, "--target", str(target_file), "--typed", json.dumps(list(typed))]
