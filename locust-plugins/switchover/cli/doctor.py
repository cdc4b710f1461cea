"""`switchover doctor`: what this machine lacks for the lab, or what of a target file does not work. Fires nothing."""

import argparse
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from switchover.cli.doctor_target import check_target
from switchover.lab import capability
from switchover.lab.capability import MachineCheck
from switchover.lab.programs import ask_version, find_program
from switchover.target.reader import load_target

PROGRAMS = {
    "haproxy": ("haproxy", ("-v",)),
    "nginx": ("nginx-light", ("-v",)),
    "keepalived": ("keepalived", ("-v",)),
    "ip": ("iproute2", ("-V",)),
    "bridge": ("iproute2", ("-V",)),
    "unshare": ("util-linux", ("-V",)),
}
"""What the lab runs, the Debian package that has it, and how it says its version."""

DESCRIPTORS = 4096
"""A second of hanging probes at 1,000 a second, on both sides of a balancer, and room."""


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "doctor",
        help="say what is missing on this machine, or try every part of a target file",
        description="Without --target: what the built-in lab needs of this machine. With it: every source, command "
        "and header of the target file, tried without firing anything. Exit code 2 if something does not work.",
    )
    parser.add_argument("--target", type=Path, metavar="FILE", help="try this target file")
    parser.add_argument(
        "--budget",
        action="append",
        default=[],
        metavar="NAME=LIMIT",
        help="a budget that a drill of this target is to have: can it be judged? Repeatable",
    )
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    findings = check_target(load_target(arguments.target), arguments.budget) if arguments.target else check_machine()
    console = Console()
    everything_good = print_checks(findings, console)
    if everything_good:
        console.print("Everything that was looked at works.")
    return 0 if everything_good else 2


def print_checks(findings: Iterable[MachineCheck], console: Console) -> bool:
    """A line for each check, its remedy below; whether all are good."""
    table = Table.grid(padding=(0, 2))
    everything_good = True
    for finding in findings:
        everything_good = everything_good and finding.good
        mark = "[green]ok[/]" if finding.good else "[bold red]NO[/]"
        table.add_row(mark, finding.what, _plain(finding.found))
        if finding.advice:
            table.add_row("", "", f"[yellow]-> {_plain(finding.advice)}[/]")
    console.print(table)
    return everything_good


def check_machine() -> Iterator[MachineCheck]:
    yield MachineCheck("python", sys.version.split()[0])
    for program, (package, version) in PROGRAMS.items():
        yield _program(program, package, version)
    yield capability.check()
    yield _descriptors()
    yield _ports()


def _program(program: str, package: str, version: tuple[str, ...]) -> MachineCheck:
    path = find_program(program)
    if path is None:
        return MachineCheck(program, "missing", f"apt-get install {package}")
    try:
        shown = ask_version([path, *version])
    except (OSError, subprocess.TimeoutExpired) as error:
        return MachineCheck(program, f"{path} does not run: {error}", f"apt-get install --reinstall {package}")
    return MachineCheck(program, (shown.strip().splitlines() or [path])[0])


def _descriptors() -> MachineCheck:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard not in (resource.RLIM_INFINITY,) and hard < DESCRIPTORS:
        return MachineCheck("file descriptors", f"at most {hard}", f"ulimit -Hn {DESCRIPTORS}")
    return MachineCheck("file descriptors", "unlimited" if hard == resource.RLIM_INFINITY else f"at most {hard:,}")


def _ports() -> MachineCheck:
    try:
        low, high = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return MachineCheck("client ports", "unknown: this is no Linux")
    return MachineCheck("client ports", f"{high - low + 1:,} (the metronome frees each one at once)")


def _plain(text: str) -> str:
    return text.replace("[", r"\[")
