"""Every part of a target file, tried once: what it says now, or why it says nothing. Fires nothing."""

import http.client
import os
import shutil
import socket
import stat
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from switchover.cli.doctor_nodes import check_nodes, check_realtime, check_scripts, try_commands
from switchover.drill.prepare import find_known_problems
from switchover.drill.target_lock import read_machine_id
from switchover.faults.catalogue import fault_named
from switchover.faults.deadman import RECIPE as DEADMAN_RECIPE
from switchover.http.address import find_addresses
from switchover.lab.capability import MachineCheck
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError, TelemetryError
from switchover.model.identity import AnsweredBy, WhoAnswered
from switchover.model.redaction import public_url
from switchover.predict.nodes import read_node
from switchover.streaming.influx.destination import choose_database
from switchover.streaming.influx.writer import try_database
from switchover.target.model import FaultRecipe, Node, Target
from switchover.target.telemetry_sources import Command, Fifo, LogFile
from switchover.telemetry.address_list import holds_address
from switchover.telemetry.balancers import BALANCERS
from switchover.telemetry.clock_offset import measure_offset
from switchover.telemetry.fetch import TIMEOUT_S, fetch
from switchover.telemetry.log_lines import parse_log_line
from switchover.telemetry.master import Master, find_master, status_and_headers
from switchover.telemetry.processes import parse_processes

CLOCK_BOUND_US = 50_000
CONTROL_MASTER = (
    "more than 50 ms, so the order of events on two nodes is not known; keep the ssh connection open: "
    "ControlMaster auto, ControlPath ~/.ssh/%C, ControlPersist 60 in ~/.ssh/config"
)
LOG_LIMIT_BYTES = 1024 * 1024 * 1024
TAIL_BYTES, LAST_LINES = 65536, 20
"""Of an access log, to see what form its lines have."""


def check_target(target: Target, budgets: Sequence[str] = ()) -> Iterator[MachineCheck]:
    for problem in find_known_problems(target, budgets):
        yield MachineCheck("target file", problem, "no drill begins before that is mended")
    yield _endpoint(target)
    for node in target.nodes:
        yield from _node(node, target)
    yield from check_nodes(target)
    master = find_master(target)
    yield _master(master, target)
    for recipe in target.faults.values():
        yield from _fault(recipe, target)
    for recipe in (*target.faults.values(), *target.changes.values()):
        yield from try_commands(recipe, target, master.name)
    for kind, url in target.patient.items():
        yield _tried(f"patient {kind}", partial(_connected, url))
    yield check_realtime()
    if target.influx is not None:
        yield _tried("influx", lambda: try_database(choose_database(None, target.influx, os.environ)))


def _endpoint(target: Target) -> MachineCheck:
    what = target.endpoint.public_url
    from_lab = "only hosts of the lab reach it: 'switchover lab exec client -- switchover doctor --target FILE'"
    lab_advice = "" if target.lab is None else from_lab
    try:
        status, headers = status_and_headers(target.endpoint, TIMEOUT_S)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
        return MachineCheck(
            what, f"no answer: {reason}", lab_advice or "is the URL right, and can this machine reach it?"
        )
    if status not in target.endpoint.expect:
        found = f"answers with status {status}, which is not among {target.endpoint.expect}"
        return MachineCheck(
            what, found, lab_advice or "is the URL right, and the service well? expect says what is good"
        )
    identity = WhoAnswered(target.identity).identify(headers)
    if identity.answered_by is AnsweredBy.UNKNOWN:
        wanted = f"{target.identity.backend_header} or {target.identity.balancer_header}"
        return MachineCheck(what, f"answers, but without {wanted}: so who answered is not known")
    return MachineCheck(what, f"answered by {identity.backend or '?'} through {identity.balancer or '?'}")


def _node(node: Node, target: Target) -> Iterator[MachineCheck]:
    for kind in BALANCERS:
        source = getattr(node, kind.source)
        if source is not None:
            yield _tried(f"{node.name} {kind.source}", partial(kind.describe, source))
    log = node.access_log
    if log is not None:
        yield _tried(f"{node.name} access_log", lambda: _log(log))
    for source in node.vip_owner:
        if isinstance(source, Fifo):
            yield _fifo(f"{node.name} vip_owner", source)
    if any(not isinstance(source, Fifo) for source in node.vip_owner):
        yield _tried(f"{node.name} vip_owner", lambda: _owner(node, target))
    if node.keepalived is not None:
        yield _tried(f"{node.name} keepalived", lambda: _keepalived(node, target.endpoint.host))
        yield from check_scripts(node, target.endpoint.host)
    if node.clock is not None:
        yield _tried(f"{node.name} clock", lambda: _clock(node))
    processes = node.processes
    if processes is not None:
        yield _tried(f"{node.name} processes", lambda: _processes(fetch(processes)))
    machine_id = node.machine_id
    if machine_id is not None:
        yield _tried(f"{node.name} machine_id", lambda: read_machine_id(machine_id))


