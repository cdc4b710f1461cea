"""A real Locust with its web page, in a lab or over a site that is asked for nothing."""

import http.client
import json
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.locusting import PATIENCE_S, Locust, locust
from support.ports import free_port, is_open
from support.waiting import wait_for
from switchover.lab.lab import Lab
from switchover.lab.relay import Relay

PLAN = """
import switchover.locust
from locust import HttpUser, constant, task

class Idle(HttpUser):
    host = "http://127.0.0.1:9"
    wait_time = constant(1)

    @task
    def nothing(self):
        pass
"""

SITE = """
[target]
url = "http://127.0.0.1:9/"
{more}
[[node]]
name = "lb1"
role = "balancer"
host = "127.0.0.1"
clock = ["touch", "{folder}/touched"]
[fault.lb-kill]
kill = ["touch", "{folder}/fired"]
heal = ["touch", "{folder}/healed"]
verify_down = ["test", "-e", "{folder}/fired"]
verify_healed = ["test", "!", "-e", "{folder}/fired", "-o", "-e", "{folder}/healed"]
"""


class Web:
    """Locust with its web page, for a while."""

    def __init__(self, folder: Path, *options: str, more: str = "", **environment: str) -> None:
        (folder / "plan.py").write_text(PLAN, encoding="utf-8")
        (folder / "site.toml").write_text(SITE.format(folder=folder, more=more), encoding="utf-8")
        self._port = free_port()
        arguments = ("-f", "plan.py", "--web-host", "127.0.0.1", "--web-port", str(self._port), *options)
        self._running = locust(folder, *arguments, environment=environment)

    def __enter__(self) -> tuple[Locust, str]:
        running = self._running.__enter__()
        running.wait_until(lambda: is_open(self._port), "web page")
        return running, f"http://127.0.0.1:{self._port}"

    def __exit__(self, *error: Any) -> None:
        self._running.__exit__(*error)


@contextmanager
def locust_in_lab(
    lab: Lab, plan: Path, folder: Path, *options: str, ends_within_s: float = PATIENCE_S
) -> Iterator[str]:
    """Locust in the lab's client, its users at work; the address of its web page on this machine."""
    port = free_port()
    command = [sys.executable, "-m", "locust", "-f", str(plan), "--autostart"]
    command += ["--web-host", "127.0.0.1", "--web-port", str(port)]
    command += ["--switchover-target", str(lab.target_file), "--switchover-out", str(folder / "runs"), *options]
    said = folder / "locust.log"
    with Relay(port) as relay, said.open("wb") as log:
        relay.start(lab.layout.socket("client"))
        running = subprocess.Popen(lab.exec_argv("client", command), stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            wait_for(lambda: b"All users spawned" in said.read_bytes() or running.poll() is not None, "the users")
            assert running.poll() is None, said.read_text(encoding="utf-8")
            yield f"http://127.0.0.1:{port}"
        finally:
            running.terminate()
            running.wait(ends_within_s)


def send(url: str, headers: dict[str, str], **fields: str) -> dict[str, Any]:
    data = urllib.parse.urlencode({"user_count": "1", "spawn_rate": "1", **fields}).encode()
    request = urllib.request.Request(f"{url}/swarm", data=data, headers=headers)
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def ask(url: str, method: str, path: str, body: str | None = None, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=PATIENCE_S)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def state(url: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ask(url, "GET", "/switchover/state")[1])
    return found


def fire(url: str, name: str) -> tuple[int, str]:
    _, page = ask(url, "GET", "/switchover")
    token = page.partition('name="switchover-token" content="')[2].partition('"')[0]
    asked = {"Content_Type": "application/json", "X_Switchover_Token": token, "Origin": url}
    return ask(url, "POST", "/switchover/fire", json.dumps({"fault": name}), **asked)
