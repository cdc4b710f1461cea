"""`switchover init`: read the nodes of a pair, without changes to the nodes, and write a target file."""

import argparse
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from rich.console import Console
from rich.text import Text

from switchover.cli.doctor import check_target, print_checks, print_rows
from switchover.init.pair import read_pair
from switchover.init.recipes import write_faults
from switchover.init.survey import take_survey
from switchover.init.target_text import Choices, write_target
from switchover.model.errors import UsageError
from switchover.model.redaction import escape_controls
from switchover.target.model import Target
from switchover.target.reader import load_target

PARSER = {
    "help": "write a target file for your own pair: reads the nodes over ssh and changes nothing",
    "description": "Read both balancers over ssh, and write a target file. The file contains addresses, sockets, "
    "Keepalived's settings without passwords, and faults that this pair can undo. init changes nothing on "
    "the nodes, and overwrites no file. On a terminal, init asks three questions; --url, --dedicated and "
    "--faults answer these questions in advance.",
    "epilog": "Example: switchover init lb1 lb2 --backend web1 --backend web2 --out site.toml",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "nodes", nargs=2, metavar="NODE", help="ssh destination of a balancer: a host name, user@host, or an alias"
    )
    parser.add_argument(
        "--backend",
        action="append",
        default=[],
        metavar="NODE",
        help="backend that init also reads over ssh. Repeatable",
    )
    parser.add_argument("--url", metavar="URL", help="URL to probe, which leads to the virtual address")
    parser.add_argument(
        "--dedicated", action=argparse.BooleanOptionalAction, help="all requests to these nodes come from the drill"
    )
    parser.add_argument("--faults", metavar="NAME,…", help="write only these faults; 'none' for no fault")
    parser.add_argument(
        "--ssh-config", type=Path, metavar="FILE", help="ssh configuration, also for the commands in the target file"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("site.toml"), metavar="FILE", help="file to write (default site.toml)"
    )


def run(arguments: argparse.Namespace) -> int:
    console = Console(highlight=False)
    if arguments.out.exists():
        raise UsageError(f"{arguments.out} already exists: name another file with --out, or move this file")
    if arguments.nodes[0] == arguments.nodes[1]:
        raise UsageError(f"{arguments.nodes[0]} is named twice: name both balancers of the pair")
    ssh = ("ssh", "-F", str(arguments.ssh_config.absolute())) if arguments.ssh_config else ("ssh",)
    names = ", ".join((*arguments.nodes, *arguments.backend))
    console.print(Text(f"Reading {names} over ssh. init changes nothing on these hosts."))
    with ThreadPoolExecutor() as pool:
        surveys = list(pool.map(partial(take_survey, ssh=ssh), (*arguments.nodes, *arguments.backend)))
    pair = read_pair(surveys[:2], surveys[2:], arguments.url or "")
    # The texts come from the nodes, so no control character may reach the terminal.
    print_rows([(Text(f.node), f.subject, escape_controls(f.text), f.advice) for f in pair.findings], console)
    faults, missing = write_faults(pair)
    for line in missing:
        console.print(Text(f"  {line}", style="yellow"))
    url = arguments.url or _ask("URL to probe (cheap to serve, through the balancer to a backend)", pair.url())
    if "@" in urlsplit(url).netloc:
        raise UsageError(
            'the URL contains a user name: write headers = { Authorization = "env:NAME" } into the target file'
        )
    is_dedicated = arguments.dedicated
    if is_dedicated is None:
        answer = _ask("Does all traffic on these nodes come from the drill? yes or no", "no")
        is_dedicated = answer.lower().startswith("y")
    choices = Choices(url=url, dedicated=is_dedicated, faults=_chosen(faults, arguments.faults), ssh=ssh)
    written = write_target(pair, choices, arguments.out)
    console.print(Text(f"\nWritten: {', '.join(map(str, written))}\n"))
    target = load_target(arguments.out)
    good = print_checks(check_target(target), console)
    _print_next(console, arguments.out, target)
    return 0 if good else 2


def _ask(question: str, default: str) -> str:
    """Ask the question on the terminal and return the answer. If stdin is not a terminal, or the answer is empty,
    return the default."""
    with suppress(EOFError):
        if sys.stdin.isatty():
            return input(f"{question} [{default}]: ").strip() or default
    return default


def _chosen(faults: dict[str, dict[str, object]], option: str | None) -> dict[str, dict[str, object]]:
    if not faults:
        return {}
    answer = option or _ask(f"Faults to write ({', '.join(faults)})", "all")
    if answer == "all":
        return faults
    names = [] if answer == "none" else [name.strip() for name in answer.split(",")]
    for name in names:
        if name not in faults:
            raise UsageError(f"no fault {name!r} for this pair: choose from {', '.join(faults)}, all or none")
    return {name: faults[name] for name in names}


def _print_next(console: Console, path: Path, target: Target) -> None:
    drill = f"switchover drill --target {shlex.quote(str(path))}"
    steps = [("none", "a measurement without a fault")]
    if mildest := next(iter(target.faults), None):  # init writes the mildest fault first
        steps = [(f"{mildest} --dry-run", "all steps except the fault"), (f"{mildest} --arm", "the mildest fault")]
        if "haproxy-kill" in target.faults:
            steps.append(("haproxy-kill --arm", "the master's balancer dies"))
    console.print("\nNext:")
    for fault, meaning in steps:
        console.print(Text(f"  {drill} --fault {fault}    # {meaning}"), soft_wrap=True)
