"""What a case is begun by: `switchover drill`, a Locust with two workers, or a JMeter with two servers."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from support.jmetering import LOCALLY, VERSION, jar_of
from support.ports import free_port
from support.waiting import wait_for

if TYPE_CHECKING:
    from chaos.scene import Scene

PLANS = Path(__file__).parents[4] / "testplans"
PROBES, USERS = "200", "5"
PHASES = ("--baseline", "2s", "--hold", "7s", "--recover", "7s")
"""As short as physics allows: an outage of these faults ends 4.6 s after the kill, the address is back 3.6 s after
the heal."""
FAULT_AT, HEAL_AT, ENDS_AT_S = "3s", "10s", 18
"""The same for those that count from the begin of their load."""


def drill(scene: "Scene", fault: str, generator: str, out: Path) -> list[str]:
    statuses = [sys.executable, "-m", "switchover", "drill", "--target", str(scene.lab.target_file), "--fault", fault]
    statuses += ["--generator", generator, "--out", str(out), *PHASES, "--probe-rate", PROBES, "--users", USERS]
    return [*statuses, "--seed", str(scene.chance.randrange(1 << 30)), *scene.options]


def locust_with_workers(scene: "Scene", fault: str, out: Path) -> list[str]:
    """Starts the workers, and returns the master's command."""
    port = str(free_port())
    locust = [sys.executable, "-m", "locust", "-f", str(PLANS / "locust" / "shop.py")]
    for name in ("worker-1", "worker-2"):
        scene.start_beside(name, [*locust, "--worker", "--master-port", port])
    master = [*locust, "--headless", "-u", USERS, "-r", USERS, "-t", f"{ENDS_AT_S}s", "--stop-timeout", "10"]
    master += ["--master", "--master-bind-port", port, "--only-summary"]
    # A worker that is killed before it has joined would be waited for without end.
    master += ["--expect-workers", "2", "--expect-workers-max-wait", "60"]
    ours = {"target": scene.lab.target_file, "probe-rate": PROBES, "out": out}
    ours |= {"fault": fault, "fault-at": FAULT_AT, "heal-at": HEAL_AT}
    return [*master, *(status for name, value in ours.items() for status in (f"--switchover-{name}", str(value)))]


def jmeter_with_servers(scene: "Scene", fault: str, out: Path) -> list[str]:
    """Starts the servers and waits for them, and returns the client's command."""
    addresses = []
    for name in ("server-1", "server-2"):
        port, log = free_port(), scene.folder / f"{name}.jmeter.log"
        ports = (f"-Jserver_port={port}", f"-Jserver.rmi.localport={free_port()}")
        scene.start_beside(name, _jmeter(log, "-s", *ports, *LOCALLY))
        wait_for(partial(_is_bound, log), name)
        addresses.append(f"127.0.0.1:{port}")
    ours = {"target": scene.lab.target_file, "probe.rate": PROBES, "out": out}
    ours |= {"fault": fault, "fault.at": FAULT_AT, "heal.at": HEAL_AT}
    statuses = [f"-Jswitchover.{name}={value}" for name, value in ours.items()]
    statuses += [f"-Gswitchover.users={USERS}", "-Gswitchover.ramp=0", f"-Gswitchover.duration={ENDS_AT_S}"]
    statuses += ["-Jsample_variables=backend,balancer,answered_by", "-l", str(scene.folder / "results.jtl")]
    plan = ("-n", "-t", str(PLANS / "jmeter" / "remote.jmx"), "-R", ",".join(addresses))
    return _jmeter(scene.folder / "jmeter.log", *plan, *LOCALLY, *statuses)


def _is_bound(log: Path) -> bool:
    return log.exists() and "Bound to RMI registry" in log.read_text("utf-8", "replace")


def _jmeter(log: Path, *arguments: str) -> list[str]:
    java = ("java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-jar", str(jar_of(VERSION)))
    return [*java, "-j", str(log), *arguments]
