"""Start a lab, and wait until it is ready. The lab ends when the process that started it ends."""

import os
import shutil
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from switchover import __version__
from switchover.lab import addresses, control
from switchover.lab.blueprint import FRAME_RELAY, Blueprint, HostPlan
from switchover.lab.capability import check, namespace_flags, program_versions
from switchover.lab.directory import base_directory, create_directory
from switchover.lab.service import last_line
from switchover.lab.spec import LabSpec
from switchover.lab.target_file import service_address, write_target
from switchover.model.errors import LabError
from switchover.process.groups import wait_or_kill
from switchover.process.json_child import package_environment
from switchover.rundir.run_directory import write_json
from switchover.target.lab_directory import LabDirectory

ELECTION_GRACE_S = 5.0
"""The seconds that are added to VRRP's longest election time, because the machine may be busy. Also the time limit
for the first response."""
ANSWER_TIMEOUT_S = 0.25
POLL_S = 0.02
STOP_PATIENCE_S = 10.0
Progress = Callable[[str], None]


class Lab:
    """`with Lab(spec) as lab:` runs an HA pair until `stop()`, the end of the block, or the end of this process."""

    def __init__(self, spec: LabSpec, directory: Path | None = None, progress: Progress | None = None) -> None:
        """`directory`: the parent folder of the lab's directory. None: `base_directory()`."""
        self.spec = spec
        self._base = directory or base_directory()
        self._progress = progress or (lambda line: None)
        self._layout: LabDirectory | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._stack = ExitStack()

    def __enter__(self) -> "Lab":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def layout(self) -> LabDirectory:
        assert self._layout is not None, "the lab is not started"
        return self._layout

    @property
    def directory(self) -> Path:
        return self.layout.path

    @property
    def target_file(self) -> Path:
        return self.layout.target

    def start(self) -> "Lab":
        """Start all hosts, and wait until a master is elected and the virtual address answers."""
        with ExitStack() as stack:
            self._layout, lock = create_directory(self._base)
            stack.callback(os.close, lock)
            stack.callback(shutil.rmtree, self._layout.path, ignore_errors=True)
            self._build(stack)
            self._stack = stack.pop_all()
        return self

    def stop(self) -> None:
        """End all hosts, and remove the network and the directory. May be called at any time."""
        self._stack.close()

    def exec_argv(self, host: str, argv: Sequence[str]) -> list[str]:
        """Return the command line that runs `argv` on a host. This command line works outside and inside of the
        lab."""
        return control.exec_argv(self.layout.socket(host), *argv)

    def service(self, host: str, name: str, verb: str) -> tuple[int, str]:
        return control.service_verb(self.layout.socket(host), name, verb)

    def wait(self) -> None:
        assert self._process is not None
        status = self._process.wait()
        raise LabError(f"the lab's first process ended with status {status}, so the lab has ended")

    def _build(self, stack: ExitStack) -> None:
        blueprint = Blueprint(self.spec, self.layout)
        supervisor_file = blueprint.write()
        for balancer in blueprint.balancers:
            os.mkfifo(self.layout.notify_fifo(balancer.name), 0o600)
        self._progress("starting hosts")
        self._start_supervisor(blueprint.programs["unshare"], supervisor_file, stack)
        self._start_hosts(blueprint)
        write_target(self.spec, self.layout)
        state = {
            "version": __version__,
            "pid": os.getpid(),
            "started": time.time(),
            "spec": asdict(self.spec),
            "hosts": {plan.host.name: plan.host.address for plan in blueprint.hosts},
            "services": {plan.host.name: [service.name for service in plan.services] for plan in blueprint.hosts},
            "versions": program_versions(blueprint.programs),
            "vip": addresses.VIP if blueprint.balancers else None,
        }
        write_json(self.layout.state, state)
        if not blueprint.balancers:
            first = addresses.backends(1)[0].name
            self._await_answer(first, self.spec.backend_kind)
            self._progress(f"{first} answers")
            return
        master = self._await_master()
        self._await_answer(master, self.spec.balancer_service)
        self._progress(f"{master} is master and answers on {addresses.VIP}")

    def _start_supervisor(self, unshare: str, supervisor_file: Path, stack: ExitStack) -> None:
        read_end, lifeline = os.pipe()
        log_path = self.layout.path / "supervisor.log"
        command = [sys.executable, "-S", "-P", "-m", "switchover.lab.supervisor", str(supervisor_file)]
        with log_path.open("ab") as log:
            self._process = subprocess.Popen(
                [unshare, *namespace_flags(), "--", *command],
                stdin=read_end,
                stdout=subprocess.PIPE,
                stderr=log,
                env=os.environ | package_environment(),
                start_new_session=True,
            )
        stack.callback(wait_or_kill, self._process, STOP_PATIENCE_S)
        stack.callback(os.close, lifeline)  # the lab ends when this pipe closes
        os.close(read_end)
        assert self._process.stdout is not None
        with self._process.stdout:
            answer = self._process.stdout.readline().decode("utf-8", "replace").strip()
        if answer != "ready":
            namespaces = check()
            if not namespaces.good:
                raise LabError(f"cannot create the lab's namespaces: {namespaces.result}: {namespaces.advice}")
            raise LabError(f"the lab does not start: {answer or last_line(log_path)}")

    def _start_hosts(self, blueprint: Blueprint) -> None:
        """Start all hosts in parallel. On each node, Keepalived starts after the balancer. Keepalived starts first on
        lb1."""
        ip = blueprint.programs["ip"]
        if self.spec.round_trip_ms:
            self._start_service(addresses.BRIDGE, FRAME_RELAY)
        with ThreadPoolExecutor(len(blueprint.hosts)) as pool:
            started = {plan.host.name: pool.submit(self._start_host, plan, ip) for plan in blueprint.hosts}
            for balancer in blueprint.balancers:
                started[balancer.name].result()
                self._start_service(balancer.name, "keepalived")
            if blueprint.balancers:
                election_s = self.spec.keepalived.first_election_s
                self._progress(f"electing a master: {election_s:.1f} s by VRRP's timers")
            for host in started.values():
                host.result()

    def _start_host(self, plan: HostPlan, ip: str) -> None:
        batch = addresses.host_batch(plan.host, addresses.client_addresses(self.spec.client_addresses))
        status, answer = control.run(self.layout.socket(plan.host.name), [ip, "-batch", "-"], batch)
        if status:
            raise LabError(f"host {plan.host.name} gets no address: {answer.strip()}")
        for service in plan.services:
            if service.name != "keepalived":
                self._start_service(plan.host.name, service.name)

    def _start_service(self, host: str, name: str) -> None:
        status, answer = self.service(host, name, "start")
        if status:
            raise LabError(f"{host}: {answer}")

    def _await_master(self) -> str:
        logs = {node: self.layout.log(node, "keepalived") for node in addresses.BALANCERS}
        deadline = time.monotonic() + self.spec.keepalived.first_election_s + ELECTION_GRACE_S
        while time.monotonic() < deadline:
            for node, log in logs.items():
                if "Entering MASTER STATE" in log.read_text(encoding="utf-8", errors="replace"):
                    return node
            time.sleep(POLL_S)
        answer = "; ".join(f"{node}: {last_line(log)}" for node, log in logs.items())
        raise LabError(f"no master was elected within VRRP's timers plus {ELECTION_GRACE_S:.0f} s: {answer}")

    def _await_answer(self, host: str, service: str) -> None:
        """Send requests from the client to the service until the response has status 200. In a lab with `redirect`,
        wait for status 302."""
        expected = "HTTP/1.1 302 " if self.spec.balancer == "redirect" else "HTTP/1.1 200 "
        deadline = time.monotonic() + ELECTION_GRACE_S
        answer = "nothing"
        while time.monotonic() < deadline:
            answer = self._ask_for_the_page()
            if answer.startswith(expected):
                return
            time.sleep(POLL_S)
        address, log = service_address(self.spec), self.layout.log(host, service)
        raise LabError(
            f"{address} does not serve the page; the last answer was {answer!r}; log of {host}: {last_line(log)}"
        )

    def _ask_for_the_page(self) -> str:
        agent, address = self.layout.socket(addresses.CLIENT), service_address(self.spec)
        timeout_s = ANSWER_TIMEOUT_S + self.spec.round_trip_ms / 1000
        connection = control.borrow_connection(agent, address, self.spec.port, timeout_s)
        if connection is None:
            return "no connection"
        with connection:
            connection.settimeout(2.0 + 4 * self.spec.round_trip_ms / 1000)
            try:
                if self.spec.scheme == "https":
                    connection = unverified_tls().wrap_socket(connection)
                connection.sendall(f"GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n".encode())
                return connection.recv(4096).split(b"\r\n")[0].decode("latin-1")
            except OSError as error:
                return str(error)
            finally:
                connection.close()


def unverified_tls() -> ssl.SSLContext:
    """Return a TLS context for the lab's test request, without verification and with all ciphers."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ciphers("ALL")
    return context
