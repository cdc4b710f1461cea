"""Caddy, Traefik and Envoy on a balancer node: their files, and how they are started and reloaded."""

from collections.abc import Mapping
from pathlib import Path

from switchover.lab.addresses import STATUS_PORT, Host
from switchover.lab.config_caddy import caddy_command, caddy_files, caddy_reload
from switchover.lab.config_envoy import SAYS, envoy_command, envoy_files
from switchover.lab.config_traefik import traefik_command, traefik_files
from switchover.lab.service_description import ServiceDescription
from switchover.lab.spec import LabSpec
from switchover.target.lab_directory import LabDirectory

_FILES = {"caddy": caddy_files, "traefik": traefik_files, "envoy": envoy_files}
_COMMANDS = {"caddy": caddy_command, "traefik": traefik_command, "envoy": envoy_command}
_KNOWING_ITS_NUMBER = 'WORKER=$$ exec "$@"'
"""None of them can name its process in an answer, but each can name a variable of its environment."""
_WITH_MEMORY_OF_ITS_OWN = "[ -e /dev/shm/lab ] || { mount -t tmpfs lab /dev/shm && touch /dev/shm/lab; }; "
"""Envoy's processes share memory by a name that is the same on both nodes, and leave it behind when killed."""


def balancer_files(spec: LabSpec, node: Host, backends: tuple[Host, ...], directory: Path) -> dict[str, str]:
    return _FILES[spec.balancer](spec, node, backends, directory)


def balancer_service(
    spec: LabSpec, programs: Mapping[str, str], directory: LabDirectory, node: Host
) -> ServiceDescription:
    program, folder = programs[spec.balancer], directory.host(node.name)
    is_envoy = spec.balancer == "envoy"
    script = f"{_WITH_MEMORY_OF_ITS_OWN if is_envoy else ''}{_KNOWING_ITS_NUMBER}"
    return ServiceDescription(
        name=spec.balancer,
        alias="balancer",
        argv=("sh", "-c", script, "sh", *_COMMANDS[spec.balancer](program, spec, folder)),
        log=str(directory.log(node.name, spec.balancer)),
        listens=(spec.port, STATUS_PORT),
        says=SAYS if is_envoy else "",
        restart_option="--restart-epoch" if is_envoy else "",
        reload_command=caddy_reload(program, folder) if spec.balancer == "caddy" else (),
        supervised=spec.supervised,
    )
