"""From a spec to files: the configs of every host, and the descriptions that agents and supervisor read."""

import json
import resource
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from switchover.lab import addresses
from switchover.lab.addresses import BRIDGE, Host
from switchover.lab.capability import privileged
from switchover.lab.certificate import make_certificates
from switchover.lab.config_apache import HEALTH, apache_config
from switchover.lab.config_haproxy import haproxy_config
from switchover.lab.config_keepalived import check_script, keepalived_config
from switchover.lab.config_nginx import BODY, nginx_backend_config, nginx_balancer_config
from switchover.lab.from_wheels import balancer_files, balancer_service
from switchover.lab.network import RELAY_PORT
from switchover.lab.programs import find_programs, needed_programs
from switchover.lab.service_description import ServiceDescription
from switchover.lab.spec import FROM_WHEELS, CheckKind, LabSpec
from switchover.lab.ssh import MACHINE_ID, machine_id, make_logins, sshd_config, with_machine_id
from switchover.target.lab_directory import LabDirectory

CHECK_SCRIPT = "check.sh"
FRAME_RELAY = "frame-relay"
"""The service of the bridge that makes the round trip."""
PACKAGE = Path(__file__).parent
QUIET_IPV6 = {"net.ipv6.conf.all.disable_ipv6": "1", "net.ipv6.conf.default.disable_ipv6": "1"}
"""Nothing in the lab speaks IPv6; its address detection would only delay the links."""
MANY_PORTS = {"net.ipv4.ip_local_port_range": "10240 65535"}
"""The default of 28,232 ports would end at about 470 new connections a second to one address."""
NO_LATE_DELIVERY = {"net.ipv4.tcp_orphan_retries": "1"}
"""Linux goes on sending what a closed socket still holds, eight times, for up to a minute. A request that was given
up while the link was down would arrive during the next drill, whose client has never heard of it (seen, on packet
captures of two drills in a row)."""
LOW_PORTS = {"net.ipv4.ip_unprivileged_port_start": "0"}
FOREIGN_ADDRESSES = {"net.ipv4.ip_nonlocal_bind": "1"}
"""Both balancers bind the virtual address, which one of them does not hold."""


@dataclass(slots=True)
class HostPlan:
    """One host: what is written into its directory and what runs there, in the order of start."""

    host: Host
    sysctls: dict[str, str]
    configs: dict[str, str] = field(default_factory=dict)
    services: list[ServiceDescription] = field(default_factory=list)


