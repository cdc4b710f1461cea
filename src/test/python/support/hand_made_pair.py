"""A pair that is reached by commands only, as over ssh: the lab's hosts, and nothing else of the lab."""

import shlex
import sys
import time
from pathlib import Path
from typing import Any, Protocol

import tomli_w

from support.waiting import wait_for
from switchover.lab import addresses, control
from switchover.lab.lab import Lab

ANSWER_S = 0.5
APART_S = 0.3
"""Between two looks at the processes: a check of Keepalived's has ended by then."""
RELAY = (
    "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
    "s.sendall(sys.stdin.buffer.read()); "
    "[sys.stdout.buffer.write(piece) for piece in iter(lambda: s.recv(65536), b'')]"
)
"""What socat does on a real node: standard input to the socket, and its answer back."""


class Way(Protocol):
    """How a command gets to a node."""

    def command(self, host: str, *statuses: str) -> list[str]: ...


class LabWay:
    """As cheap as ssh over a connection that is kept open: a client that starts processes all the time sends late."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab

    def command(self, host: str, *statuses: str) -> list[str]:
        return [*way_to(self._lab, host), "--", *statuses]


def way_to(lab: Lab, host: str) -> list[str]:
    """The lab's own way to a host, which may be `{master}`."""
    way = lab.exec_argv("lb1", [])
    return [status.replace("/lb1/", f"/{host}/") for status in way[: way.index("--")]]


def write_target(
    lab: Lab, folder: Path, *, way: Way | None = None, observed: bool = True, deadman_s: float | None = None
) -> Path:
    """A target file by hand, with one fault, `lb-kill`."""
    way = way or LabWay(lab)
    nodes: list[dict[str, Any]] = []
    for host in addresses.balancers():
        runtime_socket = str(lab.layout.runtime_socket(host.name))
        node: dict[str, Any] = {
            "name": host.name,
            "role": "balancer",
            "host": host.address,
            "haproxy": way.command(host.name, sys.executable, "-ISc", RELAY, runtime_socket),
            "clock": way.command(host.name, "date", "+%s.%N"),
            "keepalived": {"priority": 101 if host.name == "lb1" else 100, "check": {"interval": 1, "weight": -20}},
        }
        if observed:
            node["vip_owner"] = way.command(host.name, "ip", "-ts", "monitor", "address")
        nodes.append(node)
    aliases = {f"{host.address}:80": host.name for host in addresses.backends(3)}
    # What systemctl does on a real node.
    start = [*way_to(lab, "{master}"), "--service", "haproxy", "start"]
    fault: dict[str, Any] = {
        "kill": way.command("{master}", "sh", "-c", "kill -9 $(pidof haproxy)"),
        "verify_down": way.command("{master}", "sh", "-c", "! pidof haproxy"),
        "heal": way.command("{master}", *start),
        "verify_healed": way.command("{master}", "pidof", "haproxy"),
        "ready": way.command("{backup}", "pidof", "keepalived"),
        "predict": {"low": 2.609, "high": 4.609},
    }
    if deadman_s is not None:
        timer = f"setsid sh -c 'sleep {deadman_s:g}; {shlex.join(start)}' >/dev/null 2>&1 &"
        fault["deadman"] = way.command("{master}", "sh", "-c", timer)
    values = {
        "target": {"url": f"http://{addresses.VIP}/"},
        "identity": {"aliases": aliases},
        "node": nodes,
        "fault": {"lb-kill": fault},
    }
    path = folder / "target.toml"
    path.write_text(tomli_w.dumps(values), encoding="utf-8")
    return path


def drill_words(target: Path, out: Path, *options: str) -> list[str]:
    """An armed drill of it, without load."""
    statuses = [sys.executable, "-m", "switchover", "drill", "--target", str(target), "--fault", "lb-kill", "--arm"]
    return [*statuses, "--out", str(out), "--baseline", "1s", "--recover", "1s", "--generator", "none", *options]


def runs_on(lab: Lab, host: str) -> bool:
    """Whether the HAProxy of this balancer runs."""
    return lab.service(host, "haproxy", "status")[0] == 0


def holds_the_address(lab: Lab, host: str) -> bool:
    _, said = control.run(lab.layout.socket(host), ["ip", "-o", "address"])
    return f" {addresses.VIP}/" in said


def state_of(lab: Lab) -> list[str]:
    """All addresses and processes of both balancers; a process that one of two looks alone saw was a check's."""
    first = _look_at_balancers(lab)
    time.sleep(APART_S)
    second = _look_at_balancers(lab)
    return [line for line in first if line in second]


def _look_at_balancers(lab: Lab) -> list[str]:
    processes = "for one in /proc/[0-9]*; do read -r name <$one/comm && echo ${one#/proc/} $name; done 2>/dev/null"
    return [
        f"{host.name}: {line}"
        for host in addresses.balancers()
        for command in (["sh", "-c", processes], ["ip", "-o", "address"])
        for line in control.run(lab.layout.socket(host.name), command)[1].splitlines()
    ]


def pids_in_client(lab: Lab) -> list[int]:
    """The processes of the client but for its agent, by the pids that this machine has for them."""
    _, said = control.run(lab.layout.socket("client"), ["readlink", "/proc/self/ns/pid"])
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            same = (process / "ns" / "pid").readlink() == Path(said.strip())
            inner = (process / "status").read_text().split("NSpid:")[1].split("\n")[0].split()
        except OSError:
            continue
        if same and inner[-1] != "1":
            found.append(int(process.name))
    return found


def runners_in_client(lab: Lab) -> list[int]:
    """Of those the drills themselves, without their watchdogs, probes and launchers."""
    found = []
    for pid in pids_in_client(lab):
        try:
            statuses = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if statuses[1:4] == [b"-m", b"switchover", b"drill"]:
            found.append(pid)
    return found


def is_answered(lab: Lab) -> bool:
    """A good answer of the virtual address, asked for by the last of the backends."""
    agent = lab.layout.socket(addresses.backends(lab.spec.backends)[-1].name)
    connection = control.borrow_connection(agent, addresses.VIP, 80, ANSWER_S)
    if connection is None:
        return False
    with connection:
        connection.settimeout(ANSWER_S)
        try:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: pair\r\nConnection: close\r\n\r\n")
            return connection.recv(64).startswith(b"HTTP/1.1 200 ")
        except OSError:
            return False


def await_well(lab: Lab) -> None:
    """Wait until both balancers run, lb1 alone has the address, and the address answers."""
    wait_for(lambda: runs_on(lab, "lb1") and runs_on(lab, "lb2"), "both balancers")
    wait_for(lambda: holds_the_address(lab, "lb1") and not holds_the_address(lab, "lb2"), "the master")
    wait_for(lambda: is_answered(lab), "the virtual address")
