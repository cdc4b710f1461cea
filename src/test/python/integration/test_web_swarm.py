"""The form that starts a load can arm a fault, so no other site may send it."""

import json
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.locusting import PATIENCE_S, Locust, is_open, locust
from support.ports import free_port

pytestmark = [pytest.mark.integration, pytest.mark.beside]

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
[[node]]
name = "lb1"
role = "balancer"
host = "127.0.0.1"
[fault.lb-kill]
kill = ["false"]
heal = ["true"]
verify_down = ["false"]
verify_healed = ["true"]
"""


@pytest.fixture(scope="module")
def form(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Locust, str]]:
    folder: Path = tmp_path_factory.mktemp("swarm")
    (folder / "plan.py").write_text(PLAN, encoding="utf-8")
    port = free_port()
    with locust(folder, "-f", "plan.py", "--web-host", "127.0.0.1", "--web-port", str(port)) as running:
        running.wait_until(lambda: is_open(port), "web page")
        yield running, f"http://127.0.0.1:{port}"


def send(url: str, headers: dict[str, str], **fields: str) -> dict[str, Any]:
    data = urllib.parse.urlencode({"user_count": "1", "spawn_rate": "1", **fields}).encode()
    request = urllib.request.Request(f"{url}/swarm", data=data, headers=headers)
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "same-site"}],
    ids=["another site", "no site", "another port"],
)
def test_another_site_cannot_arm_a_fault(form: tuple[Locust, str], headers: dict[str, str]) -> None:
    running, url = form
    answer = send(url, headers, switchover_arm="true")
    assert answer["success"] is False
    assert "another site" in answer["message"]
    assert "Ramping" not in running.said


def test_the_page_itself_and_a_script_can_start(form: tuple[Locust, str]) -> None:
    running, url = form
    assert send(url, {"Origin": url}, switchover_late="2s")["success"] is True
    running.wait_for("All users spawned")
    assert send(url, {}, switchover_late="2s")["success"] is True


def test_another_site_cannot_start_the_load_that_fires_a_fault(tmp_path: Path) -> None:
    (tmp_path / "plan.py").write_text(PLAN, encoding="utf-8")
    (tmp_path / "site.toml").write_text(SITE, encoding="utf-8")
    port = free_port()
    plan = ("-f", "plan.py", "--switchover-target", "site.toml", "--switchover-arm")
    fault = ("--switchover-fault", "lb-kill", "--switchover-fault-at", "1")
    with locust(tmp_path, *plan, *fault, "--web-host", "127.0.0.1", "--web-port", str(port)) as running:
        running.wait_until(lambda: is_open(port), "web page")
        answer = send(f"http://127.0.0.1:{port}", {"Origin": "http://evil.example"})
        assert answer["success"] is False and "another site" in answer["message"]
        assert "Ramping" not in running.said


def test_nobody_can_send_the_databases_credentials_elsewhere(form: tuple[Locust, str]) -> None:
    _, url = form
    answer = send(url, {"Origin": url}, switchover_influx="http://evil.example:8086?db=d")
    assert answer["success"] is False
    assert "the database is chosen where Locust is started" in answer["message"]
