"""Refuses a fault unless there is evidence that another node or server can replace the victim."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from switchover.faults.mechanism import PreparedFault
from switchover.model.errors import FaultError, SwitchoverError, TelemetryError
from switchover.predict.nodes import read_node
from switchover.process.command import run_command
from switchover.target.model import Node, Target, fill_names
from switchover.telemetry.balancers import BalancerState, kind_of, look_at

VrrpStates = Mapping[str, Mapping[str, str]]
"""The last state that Keepalived reported for each node and VRRP instance: MASTER, BACKUP, FAULT, …"""


def require_survivor(target: Target, prepared: PreparedFault, states: VrrpStates) -> str:
    """Return one line about the node that can replace the victim. Raises FaultError if there is no evidence for such
    a node."""
    name, option = prepared.recipe.name, prepared.last_one_option
    if prepared.allow_last_one:
        return f"{name}: no backup is required, because of {option}"
    if prepared.description.kind == "backend":
        return _require_another_backend(target, prepared)
    master = prepared.description.master
    others = [node for node in target.balancers if node.name != master]
    needed = 1 if master is not None else 2
    if len(others) < needed:
        raise FaultError(
            f"{name} does not fire: the target file has no other balancer, so nothing would take over; "
            f"add {option} to fire the fault anyway"
        )
    fit, unfit = [], []
    for node in others:
        try:
            fit.append(f"{node.name} can take over: {_prove_fitness(target, prepared, node, states)}")
        except SwitchoverError as error:
            unfit.append(f"{node.name}: {error}")
    if len(fit) < needed:
        raise FaultError(f"{name} does not fire: no backup is proven healthy ({'; '.join(unfit)})")
    return "; ".join(fit)


def _prove_fitness(target: Target, prepared: PreparedFault, node: Node, states: VrrpStates) -> str:
    """Return the evidence that a backup can take over: telemetry, VRRP state and the recipe's `ready` command."""
    recipe, master = prepared.recipe, prepared.description.master
    reasons = [*_balancer_reasons(node, target.node(master))]
    has_telemetry = bool(reasons)
    is_backup = _require_backup_state(node, states.get(node.name, {}), target.endpoint.host)
    if is_backup:
        reasons.append("Keepalived is in BACKUP")
    if recipe.ready is not None:
        names = {**prepared.names, "backup": node.name}
        result = run_command(fill_names(recipe.ready, names), variables=recipe.variables)
        if not result.ok:
            raise FaultError(f"{recipe.table} ready: {result}")
        reasons.append("the command `ready` succeeds")
    elif not is_backup or not has_telemetry:
        lacks = "the balancer has no telemetry" if is_backup else "Keepalived has reported no state"
        raise FaultError(f'{lacks}; add ready = ["ssh", "{{backup}}", …] to {recipe.table}')
    return ", ".join(reasons)


def _balancer_reasons(node: Node, master: Node | None) -> Iterator[str]:
    """Return the telemetry that shows that a backup can take over. Raises TelemetryError if the telemetry shows a
    problem."""
    kind = kind_of(node)
    if kind is None:
        return
    state = look_at(node, kind)
    if not kind.reports_servers:
        yield f"{kind.name} answers"
        return
    if state.servers and not state.servers_up:
        raise TelemetryError(f"{kind.name} has no server that is up")
    at_master = _look_at_master(master)
    missing = at_master.servers_up - state.servers_up
    if missing:
        raise TelemetryError(f"{kind.name} does not report {', '.join(sorted(missing))} as up, but the master does")
    closed = at_master.frontends_open & (state.frontends.keys() - state.frontends_open)
    if closed or (state.frontends and not state.frontends_open):
        shut = ", ".join(sorted(closed or state.frontends.keys()))
        which = "which are" if ", " in shut else "which is"
        raise TelemetryError(f"{kind.name} accepts no connections at {shut}, {which} disabled")
    yield f"{kind.name} answers" + (f", {len(state.servers_up)} servers up" if state.servers else "")


def _look_at_master(master: Node | None) -> BalancerState:
    """Return the master's state. If telemetry fails, return an empty state: the baseline has already shown that the
    master works."""
    with suppress(TelemetryError):
        if master is not None and (kind := kind_of(master)) is not None:
            return look_at(master, kind)
    return BalancerState("")


def _require_backup_state(node: Node, states: Mapping[str, str], vip_host: str) -> bool:
    """Return True if Keepalived reported BACKUP for the target's instance. False: the state is unknown. If the
    instance is unknown, all instances must be in BACKUP. Raises TelemetryError for another state."""
    node_settings = read_node(node, vip_host)
    state = states.get(node_settings.settings.instance) if node_settings.settings is not None else None
    if state is None and node_settings.instance is None:
        alike = set(states.values())
        state = alike.pop() if len(states) == 1 or alike == {"BACKUP"} else None
    if state is not None and state not in ("BACKUP", ""):
        raise TelemetryError(f"Keepalived is in {state}, not in BACKUP")
    return state == "BACKUP"


def _require_another_backend(target: Target, prepared: PreparedFault) -> str:
    """Return the evidence that another server is up. Raises FaultError if there is no evidence."""
    recipe, victim, master = prepared.recipe, prepared.description.victim, prepared.description.master
    reasons = []
    for node in target.balancers:
        kind = kind_of(node)
        if kind is None or not kind.reports_servers or (master is not None and node.name != master):
            continue
        try:
            state = look_at(node, kind)
        except TelemetryError as error:
            reasons.append(str(error))
            continue
        if not state.servers:
            continue
        other, lacks = find_another_server(state, victim)
        if other is not None:
            return f"{other} is up at {node.name}"
        reasons.append(f"{node.name} {lacks}")
    if recipe.ready is not None and not reasons:
        result = run_command(fill_names(recipe.ready, prepared.names), variables=recipe.variables)
        if result.ok:
            return "the command `ready` succeeds"
        reasons.append(f"{recipe.table} ready: {result}")
    why = "; ".join(reasons) or "no balancer reports its servers, and the fault has no command `ready`"
    option = prepared.last_one_option
    raise FaultError(
        f"{recipe.name} does not fire: no other backend is proven healthy ({why}); "
        f"add {option} to fire the fault anyway"
    )


def find_another_server(state: BalancerState, victim: str | None) -> tuple[str | None, str]:
    """Return a server that can replace the victim, or None and the unmet condition. Each proxy with the victim must
    have another server that receives requests."""
    served = sorted(name.removesuffix(f"/{victim}") for name in state.servers if name.endswith(f"/{victim}"))
    if not served:
        return None, f"has no server {victim}: give its [[node]] the name that the server has in HAProxy"
    usable = sorted(name for name in state.servers_up if state.weights.get(name) != 0)
    others = [name for name in usable if not name.endswith(f"/{victim}")]
    replaced = {name.rpartition("/")[0] for name in others}
    alone = [proxy for proxy in served if proxy not in replaced and f"{proxy}/{victim}" in state.servers_up]
    replacement = next((name for proxy in served for name in others if name.startswith(f"{proxy}/")), None)
    if replacement is None or alone:
        return None, "has no other server that is up" + (f" in {', '.join(alone)}" if alone else "")
    return replacement, ""
