"""The target file of a lab."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import tomli_w

from switchover.faults.catalogue import CATALOGUE, CHANGES
from switchover.faults.mechanism import LabCommands, Mechanism
from switchover.faults.mechanisms.changes import NEXT, NEXT_PORT
from switchover.lab import addresses
from switchover.lab.addresses import Host
from switchover.lab.control import EXEC, exec_argv
from switchover.lab.credentials import TRUSTED
from switchover.lab.spec import STICKY_COOKIE, LabSpec
from switchover.model.held_kind import HeldKind
from switchover.model.vrrp import KeepalivedSettings
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import ChangeRecipe, FaultRecipe

PROCESSES = ("sh", "-c", "cat /proc/loadavg; cat /proc/[0-9]*/stat 2>/dev/null; :")
METRICS = {
    "caddy": f"{addresses.STATUS_PORT}/metrics",
    "traefik": f"{addresses.STATUS_PORT}/metrics",
    "envoy": f"{addresses.STATS_PORT}/stats/prometheus",
}
"""The port and path of the metrics page of each balancer without a statistics page."""
TIMEOUT_CONNECT, TIMEOUT_READ = "250ms", "1s"


def service_address(spec: LabSpec) -> str:
    """Return the address to which the client sends requests: the virtual address. In a lab without balancers, return
    the first backend's address."""
    return addresses.VIP if spec.balancer_service else addresses.backends(1)[0].address


def write_target(spec: LabSpec, directory: LabDirectory) -> None:
    commands = LabCommands(
        python=sys.executable,
        exec_py=str(EXEC),
        directory=str(directory.path),
        balancer=spec.balancer,
        address=addresses.VIP,
        mode=spec.mode,
        connections=spec.connections,
    )
    backends = addresses.backends(spec.backends)
    aliases = {f"{host.address}:{spec.backend_port}": host.name for host in backends}
    if spec.connections:
        aliases[f"{backends[0].address}:{NEXT_PORT}"] = NEXT
    values: dict[str, Any] = {
        "target": {
            "url": f"{spec.scheme}://{service_address(spec)}/",
            **({"ca": str(directory.path / TRUSTED)} if spec.scheme == "https" else {}),
            "dedicated": True,
            "algorithm": spec.algorithm,
            "weights": {host.name: spec.weight(n) for n, host in enumerate(backends)},
            "timeout_connect": TIMEOUT_CONNECT,
            "timeout_read": TIMEOUT_READ,
        },
        "identity": {
            "backend_header": "X-Backend",
            "balancer_header": "X-Balancer",
            "aliases": aliases,
            **({"sticky_cookie": STICKY_COOKIE} if spec.sticky else {}),
        },
        "node": list(_nodes(spec, directory)),
        "fault": {recipe.name: fault_table(recipe) for recipe in _recipes(CATALOGUE, commands)},
        "change": {recipe.name: change_table(recipe) for recipe in _recipes(CHANGES, commands)},
        **({"connections": held_urls(spec)} if spec.connections else {}),
        "lab": {"directory": str(directory.path)},
    }
    directory.target.write_text(tomli_w.dumps(values), encoding="utf-8")


def _nodes(spec: LabSpec, directory: LabDirectory) -> Iterator[dict[str, Any]]:
    for host in addresses.balancers() if spec.balancer_service else ():
        node = _node(host, "balancer", directory)
        if spec.balancer_service == "haproxy":
            node["haproxy"] = f"unix:{directory.runtime_socket(host.name)}"
        elif spec.balancer in METRICS:
            node["metrics"] = f"http://{host.address}:{METRICS[spec.balancer]}"
        else:
            node["nginx"] = f"http://{host.address}:{addresses.STATUS_PORT}/status"
        monitor = exec_argv(directory.socket(host.name), "ip", "-ts", "monitor", "address")
        node["vip_owner"] = [monitor, f"fifo:{directory.notify_fifo(host.name)}"]
        node["keepalived"] = keepalived_table(spec.keepalived.of(host.name))
        yield node
    for host in addresses.backends(spec.backends):
        yield _node(host, "backend", directory) | {"access_log": str(directory.access_log(host.name))}


def _node(host: Host, role: str, directory: LabDirectory) -> dict[str, Any]:
    processes = exec_argv(directory.socket(host.name), *PROCESSES)
    return {"name": host.name, "role": role, "host": host.address, "clock": "shared", "processes": processes}


def held_urls(spec: LabSpec) -> dict[str, str]:
    h2_port = addresses.H2_PORT if spec.balancer == "nginx" and spec.scheme == "http" else spec.port
    names = (HeldKind.DOWNLOAD, HeldKind.UPLOAD, HeldKind.SSE, HeldKind.WEBSOCKET)
    urls: dict[str, str] = {
        HeldKind.POOLED: "/connections/post",
        HeldKind.IDLE: "/connections/post",
        **{kind: f"/connections/{kind}" for kind in names},
        HeldKind.TCP: f"tcp://{addresses.VIP}:{addresses.RAW_PORT}",
        HeldKind.H2: f"{spec.scheme}://{addresses.VIP}:{h2_port}/connections/post?ms=100",
    }
    if spec.balancer == "caddy":
        del urls[HeldKind.TCP]  # Caddy proxies TCP only if it is built with the module layer4
    return urls


def keepalived_table(settings: KeepalivedSettings) -> dict[str, Any]:
    """Return Keepalived's settings; the keys are their names in a target file."""
    values = asdict(settings)
    del values["further_checks"], values["other_weights"]  # only copies of keepalived.conf have these settings
    check = values.pop("check")
    table = {key.removesuffix("_s"): value for key, value in values.items()}
    if check is not None:
        del check["delay_s"]  # only a `track_process` has a delay, and the lab uses scripts
        table["check"] = {key.removesuffix("_s"): value for key, value in check.items()}
    return table


def _recipes(catalogue: Mapping[str, Mechanism], commands: LabCommands) -> list[FaultRecipe]:
    return [fault.recipe(commands) for fault in catalogue.values() if fault.applies(commands) is None]


def change_table(recipe: FaultRecipe) -> dict[str, Any]:
    words = {**ChangeRecipe.words, "ready": "ready"}
    return {words[key]: list(command) for key, command in recipe.commands.items() if key in words}


def fault_table(recipe: FaultRecipe) -> dict[str, Any]:
    table: dict[str, Any] = {key: list(command) for key, command in recipe.commands.items()}
    if recipe.predict_s is not None:
        table["predict"] = dict(zip(("low", "high"), recipe.predict_s, strict=True))
    return table