class Blueprint:
    """All hosts of a lab. Raises LabError when a program is missing."""

    def __init__(self, spec: LabSpec, directory: LabDirectory) -> None:
        self.spec = spec
        self.directory = directory
        self.programs = find_programs(needed_programs(spec))
        self.descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        script = str(PACKAGE / "without_setgroups.py")
        self._wrapper = () if privileged() else (sys.executable, "-I", "-S", script)
        self._backends = addresses.backends(spec.backends)
        self._certificate = ""
        if spec.scheme == "https":
            self._certificate = str(make_certificates(self.programs["openssl"], directory.path, spec.backends))
        self.balancers = addresses.balancers() if spec.balancer_service else ()
        self.hosts = [
            HostPlan(addresses.client(), QUIET_IPV6 | MANY_PORTS | NO_LATE_DELIVERY),
            *(self._balancer(host) for host in self.balancers),
            *(self._backend(host, index) for index, host in enumerate(self._backends)),
        ]

        if spec.ssh:
            reached = [plan for plan in self.hosts if plan.host.name != addresses.CLIENT]
            make_logins(self.programs["ssh-keygen"], directory.path, [plan.host for plan in reached])
            for plan in reached:
                plan.services.append(self._prepare_sshd(plan))

    def write(self) -> Path:
        """Write every file; returns the path of the file that the supervisor reads."""
        self.directory.host(addresses.BRIDGE).mkdir(mode=0o700)
        for plan in self.hosts:
            self._write_host(plan)
        path = self.directory.path / "supervisor.json"
        _write_json(path, self._supervisor())
        return path

    def _write_host(self, plan: HostPlan) -> None:
        folder = self.directory.host(plan.host.name)
        folder.mkdir(mode=0o700)
        for name, text in plan.configs.items():
            (folder / name).write_text(text, encoding="utf-8")
        if plan.host in self._backends and self.spec.backend_kind != "app":
            (folder / BODY).write_bytes(b"x" * self.spec.body_bytes)
            (folder / HEALTH).write_bytes(b"ok")
        description = {
            "name": plan.host.name,
            "socket": str(self.directory.socket(plan.host.name)),
            "sysctls": plan.sysctls,
            "services": [asdict(service) for service in plan.services],
        }
        _write_json(folder / "host.json", description)

    def _supervisor(self) -> dict[str, Any]:
        hosts = [
            {
                "name": plan.host.name,
                "address": plan.host.address,
                "description": str(self.directory.host(plan.host.name) / "host.json"),
                "log": str(self.directory.log(plan.host.name, "agent")),
            }
            for plan in self.hosts
        ]
        return {
            "directory": str(self.directory.path),
            "socket": str(self.directory.socket(BRIDGE)),
            "unshare": self.programs["unshare"],
            "ip": self.programs["ip"],
            "sysctls": QUIET_IPV6,
            "hosts": hosts,
            "relayed": addresses.CLIENT if self.spec.round_trip_ms else "",
            "services": [asdict(service) for service in self._bridge_services()],
        }

    def _bridge_services(self) -> list[ServiceDescription]:
        if not self.spec.round_trip_ms:
            return []
        ends = addresses.client().bridge_port, RELAY_PORT, str(self.spec.round_trip_ms)
        return [
            ServiceDescription(
                name=FRAME_RELAY,
                argv=(sys.executable, "-I", "-S", str(PACKAGE / "frame_relay.py"), *ends),
                log=str(self.directory.log(addresses.BRIDGE, FRAME_RELAY)),
                says="relaying",
            )
        ]

    def _balancer(self, host: Host) -> HostPlan:
        plan = HostPlan(host, QUIET_IPV6 | MANY_PORTS | FOREIGN_ADDRESSES)
        if self.spec.balancer_service == "haproxy":
            plan.services.append(self._prepare_haproxy(plan))
        elif self.spec.balancer in FROM_WHEELS:
            plan.configs |= balancer_files(self.spec, host, self._backends, self.directory.host(host.name))
            plan.services.append(balancer_service(self.spec, self.programs, self.directory, host))
        else:
            config = nginx_balancer_config(
                self.spec,
                host,
                self._backends,
                directory=self.directory.host(host.name),
                descriptors=self.descriptors,
                certificate=self._certificate,
            )
            ports = (self.spec.port, addresses.STATUS_PORT)
            plan.services.append(self._prepare_nginx(plan, config, "balancer", ports))
        plan.services.append(self._prepare_keepalived(plan))
        return plan

    def _backend(self, host: Host, index: int) -> HostPlan:
        plan = HostPlan(host, QUIET_IPV6 | MANY_PORTS)
        if self.spec.backend_kind == "app":
            plan.services.append(self._app(plan, index))
        elif self.spec.backend_kind == "apache":
            plan.services.append(self._prepare_apache(plan))
        else:
            folder = self.directory.host(host.name)
            config = nginx_backend_config(
                self.spec, host, directory=folder, descriptors=self.descriptors, certificate=self._certificate
            )
            if self.spec.patient:
                plan.services.append(self._patient_app(plan))
            plan.services.append(self._prepare_nginx(plan, config, "backend", (self.spec.backend_port,)))
        return plan

    def _prepare_haproxy(self, plan: HostPlan) -> ServiceDescription:
        """Its configuration goes into the plan; so do those of the others that are prepared."""
        name = plan.host.name
        socket = str(self.directory.runtime_socket(name))
        plan.configs["haproxy.cfg"] = haproxy_config(
            self.spec,
            plan.host,
            self._backends,
            socket=socket,
            descriptors=self.descriptors,
            certificate=self._certificate,
        )
        return ServiceDescription(
            name="haproxy",
            alias="balancer",
            argv=(self.programs["haproxy"], "-db", "-f", str(self.directory.host(name) / "haproxy.cfg")),
            log=str(self.directory.log(name, "haproxy")),
            runtime_socket=socket,
            hands_listeners_over=self.spec.expose_fd,
            supervised=self.spec.supervised,
        )

    def _prepare_nginx(self, plan: HostPlan, config: str, alias: str, ports: tuple[int, ...]) -> ServiceDescription:
        folder = self.directory.host(plan.host.name)
        plan.configs["nginx.conf"] = config
        options = ("-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr")
        return ServiceDescription(
            name="nginx",
            alias=alias,
            argv=(*self._wrapper, self.programs["nginx"], *options),
            log=str(self.directory.log(plan.host.name, "nginx")),
            listens=ports,
            pid_files=(str(folder / "nginx.pid"),),
            supervised=self.spec.supervised and alias == "balancer",
            daemonizes=self.spec.patient and alias == "balancer",
        )

    def _prepare_apache(self, plan: HostPlan) -> ServiceDescription:
        """As an ordinary user of a user namespace: as root it would become one that cannot read the lab's files."""
        folder = self.directory.host(plan.host.name)
        plan.sysctls = plan.sysctls | LOW_PORTS
        plan.configs["apache.conf"] = apache_config(
            self.spec, plan.host, directory=folder, certificate=self.directory.path
        )
        ordinary = (self.programs["unshare"], "--user", "--map-user=1000", "--map-group=1000", "--")
        options = ("-D", "FOREGROUND", "-d", str(folder), "-f", str(folder / "apache.conf"))
        return ServiceDescription(
            name="apache",
            alias="backend",
            argv=(*ordinary, self.programs["apache2"], *options),
            log=str(self.directory.log(plan.host.name, "apache")),
            listens=(self.spec.backend_port,),
            pid_files=(str(folder / "apache.pid"),),
        )

    def _app(self, plan: HostPlan, index: int) -> ServiceDescription:
        name = plan.host.name
        answer = (self.spec.body_bytes, int(self.spec.keepalive), name if self.spec.names_backends_itself else "-")
        numbers = (80, self.spec.work_factor(index), self.spec.service_time_ms(index), *answer)
        script = str(PACKAGE / "app.py")
        return ServiceDescription(
            name="app",
            alias="backend",
            argv=(sys.executable, "-I", "-S", script, *map(str, numbers), str(self.directory.access_log(name))),
            log=str(self.directory.log(name, "app")),
            listens=(80,),
        )

    def _patient_app(self, plan: HostPlan) -> ServiceDescription:
        ports = addresses.PATIENT_PORT, addresses.RAW_PORT
        return ServiceDescription(
            name="patient-app",
            argv=(sys.executable, "-P", "-m", "switchover.lab.patient_app", *map(str, ports)),
            log=str(self.directory.log(plan.host.name, "patient-app")),
            listens=ports,
        )

    def _prepare_keepalived(self, plan: HostPlan) -> ServiceDescription:
        name = plan.host.name
        folder = self.directory.host(name)
        (peer,) = (host for host in addresses.balancers() if host != plan.host)
        plan.configs["keepalived.conf"] = keepalived_config(
            self.spec,
            plan.host,
            peer,
            fifo=str(self.directory.notify_fifo(name)),
            check_script=str(folder / CHECK_SCRIPT),
            directory=str(folder),
        )
        if self.spec.keepalived.check is not CheckKind.NONE:
            plan.configs[CHECK_SCRIPT] = check_script(self._check_command())
        pid_files = tuple(str(folder / f"keepalived-{part}.pid") for part in ("parent", "vrrp", "checkers"))
        parent, vrrp, checkers = pid_files
        options = ("--vrrp", "--dont-fork", "--log-console", "--log-detail")
        files = ("-f", str(folder / "keepalived.conf"), "-p", parent, "-r", vrrp, "-c", checkers)
        return ServiceDescription(
            name="keepalived",
            argv=(*self._wrapper, self.programs["keepalived"], *options, *files),
            log=str(self.directory.log(name, "keepalived")),
            says="Entering BACKUP STATE",
            says_reloaded="Reload complete",
            pid_files=pid_files,
        )

    def _prepare_sshd(self, plan: HostPlan) -> ServiceDescription:
        folder = self.directory.host(plan.host.name)
        plan.configs |= {"sshd_config": sshd_config(plan.host, self.directory.path), MACHINE_ID: machine_id()}
        return ServiceDescription(
            name="sshd",
            argv=with_machine_id(folder, self.programs["sshd"], "-D", "-e", "-f", str(folder / "sshd_config")),
            log=str(self.directory.log(plan.host.name, "sshd")),
            listens=(22,),
        )

    def _check_command(self) -> tuple[str, ...]:
        if self.spec.keepalived.check is CheckKind.PROCESS:
            return (self.programs["pidof"], self.spec.balancer_service)
        port = addresses.STATS_PORT if self.spec.balancer_service == "haproxy" else addresses.STATUS_PORT
        return (sys.executable, "-I", "-S", str(PACKAGE / "check_http.py"), str(port))


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
