"""Caddy, Traefik and Envoy on a balancer node: their files, and how they are started and reloaded."""

from collections.abc import Mapping
from math import ceil

from switchover.lab.addresses import STATUS_PORT, Host
from switchover.lab.configs import render
from switchover.lab.service import ServiceDescription
from switchover.lab.spec import LabSpec
from switchover.target.lab_directory import LabDirectory

FILES = {
    "caddy": ("caddy.conf",),
    "traefik": ("traefik.yml", "dynamic.yml"),
    "envoy": ("envoy.yaml", "listeners.yaml"),
}
"""The file that each starts with, and the one that it watches."""
CADDY_ADMIN = "127.0.0.1:2019"
ENVOY_DRAIN_S, ENVOY_PARENT_S = 600, 900
"""Envoy's own defaults: how long connections of a replaced listener may stay, and a process after a hot restart."""
_KNOWING_ITS_NUMBER = 'WORKER=$$ exec "$@"'
"""None of them can name its process in an answer, but each can name a variable of its environment."""
_WITH_MEMORY_OF_ITS_OWN = "[ -e /dev/shm/lab ] || { mount -t tmpfs lab /dev/shm && touch /dev/shm/lab; }; "
"""Envoy's processes share memory by a name that is the same on both nodes, and leave it behind when killed."""


def balancer_files(spec: LabSpec, node: Host, directory: LabDirectory) -> dict[str, str]:
    folder = directory.host(node.name)
    return {name: render(name, spec, node, folder, caddy_admin=CADDY_ADMIN) for name in FILES[spec.balancer]}


def balancer_service(
    spec: LabSpec, programs: Mapping[str, str], directory: LabDirectory, node: Host
) -> ServiceDescription:
    program, config = programs[spec.balancer], str(directory.host(node.name) / FILES[spec.balancer][0])
    caddy = ("--config", config, "--adapter", "caddyfile")
    command = {
        "caddy": (program, "run", *caddy),
        "traefik": (program, f"--configFile={config}"),
        "envoy": (program, "-c", config, *_envoy_options(spec)),
    }[spec.balancer]
    is_envoy = spec.balancer == "envoy"
    return ServiceDescription(
        name=spec.balancer,
        alias="balancer",
        argv=("sh", "-c", f"{_WITH_MEMORY_OF_ITS_OWN if is_envoy else ''}{_KNOWING_ITS_NUMBER}", "sh", *command),
        log=str(directory.log(node.name, spec.balancer)),
        listens=(spec.port, STATUS_PORT),
        says="starting main dispatch loop" if is_envoy else "",
        restart_option="--restart-epoch" if is_envoy else "",
        # Caddy passes over a configuration that is the same as before.
        reload_command=(program, "reload", *caddy, "--address", CADDY_ADMIN) if spec.balancer == "caddy" else (),
        supervised=spec.supervised,
    )


def _envoy_options(spec: LabSpec) -> tuple[str, ...]:
    """One thread unless more are asked for, because each counts its round robin for itself."""
    drain_s = ceil(spec.hard_stop_after_s) or ENVOY_DRAIN_S
    parent_s = drain_s + 1 if spec.hard_stop_after_s else ENVOY_PARENT_S
    times = ("--drain-time-s", f"{drain_s}", "--parent-shutdown-time-s", f"{parent_s}")
    logs = ("-l", "warning", "--component-log-level", "main:info")
    return ("--concurrency", f"{spec.workers or 1}", *times, *logs)
