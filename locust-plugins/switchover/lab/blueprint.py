"""The configuration files of all hosts, and the JSON descriptions that the agents and the supervisor read."""

import math
import resource
import secrets
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from switchover.lab import addresses
from switchover.lab.addresses import BRIDGE, RELAY_PORT, Host
from switchover.lab.capability import find_programs, needed_programs, privileged
from switchover.lab.configs import (
    BODY,
    CHECK_SCRIPT,
    HEALTH,
    balancer_config,
    check_script,
    max_connections,
    render,
)
from switchover.lab.credentials import CERTIFICATE, CLIENT_CONFIG, make_certificates, make_logins
from switchover.lab.service import ServiceDescription
from switchover.lab.spec import FROM_WHEELS, CheckKind, LabSpec
from switchover.rundir.run_directory import write_json
from switchover.target.lab_directory import LabDirectory

FRAME_RELAY = "frame-relay"
"""The service on the bridge that adds the round-trip time."""
PACKAGE = Path(__file__).parent
WHEEL_FILES = {
    "caddy": ("caddy.conf",),
    "traefik": ("traefik.yml", "dynamic.yml"),
    "envoy": ("envoy.yaml", "listeners.yaml"),
}
"""The configuration files of each balancer. The balancer reads the first file at its start, and watches the second
file for changes."""
CADDY_ADMIN = "127.0.0.1:2019"
ENVOY_DRAIN_S = 600
"""Envoy's default: the longest time until Envoy closes the connections of a replaced listener."""
_NUMBERED = 'WORKER=$$ exec "$@"'
"""A shell command that stores the process id in an environment variable, which balancers can send in a response."""
_OWN_SHARED_MEMORY = "[ -e /dev/shm/lab ] || { mount -t tmpfs lab /dev/shm && touch /dev/shm/lab; }; "
"""A shell command that mounts separate shared memory for a node, because Envoy uses the same name on both nodes."""
QUIET_IPV6 = {"net.ipv6.conf.all.disable_ipv6": "1", "net.ipv6.conf.default.disable_ipv6": "1"}
"""Settings that disable IPv6, because duplicate address detection would delay the links."""
MANY_PORTS = {"net.ipv4.ip_local_port_range": "10240 65535"}
"""The range of client ports. The kernel's default of 28,232 ports allows only 470 new connections per second to one
address."""
NO_LATE_DELIVERY = {"net.ipv4.tcp_orphan_retries": "1"}
"""Without this setting, if a client aborts a request while the link is down, Linux may deliver the request up to a
minute later."""
LOW_PORTS = {"net.ipv4.ip_unprivileged_port_start": "0"}
FOREIGN_ADDRESSES = {"net.ipv4.ip_nonlocal_bind": "1"}
"""The setting that allows both balancers to bind the virtual address, although only the master has this address."""


@dataclass(slots=True)
class HostPlan:
    """The files of a host, and its services in the order of their start."""

    host: Host
    folder: Path
    sysctls: dict[str, str]
    configs: dict[str, str] = field(default_factory=dict)
    services: list[ServiceDescription] = field(default_factory=list)

    def add(self, name: str, argv: Sequence[str], **more: Any) -> None:
        self.services.append(ServiceDescription(name, tuple(argv), str(self.folder / f"{name}.log"), **more))


