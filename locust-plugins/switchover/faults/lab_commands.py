"""Commands that run on the hosts of the lab, as the argument lists of a target file."""

from dataclasses import dataclass
from pathlib import Path

MASTER, BACKUP = "{master}", "{backup}"
"""The placeholders for nodes. When the fault is fired, `{master}` has the virtual address, and `{backup}` is the
other balancer."""

VICTIM = "web1"
"""The backend that the lab's backend faults affect."""

STOPPED, FROZEN = 3, 4
"""Exit status of `--service NAME status` in the lab: no process runs, or SIGSTOP has stopped all processes."""

ON_NODE = Path(__file__).parent / "on_node"
"""The folder of the scripts that run on a host."""


@dataclass(frozen=True, slots=True)
class LabCommands:
    """Builds commands for the hosts of one lab."""

    python: str
    exec_py: str
    directory: str
    balancer: str = "haproxy"
    """The program of the balancer nodes: haproxy, nginx, caddy, traefik, envoy, redirect, or none. The name of the
    service is always `balancer`."""
    address: str = ""
    """The virtual address."""
    mode: str = "http"
    """The protocol of the balancers: http, https, tcp or tcp-https."""
    connections: bool = False
    """True: the lab serves held connections, and has one server that is not a backend."""

    def on(self, host: str, *command: str) -> tuple[str, ...]:
        """Return the command that runs `command` on a host. `host` may be `{master}` or `{backup}`."""
        return (*self._agent(host), "--", *command)

    def bridge(self, *command: str) -> tuple[str, ...]:
        """Return the command that runs `command` in the network namespace of the bridge. This namespace has the
        hosts' ports, such as br-lb1 for lb1."""
        return self.on("bridge", *command)

    def service(self, host: str, name: str, verb: str) -> tuple[str, ...]:
        """Return the command that runs a verb of a host's service, such as kill, start or status."""
        return (*self._agent(host), "--service", name, verb)

    def service_is(self, host: str, name: str, status: int) -> tuple[str, ...]:
        """Return a command that exits with 0 if the status of the service is `status`."""
        return ("sh", "-c", f'"$@"; [ $? -eq {status} ]', "sh", *self.service(host, name, "status"))

    def reload(self) -> tuple[str, ...]:
        return self.service(MASTER, "balancer", "reload")

    def runtime(self, *arguments: str) -> tuple[str, ...]:
        """Return a command that uses the runtime socket of the master's HAProxy. Every host of the lab can open
        it."""
        return (*self.script("node_state.py"), self.master_file("haproxy.sock"), *arguments)

    def nginx_workers(self, *words: str) -> tuple[str, ...]:
        return self.on(MASTER, *self.script("node_state.py"), self.master_file("nginx.pid"), *words)

    def next_configuration(self, file: str, *words: str) -> tuple[str, ...]:
        return self.on(MASTER, *self.script("next_configuration.py"), self.master_file(file), *words)

    def script(self, name: str) -> tuple[str, ...]:
        return (self.python, "-I", "-S", str(ON_NODE / name))

    def master_file(self, name: str) -> str:
        return f"{self.directory}/{MASTER}/{name}"

    def _agent(self, host: str) -> tuple[str, ...]:
        return (self.python, "-I", "-S", self.exec_py, f"{self.directory}/{host}/exec.sock")
