"""`switchover doctor`: check that this machine can run the lab, or test all parts of a target file."""

import argparse
import http.client
import os
import re
import shutil
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from rich.console import Console
from rich.text import Text

from switchover.drill.options import DrillSettings
from switchover.drill.prepare import find_known_problems
from switchover.faults.catalogue import require_deadman
from switchover.faults.guard import Guard
from switchover.faults.preflight.lock import read_machine_id
from switchover.faults.preflight.nodes import ask_as_clock, check_restart, find_problems
from switchover.http.address import find_addresses
from switchover.lab.capability import MachineCheck, check_machine
from switchover.model.clock import Clock
from switchover.model.errors import FaultError, SwitchoverError, TelemetryError, reason_of
from switchover.model.identity import WhoAnswered, identity_lines
from switchover.model.redaction import public_url
from switchover.predict.nodes import read_node
from switchover.process.command import run_command
from switchover.rundir.journal import Journal
from switchover.streaming.influx.destination import choose_database
from switchover.streaming.influx.writer import try_database
from switchover.target.model import FaultRecipe, Node, Target, fill_names
from switchover.target.reader import load_target
from switchover.target.telemetry_sources import Command, Fifo, LogFile
from switchover.telemetry.access_log import parse_log_line
from switchover.telemetry.address_list import holds_address
from switchover.telemetry.balancers import BALANCERS, describe
from switchover.telemetry.clock_offset import measure_offset
from switchover.telemetry.fetch import QUERY_S, fetch
from switchover.telemetry.master import find_master, status_and_headers
from switchover.telemetry.processes import parse_processes

REMEDY = "correct the setting in the target file or on the node"
CLOCK_BOUND_US = 50_000
CONTROL_MASTER = (
    "an uncertainty above 50 ms, so the order of events on two nodes is unknown; keep the ssh connection open: "
    "ControlMaster auto, ControlPath ~/.ssh/%C, ControlPersist 60 in ~/.ssh/config"
)
_SIMPLE_COMMAND = re.compile(r"[\w ./:@%+=,-]+", re.ASCII)
"""Matches a single command that every shell splits into the same words."""
_NOT_ALLOWED = re.compile("permi|denied|password|sudoers|must have a tty", re.IGNORECASE)
TAIL_BYTES, LAST_LINES = 65536, 20
"""The number of bytes and of lines that are read at the end of an access log, to detect its format."""


def check_target(target: Target, limits: Sequence[str] = ()) -> Iterator[MachineCheck]:
    for problem in find_known_problems(target, limits):
        yield MachineCheck("target file", problem, "no drill starts until this problem is fixed")
    yield _endpoint(target)
    for node in target.nodes:
        yield from _node(node, target)
    if target.lab is None:
        try:
            for problem in find_problems(target, tuple(target.faults.values()), DrillSettings()):
                yield MachineCheck("nodes", problem, "no fault fires until this problem is fixed")
        except FaultError as error:
            yield MachineCheck("nodes", str(error), REMEDY)
    master = find_master(target)
    if master.name is None:
        advice = "faults with {master} in their commands do not fire" if target.faults else ""
        yield MachineCheck("master", f"unknown: {master.reason}", advice)
    else:
        yield MachineCheck("master", f"{master.name}, by {master.source} ({master.reason})")
    for recipe in target.faults.values():
        yield from _fault(recipe, target)
    for recipe in (*target.faults.values(), *target.changes.values()):
        yield from _try_commands(recipe, target, master.name)
    for kind, url in target.connections.items():
        yield _tried(f"held {kind}", partial(_connected, url))
    yield check_realtime()
    if target.influx is not None:
        yield _tried("influx", lambda: try_database(choose_database(None, target.influx, os.environ)))


def _tried(what: str, look: Callable[[], str]) -> MachineCheck:
    try:
        return MachineCheck(what, look())
    except SwitchoverError as error:
        return MachineCheck(what, str(error), REMEDY)
    except OSError as error:
        return MachineCheck(what, f"{error.filename or error.__class__.__name__}: {error.strerror}", REMEDY)


