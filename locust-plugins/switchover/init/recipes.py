"""The faults and changes of a surveyed pair, as tables of a target file."""

import math
import re
import shlex
from collections.abc import Mapping
from typing import Any

from switchover.init.pair import SurveyedPair
from switchover.model.errors import TargetError
from switchover.predict.prediction import START_S
from switchover.predict.supervisor import restart_delay

Table = dict[str, Any]

DEADMAN_S = 120
"""The seconds after which the dead-man on the node heals a fault. By default, a drill heals the fault after 30 s."""
LINK_DEADMAN_S = 21
"""The dead-man of node-down waits this number of seconds plus the master down interval before it heals the link."""
FRESH_S = 4
"""If the newest process of a balancer is younger than this number of seconds, the last fault or change started it."""
_SAVED = "/run/switchover-node-down"
_SAVE = """set -e; v6=/proc/sys/net/ipv6/conf/LINK/keep_addr_on_down; keep=
[ -z "$(ip -6 addr show dev LINK scope global)" ] || { keep=$(cat $v6); echo $keep > $v6; }
{ echo ip link set LINK up
{ ip -o route; ip -o -6 route; } | grep -vE "proto (kernel|ra|keepalived|18)( |$)" | tr -d "\\134" |
sed "s/^/ip route replace /"
[ -z "$keep" ] || echo "echo $keep > $v6"; } > SAVED"""
_CUT = "echo 1 > /proc/sys/net/ipv6/conf/LINK/keep_addr_on_down; ip link set LINK down"
"""`_SAVE` writes the script that heals the link, and fails if IPv6 addresses cannot be kept. A link that goes down
loses its static routes, and also its IPv6 addresses unless `keep_addr_on_down` is 1.

The scripts contain only double quotes without escapes, because the login shell of the node may be fish.
"""
_MASTER, _BACKUP = "{master}", "{backup}"
_PLAIN = re.compile(r"[\w ./+%:=-]+")


def on(node: str, script: str) -> list[str]:
    """Return the command that runs a script on a node with sh, even if the login shell is a different shell."""
    return ["ssh", node, script if _PLAIN.fullmatch(script) else f"sh -c {shlex.quote(script)}"]


def write_faults(pair: SurveyedPair) -> tuple[dict[str, Table], list[str]]:
    """Return the faults that can be healed on this pair, and the reasons why other faults are not available."""
    first, second = pair.balancers
    missing = []
    for balancer in pair.balancers:
        if not balancer.survey.has_sudo:
            missing.append(f"{balancer.node}: no fault without 'sudo -n': add a line with NOPASSWD to /etc/sudoers.d")
        elif not balancer.program:
            missing.append(
                f"{balancer.node}: the target file gets no fault of the balancer, because no balancer runs"
            )
    if missing:
        return {}, missing
    if first.program != second.program:
        return {}, [
            f"{first.node} runs {first.program}, {second.node} runs {second.program}: write their faults by hand"
        ]
    sudo = _sudo(pair)
    if not all(balancer.unit and balancer.survey.unit("keepalived") for balancer in pair.balancers):
        missing.append(
            f"the target file gets only haproxy-hang and keepalived-hang: {first.program} or keepalived is not a "
            "systemd unit, so 'switchover init' knows no command that starts the program again"
        )
        return _signals(first.program, sudo), missing
    faults = _systemd_faults(pair, sudo)
    links = {node.instance.interface if node.instance and node.host else "" for node in pair.balancers}
    tools = all(node.survey.has(tool) for node in pair.balancers for tool in ("ip", "ping", "systemd-run"))
    if len(links) == 1 and all(links) and tools:
        faults["node-down"] = {**_node_down(pair, sudo, links.pop()), "ready": _ready(first.program)}
    else:
        missing.append(
            "the target file gets no fault node-down, because this fault needs an address of each node, the same "
            "interface name on both nodes, and ip, ping and systemd-run on both nodes. docs/faults.md has a recipe"
        )
    return faults, missing


def _node_down(pair: SurveyedPair, sudo: str, link: str) -> Table:
    """Return the fault node-down: a timer on the node heals the link, and a ping from the backup proves the fault."""
    first, second = pair.balancers
    save = _SAVE.replace("LINK", link).replace("SAVED", _SAVED)
    address = f"if [ {_MASTER} = {first.node} ]; then set {first.host}; else set {second.host}; fi"
    ping = f"{sudo}ping -c 1 -W 1 $1"
    settings = [balancer.instance.settings for balancer in pair.balancers if balancer.instance]
    after_s = LINK_DEADMAN_S + math.ceil(max(one.master_down_interval_s for one in settings))
    return {
        "kill": on(_MASTER, f'{sudo}systemd-run --quiet --collect --no-block sh -c "{_CUT.replace("LINK", link)}"'),
        "verify_down": on(_BACKUP, f"{address}; ! {ping}"),
        "heal": on(_MASTER, f"{sudo}sh {_SAVED}"),
        "verify_healed": on(_BACKUP, f"{address}; {ping}"),
        **_deadman("node-down", f"sh {_SAVED}", sudo, pair, after_s, f"{sudo}sh -c {shlex.quote(save)} && "),
    }


