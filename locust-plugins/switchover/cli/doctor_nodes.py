"""The checks of `doctor` that a drill makes before it fires, and those of the nodes' own state. They fire nothing."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from switchover.drill.options import DrillSettings
from switchover.drill.preflight import ask_as_clock, find_problems, find_restart
from switchover.faults.guard import Guard
from switchover.lab.capability import MachineCheck
from switchover.model.clock import Clock
from switchover.model.errors import FaultError, SwitchoverError
from switchover.predict.nodes import read_node
from switchover.process.command import run_command
from switchover.target.model import FaultRecipe, Node, Target, fill_names
from switchover.telemetry.versions import find_aliases, read_haproxy

SIMPLE_COMMAND = re.compile(r"[\w ./:@%+=,-]+", re.ASCII)
"""One command with its words, which any shell reads alike."""
NOT_ALLOWED = re.compile("permi|denied|password|sudo", re.IGNORECASE)
_IS_ACTIVE = re.compile(r"\bsystemctl\b(?: -\S+)* is-active\b((?: [\w@.-]+)*)")


def check_nodes(target: Target) -> Iterator[MachineCheck]:
    """The preflight checks of a drill, and the names of HAProxy's servers."""
    if target.lab is not None:
        return
    try:
        for problem in find_problems(target, tuple(target.faults.values()), DrillSettings()):
            yield MachineCheck("nodes", problem, "no fault fires before that is mended")
    except FaultError as error:
        yield MachineCheck("nodes", str(error), "mend that in the target file, or on the node")
    yield from _servers(target)


def _servers(target: Target) -> Iterator[MachineCheck]:
    """Servers that are no node by name or address: their access logs are then compared with nothing."""
    rows = [row for node in target.balancers for row in getattr(read_haproxy(node), "rows", ())]
    known = {node.name for node in target.nodes} | find_aliases(target, rows).keys()
    known |= set(target.identity.aliases.values())
    strange = sorted({row.server for row in rows if row.type == "server" and row.server not in known})
    logged = [node.name for node in target.backends if node.access_log is not None]
    if strange and logged:
        yield MachineCheck(
            "server names",
            f"HAProxy's servers {', '.join(strange)} are no [[node]]; the file has {', '.join(logged)}",
            'name each [[node]] as its server, or give it host = "ADDRESS" and the socket `level operator`',
        )


def try_commands(recipe: FaultRecipe, target: Target, master: str | None) -> Iterator[MachineCheck]:
    """Run `ready`, `verify_down` and `verify_healed`, which change nothing, as a drill does before it fires."""
    what = recipe.table.strip("[]").replace(".", " ", 1)
    for key in ("ready", "verify_healed"):
        trap = find_trap(recipe.commands.get(key, ()))
        if trap:
            yield MachineCheck(f"{what} {key}", trap, "ask for each unit by a command of its own, joined by &&")
    backup = target.backup_of(master)
    names = {"master": master or "", "backup": backup.name if backup else ""}
    if any(recipe.mentions(f"{{{name}}}") and not value for name, value in names.items()):
        yield MachineCheck(f"{what} commands", "not tried: the master and its backup are not known")
        return
    if restart := find_restart(recipe, target.node(master) if master else None, target.endpoint.host):
        yield MachineCheck(f"{what} kill", restart)
    if recipe.ready is not None:
        others = [node.name for node in target.balancers if node.name != master]
        for name in others if any("{backup}" in word for word in recipe.ready) else [""]:
            result = run_command(fill_names(recipe.ready, {**names, "backup": name}), variables=recipe.variables)
            found = f"{name or 'it'} is fit to take over" if result.ok else f"{name}: {result}".removeprefix(": ")
            yield MachineCheck(f"{what} ready", found, "" if result.ok else "no fault fires before it succeeds")
    if recipe.verify_down is None:
        return
    guard = Guard(recipe, clock=Clock.of_process(), journal=_NoJournal(), armed=False, names=names, directory=Path())
    try:
        guard.require_state_before()
        yield MachineCheck(f"{what} commands", f"nothing is broken now, by {recipe.word('verify_down')} and its like")
    except FaultError as error:
        yield MachineCheck(f"{what} commands", str(error), "mend that in the target file, or on the node")


class _NoJournal:
    def event(self, kind: str, text: str, *, time_ns: int, node: str = "", id: str = "") -> None:  # noqa: A002
        """Nothing is fired, so nothing happens that would be written down."""


def find_trap(command: tuple[str, ...]) -> str:
    """`systemctl is-active` with several units succeeds if one of them is active; empty: that is not asked."""
    for found in _IS_ACTIVE.finditer(" ".join(command)):
        units = [word for word in found[1].split() if not word.startswith("-")]
        if len(units) > 1:
            return f"`systemctl is-active {' '.join(units)}` succeeds if only one of them is active"
    return ""


def check_scripts(node: Node, vip_host: str) -> Iterator[MachineCheck]:
    """Run each check script of the copy of keepalived.conf on its node, as Keepalived does all the time."""
    try:
        instance = read_node(node, vip_host).instance
    except SwitchoverError:
        return
    for tracker in instance.trackers if instance is not None else ():
        line = tracker.command.partition("\n")[0].strip()
        ask = ask_as_clock(node.clock, line.split()) if SIMPLE_COMMAND.fullmatch(line) else None
        if tracker.kind != "track_script" or ask is None:
            continue
        what, tries = f"{node.name} {tracker.name}", (ask, ask_as_clock(node.clock, ["sudo", "-n", *line.split()]))
        results = [run_command(one.arguments, variables=one.variables) for one in tries if one is not None]
        failed = results[0]
        if any(result.ok for result in results):
            yield MachineCheck(what, f"`{line}` succeeds")
        elif not failed.has_answered or any(NOT_ALLOWED.search(result.last_line) for result in results):
            yield MachineCheck(what, f"`{line}` cannot be run as this user, so its state is not known: {failed}")
        else:
            yield MachineCheck(what, f"`{line}` fails: {failed}", "to Keepalived this node is unhealthy")


def check_realtime() -> MachineCheck:
    """Whether the prober may have real-time scheduling; it is given back at once."""
    what, before = "real-time scheduling", os.sched_getscheduler(0)
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(os.sched_get_priority_min(os.SCHED_RR)))
        os.sched_setscheduler(0, before, os.sched_param(0))
    except OSError:
        advice = "to allow it: '* - rtprio 1' in /etc/security/limits.d/switchover.conf, and log in again"
        return MachineCheck(what, f"not allowed, so probes may be late on a busy machine; {advice}")
    return MachineCheck(what, "allowed")