def _endpoint(target: Target) -> MachineCheck:
    what = target.endpoint.public_url
    advice = "check the URL, the network path from this machine, and the service"
    if target.lab is not None:
        advice = "only hosts of the lab reach this URL: run 'switchover lab exec client -- switchover doctor …'"
    try:
        status, headers = status_and_headers(target.endpoint, QUERY_S)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return MachineCheck(what, f"no answer: {reason_of(error)}", advice)
    if status not in target.endpoint.expect:
        text = f"the service answers with status {status}, which is not among {target.endpoint.expect}"
        return MachineCheck(what, text, advice)
    identity = WhoAnswered(target.identity).identify(headers)
    backend, balancer = identity.backend or "an unknown backend", identity.balancer or "an unknown balancer"
    text = f"answered by {backend} through {balancer}"
    missing = {"backend": not identity.backend, "balancer": not identity.balancer}
    if not any(missing.values()):
        return MachineCheck(what, text)
    blocks = []
    for node in target.balancers:
        if node.haproxy or node.nginx or not node.metrics:
            program, place = "haproxy", "frontend in haproxy.cfg"
            if node.nginx:
                program, place = "nginx", "server block in nginx.conf"
            lines = identity_lines(program, node.name, target.identity, **missing)
            blocks.append("\n    ".join([f"Add to the {place} of {node.name}:", *lines]))
    return MachineCheck(what, f"{text}: identity headers are missing", blocks="\n\n".join(blocks), warns=True)


def _node(node: Node, target: Target) -> Iterator[MachineCheck]:
    vip_host = target.endpoint.host
    looks: dict[str, Callable[[], str]] = {}
    for kind in BALANCERS:
        if getattr(node, kind.source) is not None:
            looks[kind.source] = partial(describe, node, kind)
    if node.access_log is not None:
        looks["access_log"] = partial(_log, node.access_log)
    for source in node.vip_owner:
        if isinstance(source, Fifo):
            looks["vip_owner fifo"] = partial(_fifo, source)
        else:
            looks["vip_owner"] = partial(_owner, node, vip_host)
    if node.keepalived is not None:
        looks["keepalived"] = partial(_keepalived, node, vip_host)
    if node.clock is not None:
        looks["clock"] = partial(_clock, node)
    if node.processes is not None:
        looks["processes"] = partial(_processes, node.processes)
    if node.machine_id is not None:
        looks["machine_id"] = partial(read_machine_id, node.machine_id)
    for what, look in looks.items():
        yield _tried(f"{node.name} {what}", look)
    if node.keepalived is not None:
        yield from _check_scripts(node, vip_host)


def _check_scripts(node: Node, vip_host: str) -> Iterator[MachineCheck]:
    """On the node, run each check script of the keepalived.conf copy once, with sudo if necessary."""
    try:
        instance = read_node(node, vip_host).instance
    except SwitchoverError:
        return
    for tracker in instance.trackers if instance is not None else ():
        line = tracker.command.strip()
        asks = [ask_as_clock(node.clock, (*sudo, *line.split())) for sudo in ((), ("sudo", "-n"))]
        if tracker.kind != "track_script" or _SIMPLE_COMMAND.fullmatch(line) is None or None in asks:
            continue
        what, results = f"{node.name} {tracker.name}", []
        for ask in filter(None, asks):
            results.append(run_command(ask.arguments))
            if results[-1].ok:
                break
        if results[-1].ok:
            yield MachineCheck(what, f"`{line}` succeeds")
        elif not results[0].has_answered or any(_NOT_ALLOWED.search(result.last_line) for result in results):
            yield MachineCheck(what, f"`{line}` cannot be run as this user, so its result is unknown: {results[0]}")
        else:
            advice = "Keepalived does not detect a dead balancer: correct its check in keepalived.conf, or the node"
            yield MachineCheck(what, f"`{line}` fails: {results[0]}", advice)