def _tried(what: str, look: Callable[[], str]) -> MachineCheck:
    try:
        return MachineCheck(what, look())
    except SwitchoverError as error:
        return MachineCheck(what, str(error), "mend that in the target file, or on the node")


def _log(source: LogFile | Command) -> str:
    if isinstance(source, Command):
        printed = fetch(source, limit_bytes=LOG_LIMIT_BYTES)
        return f"{len(printed):,} bytes" + _other_form(printed[-TAIL_BYTES:])
    path = Path(source.path)
    try:
        is_regular = stat.S_ISREG(path.stat().st_mode)
        if not os.access(path, os.R_OK):
            raise SwitchoverError(f"{path} is not readable")
        if not is_regular:
            return f"{path} is no regular file: nothing is read of it"
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - TAIL_BYTES, 0))
            return f"{size:,} bytes" + _other_form(file.read(TAIL_BYTES))
    except FileNotFoundError:
        return f"{path} is not there yet"
    except OSError as error:
        raise SwitchoverError(f"{path}: {error.strerror}") from error


def _other_form(tail: bytes) -> str:
    """That the last lines of an access log are in another form than the combined one; empty where they are not."""
    lines = tail.split(b"\n")[:-1][-LAST_LINES:]
    if not lines or any(map(parse_log_line, lines)):
        return ""
    return f"; none of its last {len(lines)} lines is in the combined form, so what they say is not known"


def _fifo(what: str, source: Fifo) -> MachineCheck:
    try:
        if stat.S_ISFIFO(Path(source.path).stat().st_mode):
            return MachineCheck(what, f"{source} is there")
        return MachineCheck(what, f"{source.path} is no FIFO", "name Keepalived's vrrp_notify_fifo")
    except OSError as error:
        return MachineCheck(what, f"{source.path}: {error.strerror}", "is Keepalived running with vrrp_notify_fifo?")


def _owner(node: Node, target: Target) -> str:
    holds = holds_address(node, frozenset(find_addresses(target.endpoint.host, TIMEOUT_S)), TIMEOUT_S)
    if holds is None:
        return "cannot be asked before it streams; its first line will tell"
    return f"{'holds' if holds else 'does not hold'} {target.endpoint.host}"


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
        return "not asked"
    found = f"{offset.offset_us / 1000:+.3f} ms ± {offset.bound_us / 1000:.3f} ms"
    return found if offset.bound_us <= CLOCK_BOUND_US else f"{found}: {CONTROL_MASTER}"


def _connected(url: str) -> str:
    """Whether something listens there: a download or an upload would cost the service more than a look should."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), TIMEOUT_S):
            return f"{public_url(url)} takes connections"
    except OSError as error:
        raise TelemetryError(f"{public_url(url)} takes no connection: {error.strerror or error}") from error


def _processes(printed: bytes) -> str:
    reading = parse_processes(printed.decode("utf-8", "replace"))
    names = sorted({process.name for process in reading.processes})
    return ", ".join(names) or "none that is watched"


def _master(master: Master, target: Target) -> MachineCheck:
    if master.name is None:
        advice = "faults with {master} will not fire" if target.faults else ""
        return MachineCheck("master", f"cannot be told: {master.reason}", advice)
    return MachineCheck("master", f"{master.name}, by {master.source} ({master.reason})")


def _fault(recipe: FaultRecipe, target: Target) -> Iterator[MachineCheck]:
    what = f"fault {recipe.name}"
    for command in recipe.commands.values():
        if shutil.which(command[0]) is None:
            yield MachineCheck(what, f"{command[0]!r} is not on this machine", "install it, or name its whole path")
            return
    if recipe.verify_down is None:
        yield MachineCheck(what, "has no verify_down", "without a proof no drill of it counts: it ends in exit 2")
        return
    if target.lab is None and recipe.deadman is None and fault_named(recipe.name).cuts_the_way:
        yield MachineCheck(what, "can cut the way to the node, and has no dead-man", f"add {DEADMAN_RECIPE}")
        return
    if recipe.heal is None:
        yield MachineCheck(what, "has no heal: it must end by itself, or be healed by hand")
    else:
        yield MachineCheck(what, "its commands are there; armed by " + ("the lab" if target.lab else "--arm only"))
    if target.lab is None and recipe.deadman is None and recipe.heal is not None:
        yield MachineCheck(
            what, "works without a dead-man; with one it heals even if this machine dies: " + DEADMAN_RECIPE
        )
    if target.lab is None and recipe.ready is None and len(target.balancers) > 1 and not _all_tell_states(target):
        yield MachineCheck(
            what,
            "no ready command, and no notify FIFO on every balancer: the backup is not proven before a kill",
            'add ready = ["ssh", "{backup}", …], which exits with 0 if the node is fit to take over',
        )


def _all_tell_states(target: Target) -> bool:
    return all(any(isinstance(source, Fifo) for source in node.vip_owner) for node in target.balancers)