def _systemd_faults(pair: SurveyedPair, sudo: str) -> dict[str, Table]:
    """Return the faults of systemd units. The names start with haproxy, even if the balancer is Nginx."""
    unit = pair.balancers[0].program
    kill = f"systemctl kill -s KILL {unit}"
    unmask = f"systemctl unmask --runtime {unit}; systemctl reset-failed {unit}; systemctl start {unit}"
    faults: dict[str, Table] = {}
    for name, program, kill_script, heal in (
        ("keepalived-stop", "keepalived", "systemctl stop keepalived", "systemctl start keepalived"),
        ("haproxy-stop", unit, f"systemctl stop {unit}", f"systemctl start {unit}"),
        ("haproxy-kill", unit, f"systemctl mask --runtime {unit} && {kill}", unmask),
    ):
        faults[name] = {
            "kill": on(_MASTER, kill_script.replace("systemctl", f"{sudo}systemctl")),
            "verify_down": on(_MASTER, f"! systemctl is-active --quiet {program}"),
            "heal": on(_MASTER, heal.replace("systemctl", f"{sudo}systemctl")),
            "verify_healed": on(_MASTER, f"systemctl is-active --quiet {program}"),
            **_deadman(name, heal, sudo, pair),
        }
    faults["haproxy-hang"] = {
        **_signals(unit, sudo)["haproxy-hang"],
        **_deadman("haproxy-hang", f"systemctl kill -s CONT {unit}", sudo, pair),
    }
    if all(balancer.restarts for balancer in pair.balancers):
        faults["haproxy-crash"] = {
            "kill": on(_MASTER, f"{sudo}{kill}"),
            "verify_down": on(_MASTER, _is_fresh(unit)),
            **_restart_window(pair),
        }
    return {name: {**table, "ready": _ready(unit)} for name, table in faults.items()}


def _sudo(pair: SurveyedPair) -> str:
    return max((balancer.survey.sudo for balancer in pair.balancers), key=len)


def _ready(unit: str) -> list[str]:
    """Return a command that checks on the backup that the units of the balancer and of Keepalived are active. If a
    unit is inactive, the command prints the name of the unit."""
    is_active = 'systemctl is-active --quiet $unit || { echo "$unit is not active" >&2; exit 1; }'
    return on(_BACKUP, f"for unit in keepalived {unit}; do {is_active}; done")


def _restart_window(pair: SurveyedPair) -> Table:
    """Return the predicted outage after the balancer's crash if systemd restarts the balancer before Keepalived's
    check fails."""
    try:
        delays_s = [restart_delay(balancer.unit, balancer.node) or 0.0 for balancer in pair.balancers]
    except TargetError:
        return {}
    trackers = [tracker for balancer in pair.balancers if balancer.instance for tracker in balancer.instance.trackers]
    noticed_s = min(((tracker.check.fall - 1) * tracker.check.interval_s for tracker in trackers), default=math.inf)
    window = {"low": min(delays_s), "high": max(delays_s) + START_S}
    return {"predict": window} if max(delays_s) < noticed_s else {}


def _is_fresh(program: str) -> str:
    """Return a command that succeeds if the newest process of the program is younger than `FRESH_S`."""
    return f'age=$(ps -C {program} -o etimes= | sort -n | head -n 1); test -n "$age" && test "$age" -lt {FRESH_S}'


def _signals(program: str, sudo: str) -> dict[str, Table]:
    """Return the faults that use SIGSTOP and SIGCONT. These faults need no systemd unit."""
    faults = {}
    for name, of in (("haproxy-hang", program), ("keepalived-hang", "keepalived")):
        pids = f"$(ps -C {of} -o pid=)"
        stopped = f"ps -C {of} -o stat= | grep -q ^T"
        faults[name] = {
            "kill": on(_MASTER, f"{sudo}kill -STOP {pids}"),
            "verify_down": on(_MASTER, stopped),
            "heal": on(_MASTER, f"{sudo}kill -CONT {pids}"),
            "verify_healed": on(_MASTER, f"! {stopped}"),
            "ready": on(_BACKUP, f"ps -C keepalived -o pid= && ps -C {program} -o pid="),
        }
    return faults


def _deadman(
    name: str, heal: str, sudo: str, pair: SurveyedPair, after_s: int = DEADMAN_S, prepare: str = ""
) -> Mapping[str, Any]:
    """Return the commands that arm and disarm the dead-man. Empty if a node of the pair has no systemd-run."""
    if not all(balancer.survey.has("systemd-run") for balancer in pair.balancers):
        return {}
    unit = f"switchover-{name}"
    timer = f"--unit={unit} --on-active={after_s} --timer-property=AccuracySec=1s"
    arm = f'{sudo}systemd-run --quiet --collect {timer} sh -c "{heal}"'
    stop = f"{sudo}systemctl stop {unit}.timer"
    disarm = f"{stop} 2>/dev/null; ! systemctl is-active --quiet {unit}.timer"  # succeeds after the heal, too
    return {"deadman": on(_MASTER, f"{stop} 2>/dev/null; {prepare}{arm}"), "disarm": on(_MASTER, disarm)}


def write_changes(pair: SurveyedPair) -> dict[str, Table]:
    """Return the change `reload` if systemd can reload the balancer."""
    program = pair.balancers[0].program
    if not program or not all(
        balancer.survey.has_sudo and balancer.unit.get("CanReload") == "yes" for balancer in pair.balancers
    ):
        return {}
    sudo = _sudo(pair)
    return {
        f"{program}-reload": {
            "do": on(_MASTER, f"{sudo}systemctl reload {program}"),
            "verify": on(_MASTER, _is_fresh(program)),
            "ready": _ready(program),
        }
    }