def _log(source: LogFile | Command) -> str:
    size, tail = 0, b""

    def keep_tail(piece: bytes) -> None:
        nonlocal size, tail
        size, tail = size + len(piece), (tail + piece)[-TAIL_BYTES:]

    if isinstance(source, Command):
        run_command(source.arguments, sink=keep_tail, variables=source.variables).check()
    else:
        path = Path(source.path)
        if path.exists() and not path.is_file():
            return f"{path} is not a regular file, so it is not read"
        try:
            with path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(size - TAIL_BYTES, 0))
                tail = file.read(TAIL_BYTES)
        except FileNotFoundError:
            return f"{path} does not exist yet"
    lines = tail.split(b"\n")[:-1][-LAST_LINES:]
    is_known = not lines or any(map(parse_log_line, lines))
    other_form = f"; none of its last {len(lines)} lines has the combined log format, so they cannot be read"
    return f"{size:,} bytes{'' if is_known else other_form}"


def _fifo(source: Fifo) -> str:
    if Path(source.path).is_fifo():
        return f"{source} exists"
    raise TelemetryError(f"{source.path} is not a FIFO: check vrrp_notify_fifo in keepalived.conf")


def _owner(node: Node, vip_host: str) -> str:
    holds = holds_address(node, frozenset(find_addresses(vip_host, QUERY_S)))
    if holds is None:
        return "the owner is unknown until the command prints its first line"
    return f"{'holds' if holds else 'does not hold'} {vip_host}"


def _keepalived(node: Node, vip_host: str) -> str:
    settings = read_node(node, vip_host).settings
    assert settings is not None
    return (
        f"priority {settings.priority}, advert_int {settings.advert_int_s:g} s, "
        f"master down interval {settings.master_down_interval_s:.3f} s"
    )


def _clock(node: Node) -> str:
    offset = measure_offset(node, Clock.of_process())
    if offset is None:
        return "unknown"
    text = f"{offset.offset_us / 1000:+.3f} ms ± {offset.bound_us / 1000:.3f} ms"
    return text if offset.bound_us <= CLOCK_BOUND_US else f"{text}: {CONTROL_MASTER}"


def _processes(command: Command) -> str:
    reading = parse_processes(fetch(command).decode("utf-8", "replace"))
    return ", ".join(sorted({process.name for process in reading.processes})) or "no watched process"


