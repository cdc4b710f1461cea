"""A target that is reached only by commands: the lab's hosts, with the lab's own way in standing in for ssh."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from support.drilling import drill, newest_run
from support.waiting import wait_for
from switchover.lab import addresses
from switchover.lab.lab import Lab

pytestmark = pytest.mark.integration

DEADMAN_S = 20
"""Longer than a drill holds the fault: one that the dead-man healed early does not count."""
PATIENCE_S = 30.0
RELAY = (
    "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
    "s.sendall(sys.stdin.buffer.read()); "
    "[sys.stdout.buffer.write(piece) for piece in iter(lambda: s.recv(65536), b'')]"
)
"""What socat does on a real node: standard input to the socket, and its answer back."""


def over_ssh(lab: Lab, host: str, *command: str) -> list[str]:
    """As cheap as ssh over a connection that is kept open: a client that starts processes all the time sends late."""
    return [*way_to(lab, host), "--", *command]


def way_to(lab: Lab, host: str) -> list[str]:
    way = lab.exec_argv("lb1", [])
    return [word.replace("/lb1/", f"/{host}/") for word in way[: way.index("--")]]


def write_target(lab: Lab, folder: Path, *, witnessed: bool = True) -> Path:
    """A target file by hand: nothing of the lab's own is used but the ways to its hosts."""

    def service(verb: str) -> list[str]:
        """What systemctl does on a real node."""
        return [*way_to(lab, "{master}"), "--service", "haproxy", verb]

    start = " ".join(service("start"))
    nodes: list[dict[str, Any]] = []
    for host in addresses.balancers():
        node: dict[str, Any] = {
            "name": host.name,
            "role": "balancer",
            "host": host.address,
            "haproxy": over_ssh(
                lab, host.name, sys.executable, "-ISc", RELAY, str(lab.layout.runtime_socket(host.name))
            ),
            "clock": over_ssh(lab, host.name, "date", "+%s.%N"),
            "keepalived": {"priority": 101 if host.name == "lb1" else 100, "check": {"interval": 1, "weight": -20}},
        }
        if witnessed:
            node["vip_owner"] = over_ssh(lab, host.name, "ip", "-ts", "monitor", "address")
        nodes.append(node)
    aliases = {f"{host.address}:80": host.name for host in addresses.backends(3)}
    fault = {
        "kill": over_ssh(lab, "{master}", "sh", "-c", "kill -9 $(pidof haproxy)"),
        "verify_down": over_ssh(lab, "{master}", "sh", "-c", "! pidof haproxy"),
        "heal": over_ssh(lab, "{master}", *service("start")),
        "verify_healed": over_ssh(lab, "{master}", "pidof", "haproxy"),
        "deadman": over_ssh(
            lab, "{master}", "sh", "-c", f"setsid sh -c 'sleep {DEADMAN_S}; {start}' >/dev/null 2>&1 &"
        ),
        "predict": {"low": 2.609, "high": 4.609},
    }
    values = {
        "target": {"url": f"http://{addresses.VIP}/"},
        "identity": {"aliases": aliases},
        "node": nodes,
        "fault": {"lb-kill": fault},
    }
    path = folder / "target.toml"
    path.write_text(tomli_w.dumps(values), encoding="utf-8")
    return path


def runs_on(lab: Lab, host: str) -> bool:
    return lab.service(host, "haproxy", "status")[0] == 0


def test_doctor_tries_every_part_of_it(lab: Lab, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "switchover", "doctor", "--target", str(write_target(lab, tmp_path))]
    done = subprocess.run(lab.exec_argv("client", command), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for part in ("lb1 haproxy", "lb2 vip_owner", "lb1 clock", "lb1 keepalived", "master", "fault lb-kill"):
        assert part in done.stdout


@pytest.mark.core
def test_a_drill_of_it_finds_the_master_confirms_and_heals(lab: Lab, tmp_path: Path) -> None:
    target = write_target(lab, tmp_path)
    done = drill(lab, tmp_path / "runs", "--fault", "lb-kill", "--arm", target=target)
    assert done.code == 0, done.verdict["reasons"]
    assert done.run["fault"]["master"] == "lb1"
    assert done.verdict["prediction"]["inside"] is True
    assert done.verdict["split_brain_ms"] is not None
    assert done.verdict["reconciliation"]["unexplained"] is None, "other traffic may be there"
    bounds = [clock["bound_us"] for clock in done.run["clocks"]]
    assert len(bounds) == 4
    assert all(bound > 0 for bound in bounds)


def test_without_an_ownership_witness_a_budget_on_split_brain_is_not_trusted(lab: Lab, tmp_path: Path) -> None:
    target = write_target(lab, tmp_path, witnessed=False)
    options = ["--fault", "none", "--budget", "split-brain=0s"]
    done = drill(lab, tmp_path / "runs", *options, target=target)
    assert done.code == 2
    assert done.verdict["split_brain_ms"] is None
    assert "split-brain" in " ".join(reason["text"] for reason in done.verdict["reasons"])


def test_the_dead_man_on_the_node_heals_while_the_runner_and_its_watchdog_are_dead(lab: Lab, tmp_path: Path) -> None:
    target, out = write_target(lab, tmp_path), tmp_path / "runs"
    command = [sys.executable, "-m", "switchover", "drill", "--target", str(target), "--fault", "lb-kill", "--arm"]
    command += ["--out", str(out), "--baseline", "1s", "--hold", "60s", "--generator", "none"]
    runner = subprocess.Popen(lab.exec_argv("client", command), stderr=subprocess.DEVNULL)
    wait_for(lambda: not runs_on(lab, "lb1"), "the kill")
    for pid in pids_in_client(lab):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    runner.wait(timeout=PATIENCE_S)
    assert not runs_on(lab, "lb1"), "nobody but the dead-man is left to heal"
    wait_for(lambda: runs_on(lab, "lb1"), "the dead-man")
    run = json.loads((newest_run(out) / "run.json").read_text(encoding="utf-8"))
    assert run["plan"]["healed_us"] is None


def pids_in_client(lab: Lab) -> list[int]:
    """The processes of the client but for its agent, by the pids that this machine has for them."""
    agent = subprocess.run(
        lab.exec_argv("client", ["readlink", "/proc/self/ns/pid"]), capture_output=True, text=True, check=True
    ).stdout.strip()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            same = (process / "ns" / "pid").readlink() == Path(agent)
            inner = (process / "status").read_text().split("NSpid:")[1].split("\n")[0].split()
        except OSError:
            continue
        if same and inner[-1] != "1":
            found.append(int(process.name))
    return found
