"""The target file of a pair as text, and copies of the nodes' keepalived.conf."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from switchover.init.pair import Balancer, Server, SurveyedPair
from switchover.init.recipes import Table, on, write_changes
from switchover.predict.haproxy_config import last_line

PROCESSES = "cat /proc/loadavg; cat /proc/[0-9]*/stat 2>/dev/null; true"


@dataclass(frozen=True, slots=True)
class Choices:
    """The settings that the user chooses."""

    url: str
    dedicated: bool
    faults: Mapping[str, Table]
    ssh: tuple[str, ...] = ("ssh",)
    """The ssh program and its options, for the commands in the target file."""


def write_target(pair: SurveyedPair, choices: Choices, path: Path) -> list[Path]:
    """Write the target file and the copies next to it, and return their paths. Existing files are not replaced."""
    written = []
    copies = {
        balancer.node: path.with_name(f"{path.stem}-{balancer.node}-keepalived.conf") for balancer in pair.balancers
    }
    for balancer in pair.balancers:
        if balancer.keepalived_copy:
            _write_new(copies[balancer.node], balancer.keepalived_copy)
            written.append(copies[balancer.node])
    _write_new(path, target_text(pair, choices, copies))
    return [*written, path]


def _write_new(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write(text)


def target_text(pair: SurveyedPair, choices: Choices, copies: Mapping[str, Path]) -> str:
    """Return the text of the target file. In the text, a comment explains each part."""
    lines = [
        "# Made by 'switchover init'. 'switchover doctor --target FILE' tests every part of this file, and fires "
        "no fault.",
        *_table("target", _target(pair, choices)),
    ]
    if aliases := _aliases(pair):
        lines += [
            "# The addresses of the servers. Responses may contain an address instead of a name.",
            *_table("identity.aliases", aliases),
        ]
    for balancer in pair.balancers:
        lines += _table("node", _balancer(balancer, copies), many=True)
    lines.append("# The backends, with their names in the balancer's configuration.")
    for server in pair.servers:
        lines += _table("node", _backend(server), many=True)
    if choices.faults:
        lines.append("# No fault fires without --arm. ssh runs the last argument of each command on the node.")
    for name, table in choices.faults.items():
        lines += _table(f"fault.{name}", table)
    for name, table in write_changes(pair).items():
        lines += ["# A change should lose no request.", *_table(f"change.{name}", table)]
    held = _table("connections", {"pooled": choices.url, "idle": choices.url})
    if choices.dedicated:
        lines += ["# Connections that stay open across a change. Each connection sends small POST requests.", *held]
    else:
        lines.append(
            "# Connections that stay open across a change send POST requests: uncomment the lines and choose URLs."
        )
        lines += [f"# {line}" for line in held if line]
    return "\n".join(lines).replace('["ssh", ', f"[{_value([*choices.ssh])[1:-1]}, ")


def _table(name: str, values: Table, *, many: bool = False) -> list[str]:
    head = f"[[{name}]]" if many else f"[{name}]"
    return [head, *(f"{_key(key)} = {_value(value)}" for key, value in values.items()), ""]


def _key(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else _value(text)


def _value(value: str | float | list[str] | dict[str, float]) -> str:
    """Return the value as TOML text. Strings, numbers, booleans and lists have the same form as in JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _target(pair: SurveyedPair, choices: Choices) -> dict[str, Any]:
    names = {
        line.value() for proxy in pair.balancers[0].proxies if (line := last_line(proxy.lines, "balance")) is not None
    }
    algorithm = {"algorithm": names.pop()} if len(names) == 1 else {}
    return {"url": choices.url, "dedicated": choices.dedicated, **algorithm}


def _aliases(pair: SurveyedPair) -> dict[str, str]:
    return {f"{server.host}:{server.port}": server.name for server in pair.servers if server.name != server.host}


def _balancer(balancer: Balancer, copies: Mapping[str, Path]) -> dict[str, Any]:
    node, survey = balancer.node, balancer.survey
    table = {
        "name": node,
        "role": "balancer",
        "host": balancer.host,
        "machine_id": survey.text("machine_id") and ["ssh", node, "cat", "/etc/machine-id"],
        "haproxy": balancer.haproxy_source and ["ssh", node, balancer.haproxy_source],
        "nginx": balancer.nginx_source and ["ssh", node, balancer.nginx_source],
        "vip_owner": survey.has("ip") and ["ssh", node, "ip", "-ts", "monitor", "address"],
        "keepalived": balancer.keepalived_copy and copies[node].name,
        **_machine(node),
    }
    return {key: value for key, value in table.items() if value}


def _machine(node: str) -> dict[str, Any]:
    return {"clock": ["ssh", node, "date", "+%s.%N"], "processes": on(node, PROCESSES)}


def _backend(server: Server) -> dict[str, Any]:
    table = {"name": server.name, "role": "backend", "host": server.host}
    survey = server.survey
    if survey is None:
        return table
    log = {"access_log": ["ssh", survey.node, f"{survey.sudo}cat {server.access_log}"]} if server.access_log else {}
    return {**table, **log, **_machine(survey.node)}