def _connected(url: str) -> str:
    """Check only that the port accepts a connection, because a download or an upload would be load on the service."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), QUERY_S):
            return f"{public_url(url)} accepts connections"
    except OSError as error:
        raise TelemetryError(f"{public_url(url)} accepts no connection: {error.strerror or error}") from error


def _fault(recipe: FaultRecipe, target: Target) -> Iterator[MachineCheck]:
    what = f"fault {recipe.name}"
    for command in recipe.commands.values():
        if shutil.which(command[0]) is None:
            yield MachineCheck(what, f"{command[0]!r} is not on this machine", "install it, or write its full path")
            return
    if recipe.verify_down is None:
        yield MachineCheck(what, "has no verify_down", "add verify_down: without it, each drill has exit code 2")
        return

    def look() -> str:
        if target.lab is None:
            require_deadman(recipe)
        no_heal = "has no heal: the fault must end by itself, or you must undo the fault"
        return "all commands exist" if recipe.heal else no_heal

    yield _tried(what, look)
    have_fifos = all(any(isinstance(source, Fifo) for source in node.vip_owner) for node in target.balancers)
    if target.lab is None and recipe.ready is None and len(target.balancers) > 1 and not have_fifos:
        yield MachineCheck(
            what,
            "no ready command, and not every balancer has a notify FIFO: the drill cannot check the backup's state",
            'add ready = ["ssh", "{backup}", …], which exits with 0 if the node can take over',
        )


def _try_commands(recipe: FaultRecipe, target: Target, master: str | None) -> Iterator[MachineCheck]:
    """Run `ready`, `verify_down` and `verify_healed`, as a drill does before a fault. These commands change
    nothing."""
    what = recipe.table.strip("[]").replace(".", " ", 1)
    backup = target.backup_of(master)
    names = {"master": master or "", "backup": backup.name if backup else ""}
    if any(recipe.mentions(f"{{{name}}}") and not value for name, value in names.items()):
        yield MachineCheck(f"{what} commands", "not tried: the master and the backup are unknown")
        return
    try:
        if restart := check_restart(recipe, target.node(master), target.endpoint.host):
            yield MachineCheck(f"{what} kill", restart, warns=True)
    except FaultError as error:
        yield MachineCheck(f"{what} kill", str(error), REMEDY)
    if recipe.ready is not None and backup is not None:
        result = run_command(fill_names(recipe.ready, names), variables=recipe.variables)
        text = f"{backup.name} can take over" if result.ok else f"{backup.name}: {result}"
        yield MachineCheck(f"{what} ready", text, "" if result.ok else "no fault fires before `ready` succeeds")
    if recipe.verify_down is None:
        return
    clock, journal = Clock.of_process(), Journal(Path(os.devnull), {})
    guard = Guard(recipe, clock=clock, journal=journal, armed=False, names=names, directory=Path())

    def look() -> str:
        guard.require_state_before()
        return f"no fault is in force now, according to {recipe.word('verify_down')}"

    yield _tried(f"{what} commands", look)


def check_realtime() -> MachineCheck:
    """Check that the prober may use real-time scheduling: this process tries it, then restores its scheduling."""
    what, before = "real-time scheduling", os.sched_getscheduler(0)
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(os.sched_get_priority_min(os.SCHED_RR)))
        os.sched_setscheduler(0, before, os.sched_param(0))
    except OSError:
        advice = "to allow it: '* - rtprio 1' in /etc/security/limits.d/switchover.conf, and log in again"
        return MachineCheck(what, f"not allowed, so probes may be late on a busy machine; {advice}")
    return MachineCheck(what, "allowed")


PARSER = {
    "help": "check this machine, or every part of a target file",
    "description": "Without --target: check that this machine can run the built-in lab. With --target: try every "
    "source, command and header of the target file. No fault is fired. Exit code 2: a check failed.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", type=Path, metavar="FILE", help="target file to check")
    text = "check that a drill of this target can measure the figure of this limit. Repeatable"
    parser.add_argument("--limit", action="append", default=[], metavar="NAME=LIMIT", help=text)


def run(arguments: argparse.Namespace) -> int:
    checks = check_target(load_target(arguments.target), arguments.limit) if arguments.target else check_machine()
    console, done = Console(), list(checks)
    if not print_checks(done, console):
        return 2
    has_gaps = any(check.warns for check in done)
    console.print("\nNo check failed. Lines marked ! are warnings." if has_gaps else "\nAll checks passed.")
    return 0


def print_checks(checks: Iterable[MachineCheck], console: Console) -> bool:
    """Print each check, then the lines that the user can copy (`blocks`). Return True if all checks passed."""
    done = list(checks)
    print_rows([(_mark(check), check.subject, check.result, check.advice) for check in done], console)
    for check in done:
        if check.blocks:
            console.print(Text(f"\n{check.blocks}"), soft_wrap=True)
    return all(check.good for check in done)


def _mark(check: MachineCheck) -> Text:
    if not check.good:
        return Text("NO", "bold red")
    return Text("!", "yellow") if check.warns else Text("ok", "green")


def print_rows(rows: Sequence[tuple[Text, str, str, str]], console: Console) -> None:
    """Print rows in aligned columns. The last cell of a row is advice, printed on a line below the row."""
    lines = []
    for mark, subject, text, advice in rows:
        lines.append((mark, Text(subject), Text(text)))
        if advice:
            lines.append((Text(), Text(), Text(f"-> {advice}", "yellow")))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for row in lines:
        for cell, width in zip(row, widths, strict=True):
            cell.pad_right(width - len(cell))
        line = Text("  ").join(row)
        line.rstrip()
        console.print(line, soft_wrap=True)
