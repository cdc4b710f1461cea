"""Commands that reach the hosts of the lab: argument lists, as a target file holds them."""

from dataclasses import dataclass
from pathlib import Path

MASTER, BACKUP = "{master}", "{backup}"
"""The placeholders that are filled in when the fault is fired: the node that holds the address, and the other
node."""

VICTIM = "web1"
"""The backend that backend faults of the lab act on."""

STOPPED, FROZEN = 3, 4
"""Exit status of `--service NAME status` in the lab: no process runs, or all of them are stopped by SIGSTOP."""

ON_NODE = Path(__file__).parent / "on_node"
"""Scripts that run on a host, by their path."""


@dataclass(frozen=True, slots=True)
class LabCommands:
    """Builds commands for the hosts of one lab."""

    python: str
    exec_py: str
    directory: str
    balancer: str = "haproxy"
    """The program of the balancer nodes: haproxy, nginx, caddy, traefik, envoy, redirect, or none. The service is
    always named `balancer`."""
    backend_kind: str = "nginx"
    address: str = ""
    """The virtual address."""
    mode: str = "http"
    """The protocol of the balancers: http, https, tcp or tcp-https."""
    connections: bool = False
    """The lab serves held connections, and has a server in addition to the backends."""

    def on(self, host: str, *command: str) -> tuple[str, ...]:
        """Run a command on a host; `host` may be `{master}` or `{backup}`."""
        return (*self._agent(host), "--", *command)

    def bridge(self, *command: str) -> tuple[str, ...]:
        """Run a command in the network of the bridge, which has the hosts' ports. The port of lb1 is named br-lb1."""
        return self.on("bridge", *command)

    def service(self, host: str, name: str, verb: str) -> tuple[str, ...]:
        """Run a verb of a host's service: kill, stop, start, freeze, thaw, slow, reload, quit, or status."""
        return (*self._agent(host), "--service", name, verb)

    def service_is(self, host: str, name: str, status: int) -> tuple[str, ...]:
        """Exit with 0 if the service's status is `status`."""
        return ("sh", "-c", f'"$@"; [ $? -eq {status} ]', "sh", *self.service(host, name, "status"))

    def reload(self) -> tuple[str, ...]:
        return self.service(MASTER, "balancer", "reload")

    def runtime(self, *arguments: str) -> tuple[str, ...]:
        """Query the runtime socket of the master's HAProxy, a file that every host can open."""
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