class Blueprint:
    """All hosts of a lab. Raises LabError if a program is missing."""

    def __init__(self, spec: LabSpec, directory: LabDirectory) -> None:
        self.spec = spec
        self.directory = directory
        self.programs = find_programs(needed_programs(spec))
        self.descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        self._wrapper = () if privileged() else _script("without_setgroups.py")
        self._backends = addresses.backends(spec.backends)
        self._certificate = ""
        if spec.scheme == "https":
            self._certificate = str(make_certificates(self.programs["openssl"], directory.path, spec.backends))
        self.balancers = addresses.balancers() if spec.balancer_service else ()
        self.hosts = [
            self._plan(addresses.client(), **NO_LATE_DELIVERY),
            *(self._balancer(host) for host in self.balancers),
            *(self._backend(host, index) for index, host in enumerate(self._backends)),
        ]
        if spec.ssh:
            client, *reached = self.hosts
            hosts = [plan.host for plan in reached]
            make_logins(self.programs["ssh-keygen"], directory.path, hosts)
            text = render("ssh_config", spec, client.host, directory.path, hosts=hosts)
            (directory.path / CLIENT_CONFIG).write_text(text, encoding="utf-8")
            for plan in reached:
                self._add_sshd(plan)

    def write(self) -> Path:
        """Write every file, and return the path of the supervisor's file."""
        self.directory.host(BRIDGE).mkdir(mode=0o700)
        for plan in self.hosts:
            plan.folder.mkdir(mode=0o700)
            for name, text in plan.configs.items():
                (plan.folder / name).write_text(text, encoding="utf-8")
            if plan.host in self._backends and self.spec.backend_kind != "app":
                (plan.folder / BODY).write_bytes(b"x" * self.spec.body_bytes)
                (plan.folder / HEALTH).write_bytes(b"ok")
            description = {
                "name": plan.host.name,
                "socket": str(self.directory.socket(plan.host.name)),
                "sysctls": plan.sysctls,
                "services": [asdict(service) for service in plan.services],
            }
            write_json(plan.folder / "host.json", description)
        hosts = [
            {
                "name": plan.host.name,
                "address": plan.host.address,
                "description": str(plan.folder / "host.json"),
                "log": str(self.directory.log(plan.host.name, "agent")),
            }
            for plan in self.hosts
        ]
        client = addresses.client()
        bridge = HostPlan(Host(BRIDGE, ""), self.directory.host(BRIDGE), QUIET_IPV6)
        if self.spec.round_trip_ms:
            argv = _script("frame_relay.py", client.bridge_port, RELAY_PORT, str(self.spec.round_trip_ms))
            bridge.add(FRAME_RELAY, argv, ready_text="relaying")
        supervisor = {
            "directory": str(self.directory.path),
            "socket": str(self.directory.socket(BRIDGE)),
            "unshare": self.programs["unshare"],
            "ip": self.programs["ip"],
            "sysctls": bridge.sysctls,
            "hosts": hosts,
            "relayed": client.name if self.spec.round_trip_ms else "",
            "services": [asdict(service) for service in bridge.services],
        }
        path = self.directory.path / "supervisor.json"
        write_json(path, supervisor)
        return path

    def _plan(self, host: Host, **sysctls: str) -> HostPlan:
        return HostPlan(host, self.directory.host(host.name), QUIET_IPV6 | MANY_PORTS | sysctls)

    def _balancer(self, host: Host) -> HostPlan:
        plan = self._plan(host, **FOREIGN_ADDRESSES)
        if self.spec.balancer in FROM_WHEELS:
            self._add_from_wheel(plan)
        else:
            socket = str(self.directory.runtime_socket(host.name))
            values = {"socket": socket, "certificate": self._certificate}
            config = balancer_config(self.spec, host, plan.folder, self.descriptors, **values)
            if self.spec.balancer_service == "haproxy":
                self._add_haproxy(plan, config, socket)
            else:
                self._add_nginx(plan, config, "balancer", (self.spec.port, addresses.STATUS_PORT))
        self._add_keepalived(plan)
        return plan

    def _backend(self, host: Host, index: int) -> HostPlan:
        plan = self._plan(host)
        if self.spec.backend_kind == "app":
            self._add_app(plan, index)
        elif self.spec.backend_kind == "apache":
            self._add_apache(plan)
        else:
            connections = max_connections("nginx", self.descriptors)
            config = self._render("nginx-backend.conf", plan, connections=connections, certificate=self._certificate)
            if self.spec.connections:
                ports = addresses.HELD_PORT, addresses.RAW_PORT
                argv = (sys.executable, "-P", "-m", "switchover.lab.on_host.held_app", *map(str, ports))
                plan.add("held-app", argv, listens=ports)
            self._add_nginx(plan, config, "backend", (self.spec.backend_port,))
        return plan

    def _render(self, template: str, plan: HostPlan, **values: Any) -> str:
        return render(template, self.spec, plan.host, plan.folder, **values)

    def _add_haproxy(self, plan: HostPlan, config: str, socket: str) -> None:
        plan.configs["haproxy.cfg"] = config
        plan.add(
            "haproxy",
            (self.programs["haproxy"], "-db", "-f", str(plan.folder / "haproxy.cfg")),
            alias="balancer",
            runtime_socket=socket,
            hands_listeners_over=self.spec.expose_fd,
            supervised=self.spec.supervised,
        )

    def _add_from_wheel(self, plan: HostPlan) -> None:
        """Add Caddy, Traefik or Envoy. These balancers load a changed configuration automatically, or when a reload
        command is run."""
        name = self.spec.balancer
        files = WHEEL_FILES[name]
        plan.configs |= {file: self._render(file, plan, caddy_admin=CADDY_ADMIN) for file in files}
        program, config = self.programs[name], str(plan.folder / files[0])
        caddy = ("--config", config, "--adapter", "caddyfile")
        drain_s = math.ceil(self.spec.hard_stop_after_s) or ENVOY_DRAIN_S
        # One thread by default, because each thread has a separate round robin.
        envoy = ("--concurrency", f"{self.spec.workers or 1}", "--drain-time-s", f"{drain_s}")
        command = {
            "caddy": (program, "run", *caddy),
            "traefik": (program, f"--configFile={config}"),
            "envoy": (program, "-c", config, *envoy, "-l", "warning", "--component-log-level", "main:info"),
        }[name]
        script = f"{_OWN_SHARED_MEMORY if name == 'envoy' else ''}{_NUMBERED}"
        plan.add(
            name,
            ("sh", "-c", script, "sh", *command),
            alias="balancer",
            listens=(self.spec.port, addresses.STATUS_PORT),
            ready_text="starting main dispatch loop" if name == "envoy" else "",
            # Caddy ignores an unchanged configuration.
            reload_command=(program, "reload", *caddy, "--address", CADDY_ADMIN) if name == "caddy" else (),
            supervised=self.spec.supervised,
        )

    def _add_nginx(self, plan: HostPlan, config: str, alias: str, ports: tuple[int, ...]) -> None:
        plan.configs["nginx.conf"] = config
        options = ("-p", str(plan.folder), "-c", str(plan.folder / "nginx.conf"), "-e", "stderr")
        plan.add(
            "nginx",
            (*self._wrapper, self.programs["nginx"], *options),
            alias=alias,
            listens=ports,
            pid_files=(str(plan.folder / "nginx.pid"),),
            supervised=self.spec.supervised and alias == "balancer",
        )

    def _add_apache(self, plan: HostPlan) -> None:
        """Add Apache as an ordinary user, because Apache started as root would switch to a user who cannot read the
        lab's files."""
        plan.sysctls = plan.sysctls | LOW_PORTS
        modules = ["mpm_event", "authz_core", "alias", *(["headers"] if self.spec.names_backends_itself else [])]
        modules += ["ssl"] if self.spec.backend_port == 443 else []
        certificate = self.directory.path / CERTIFICATE
        plan.configs["apache.conf"] = self._render("apache.conf", plan, modules=modules, certificate=certificate)
        ordinary = (self.programs["unshare"], "--user", "--map-user=1000", "--map-group=1000", "--")
        options = ("-D", "FOREGROUND", "-d", str(plan.folder), "-f", str(plan.folder / "apache.conf"))
        plan.add(
            "apache",
            (*ordinary, self.programs["apache2"], *options),
            alias="backend",
            listens=(self.spec.backend_port,),
            pid_files=(str(plan.folder / "apache.pid"),),
        )

    def _add_app(self, plan: HostPlan, index: int) -> None:
        name, spec = plan.host.name, self.spec
        words = (
            *(80, spec.service_time_ms(index), spec.body_bytes, int(spec.keepalive)),
            *(name if spec.names_backends_itself else "-", self.directory.access_log(name)),
        )
        plan.add("app", _script("on_host/app.py", *map(str, words)), alias="backend", listens=(80,))

    def _add_keepalived(self, plan: HostPlan) -> None:
        name = plan.host.name
        (peer,) = (host for host in addresses.balancers() if host != plan.host)
        plan.configs["keepalived.conf"] = self._render(
            "keepalived.conf",
            plan,
            peer=peer,
            settings=self.spec.keepalived.of(name),
            fifo=self.directory.notify_fifo(name),
        )
        if self.spec.keepalived.check is CheckKind.PROCESS:
            plan.configs[CHECK_SCRIPT] = check_script((self.programs["pidof"], self.spec.balancer_service))
        elif self.spec.keepalived.check is CheckKind.HTTP:
            port = addresses.STATS_PORT if self.spec.balancer_service == "haproxy" else addresses.STATUS_PORT
            plan.configs[CHECK_SCRIPT] = check_script(_script("on_host/check_http.py", str(port)))
        pid_files = tuple(str(plan.folder / f"keepalived-{part}.pid") for part in ("parent", "vrrp", "checkers"))
        parent, vrrp, checkers = pid_files
        options = ("--vrrp", "--dont-fork", "--log-console", "--log-detail")
        files = ("-f", str(plan.folder / "keepalived.conf"), "-p", parent, "-r", vrrp, "-c", checkers)
        plan.add(
            "keepalived",
            (*self._wrapper, self.programs["keepalived"], *options, *files),
            ready_text="Entering BACKUP STATE",
            reloaded_text="Reload complete",
            pid_files=pid_files,
        )

    def _add_sshd(self, plan: HostPlan) -> None:
        plan.configs |= {
            "sshd_config": self._render("sshd_config", plan, lab=self.directory.path),
            "machine-id": f"{secrets.token_hex(16)}\n",
        }
        # Without a separate machine id, all hosts would have this machine's machine id.
        shell = ("/bin/sh", "-c", 'mount --bind "$0" /etc/machine-id && exec "$@"', str(plan.folder / "machine-id"))
        options = ("-D", "-e", "-f", str(plan.folder / "sshd_config"))
        plan.add("sshd", (*shell, self.programs["sshd"], *options), listens=(22,))


def _script(name: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a script of this package, which uses only the standard library."""
    return (sys.executable, "-I", "-S", str(PACKAGE / name), *arguments)
