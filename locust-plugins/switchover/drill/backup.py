"""Never the last one: before a kill, what is to stand in for the victim must be proven well."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from switchover.drill.prepare import PreparedFault
from switchover.faults.keepalived.nodes import read_node
from switchover.model.errors import FaultError, SwitchoverError, TelemetryError
from switchover.process.command import fill_names, run_command
from switchover.target.model import Node, Target
from switchover.telemetry.haproxy import HaproxyReader, Snapshot, is_server_up
from switchover.telemetry.nginx import read_status

VrrpStates = Mapping[str, Mapping[str, str]]
"""By node and VRRP instance, the last state that Keepalived itself has told: MASTER, BACKUP, FAULT, …"""


@dataclass(frozen=True, slots=True)
class Fitness:
    """Whether a node could take over now."""

    node: str
    is_fit: bool
    reason: str


def require_survivor(target: Target, prepared: PreparedFault, states: VrrpStates) -> str:
    """What stands in for the victim, in one line. Raises FaultError where nothing is proven to do so."""
    name = prepared.recipe.name
    option = prepared.last_one_option
    if prepared.allow_last_one:
        return f"{name}: nothing needs to take over, as {option} says"
    if prepared.description.kind == "backend":
        return _require_another_backend(target, prepared)
    master = prepared.description.master
    others = [node for node in target.balancers if node.name != master]
    needed = 1 if master is not None else 2
    if len(others) < needed:
        raise FaultError(
            f"{name} does not fire: the target file has no other balancer, so nothing would take over; "
            f"add {option} to mean it"
        )
    found = [look_at_backup(target, prepared, node, states) for node in others]
    fit = [fitness for fitness in found if fitness.is_fit]
    if len(fit) < needed:
        reasons = "; ".join(f"{fitness.node}: {fitness.reason}" for fitness in found if not fitness.is_fit)
        raise FaultError(f"{name} does not fire: no backup is proven well ({reasons})")
    return "; ".join(f"{fitness.node} is fit to take over: {fitness.reason}" for fitness in fit)


def look_at_backup(target: Target, prepared: PreparedFault, node: Node, states: VrrpStates) -> Fitness:
    """By its own telemetry and VRRP state, and by the recipe's `ready` command, which may not contradict them."""
    recipe = prepared.recipe
    reasons: list[str] = []
    try:
        master = prepared.description.master
        reasons += _balancer_reasons(node, target.node(master) if master else None)
        is_backup = _require_backup_state(node, states.get(node.name, {}))
    except SwitchoverError as error:
        return Fitness(node.name, False, str(error))
    if is_backup:
        reasons.append("Keepalived is in BACKUP")
    if recipe.ready is not None:
        names = {**prepared.names, "backup": node.name}
        result = run_command(fill_names(recipe.ready, names), variables=recipe.variables)
        if not result.ok:
            return Fitness(node.name, False, f"[fault.{recipe.name}] ready: {result}")
        reasons.append("its `ready` command succeeds")
    elif not is_backup or not reasons[:-1]:
        lacks = "its Keepalived has told no state" if not is_backup else "its balancer has no telemetry"
        advice = f'add ready = ["ssh", "{{backup}}", …] to [fault.{recipe.name}]'
        return Fitness(node.name, False, f"{lacks}; {advice}")
    return Fitness(node.name, True, ", ".join(reasons))


def _balancer_reasons(node: Node, master: Node | None) -> Iterator[str]:
    """What its telemetry says for it. Raises TelemetryError for what it says against it."""
    if node.haproxy is not None:
        snapshot = HaproxyReader(node.haproxy).read(time.time())
        up = servers_up(snapshot)
        if _has_servers(snapshot) and not up:
            raise TelemetryError("its HAProxy has no server that is up")
        missing = _servers_up_at(master) - up
        if missing:
            raise TelemetryError(f"its HAProxy does not see {', '.join(sorted(missing))} up, as the master does")
        yield f"its HAProxy answers, {len(up)} servers up"
    elif node.nginx is not None:
        read_status(node.nginx)
        yield "its Nginx answers"


def _servers_up_at(master: Node | None) -> frozenset[str]:
    """Nothing where its telemetry is silent: the baseline's probes have shown that it serves."""
    if master is None or master.haproxy is None:
        return frozenset()
    try:
        return servers_up(HaproxyReader(master.haproxy).read(time.time()))
    except TelemetryError:
        return frozenset()


def servers_up(snapshot: Snapshot) -> frozenset[str]:
    """`proxy/server` of those that get requests."""
    return frozenset(
        f"{row.proxy}/{row.server}" for row in snapshot.rows if row.type == "server" and is_server_up(row.status)
    )


def _has_servers(snapshot: Snapshot) -> bool:
    return any(row.type == "server" for row in snapshot.rows)


def _require_backup_state(node: Node, states: Mapping[str, str]) -> bool:
    """True: in BACKUP for its instance. False: not known. Raises TelemetryError for another state."""
    settings = read_node(node).settings
    wanted = settings.instance if settings is not None and settings.instance in states else None
    state = states.get(wanted) if wanted else (next(iter(states.values())) if len(states) == 1 else None)
    if state is not None and state not in ("BACKUP", ""):
        raise TelemetryError(f"its Keepalived is in {state}, not in BACKUP")
    return state == "BACKUP"


def _require_another_backend(target: Target, prepared: PreparedFault) -> str:
    """Another server is up by the balancer's own word, or the recipe's `ready` command says so."""
    recipe, victim, master = prepared.recipe, prepared.description.victim, prepared.description.master
    reasons = []
    for node in target.balancers:
        if node.haproxy is None or (master is not None and node.name != master):
            continue
        try:
            up = servers_up(HaproxyReader(node.haproxy).read(time.time()))
        except TelemetryError as error:
            reasons.append(str(error))
            continue
        others = sorted(name for name in up if name.rpartition("/")[2] != victim)
        if others:
            return f"{others[0]} is up at {node.name}"
        reasons.append(f"{node.name} has no other server that is up")
    if recipe.ready is not None and not reasons:
        result = run_command(fill_names(recipe.ready, prepared.names), variables=recipe.variables)
        if result.ok:
            return "its `ready` command succeeds"
        reasons.append(f"[fault.{recipe.name}] ready: {result}")
    why = "; ".join(reasons) or "no balancer's HAProxy can be asked, and the recipe has no `ready`"
    option = prepared.last_one_option
    raise FaultError(f"{recipe.name} does not fire: no other backend is proven well ({why}); {option} fires anyway")
