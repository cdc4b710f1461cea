"""Locust's forms that start and stop a load: no site, no name and no field makes them do what was not typed."""

import json
import socket
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.locusting import Locust, locust
from support.ports import free_port
from support.waiting import wait_for
from support.web_of_locust import SITE, Web, ask, fire, send, state

pytestmark = pytest.mark.beside

ARMED = ("--switchover-target", "site.toml", "--switchover-fault", "lb-kill", "--switchover-arm")


@pytest.fixture(scope="module")
def form(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Locust, str]]:
    """A Locust that was started with no option of ours, as anybody who has the plugin installed may."""
    folder: Path = tmp_path_factory.mktemp("swarm")
    with Web(folder, SWITCHOVER_INFLUX_TOKEN="secret") as found:
        yield found


def attacks(place: Path) -> dict[str, dict[str, str]]:
    """All that one form of the attacker's needs: a file of his, with commands, an address and a fault."""
    whole = {
        "switchover_target": str(place / "site.toml"),
        "switchover_fault": "lb-kill",
        "switchover_fault_at": "0.1s",
        "switchover_arm": "true",
        "switchover_out": str(place / "chosen"),
    }
    return {
        "commands": {"switchover_target": whole["switchover_target"]},
        "a folder": {"switchover_out": whole["switchover_out"]},
        "everything": whole,
        "dashes": {name.replace("_", "-"): value for name, value in whole.items()},
        "capitals": {name.upper(): value for name, value in whole.items()},
        "a description for the workers": {"switchover_run": "{}"},
        "the gate": {"switchover_limit": "outage=1d"},
        "a database": {"switchover_influx": "http://evil.example:8086?db=d"},
        "a time": {"switchover_late": "2s"},
        "a probe of another address": {"switchover_probe_rate": "1000"},
    }


@pytest.mark.parametrize("attack", attacks(Path("/")))
def test_no_field_names_a_file_a_folder_an_address_or_a_fault(
    form: tuple[Locust, str], attack: str, tmp_path: Path
) -> None:
    running, url = form
    with socket.create_server(("127.0.0.1", 0)) as database:
        database.setblocking(False)
        influx = f'[influx]\nurl = "http://127.0.0.1:{database.getsockname()[1]}?db=mine"'
        (tmp_path / "site.toml").write_text(SITE.format(folder=tmp_path, more=influx), encoding="utf-8")
        answer = send(url, {"Origin": url}, **attacks(tmp_path)[attack])
        with pytest.raises(BlockingIOError):
            database.accept()
    assert answer["success"] is False
    assert "can only be set when Locust is started" in answer["message"]
    assert "Ramping" not in running.said
    assert not (running.folder / "runs").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["site.toml"]


def test_a_refusal_does_not_tell_which_files_there_are(form: tuple[Locust, str], tmp_path: Path) -> None:
    _, url = form
    (tmp_path / "here").write_text("x", encoding="utf-8")
    answers = [send(url, {}, switchover_target=str(tmp_path / name)) for name in ("here", "nowhere")]
    assert answers[0] == answers[1]


def test_no_other_form_of_a_request_changes_anything(form: tuple[Locust, str], tmp_path: Path) -> None:
    """A body in JSON and a query: Locust reads neither."""
    running, url = form
    body = json.dumps({"user_count": 1, "spawn_rate": 1, **attacks(tmp_path)["everything"]})
    assert "invalid user_count" in ask(url, "POST", "/swarm", body, Content_Type="application/json")[1]
    query = urllib.parse.urlencode(attacks(tmp_path)["everything"])
    assert "invalid user_count" in ask(url, "POST", f"/swarm?{query}")[1]
    assert list(tmp_path.iterdir()) == []
    assert not (running.folder / "runs").exists()


def test_the_page_itself_and_a_script_can_start(form: tuple[Locust, str]) -> None:
    running, url = form
    assert send(url, {"Origin": url})["success"] is True
    running.wait_for("All users spawned")
    assert send(url, {})["success"] is True


def test_the_page_fires_the_fault_that_was_named_and_armed(tmp_path: Path) -> None:
    with Web(tmp_path, *ARMED, "--switchover-allow-no-backup", "--switchover-probe-rate", "0") as (running, url):
        assert send(url, {"Origin": url})["success"]
        running.wait_for("All users spawned")
        assert fire(url, "lb-other")[0] == 409
        assert fire(url, "lb-kill")[0] == 202
        wait_for(lambda: (tmp_path / "fired").exists(), "the kill")


def test_the_page_fires_no_fault_that_the_command_line_did_not_name(tmp_path: Path) -> None:
    options = ("--switchover-target", "site.toml", "--switchover-arm", "--switchover-allow-no-backup")
    with Web(tmp_path, *options, "--switchover-probe-rate", "0") as (running, url):
        assert send(url, {"Origin": url})["success"]
        running.wait_for("All users spawned")
        status, said = fire(url, "lb-kill")
        assert status == 409, said
        assert "--switchover-fault" in state(url)["control"]["refusal"]
        assert not (tmp_path / "fired").exists()


@pytest.mark.parametrize("place", ["environment", "locust.conf"])
def test_neither_the_environment_nor_a_file_arms(tmp_path: Path, place: str) -> None:
    if place == "locust.conf":
        (tmp_path / "locust.conf").write_text("switchover-arm = true\n", encoding="utf-8")
    environment = {"LOCUST_SWITCHOVER_ARM": "true"} if place == "environment" else {}
    named = ("--switchover-target", "site.toml", "--switchover-fault", "lb-kill")
    with Web(tmp_path, "--switchover-target", "site.toml", **environment) as (running, url):
        assert running.said.count("unless --switchover-arm is typed") == 1
        assert send(url, {"Origin": url})["success"]
        running.wait_for("All users spawned")
        assert state(url)["control"]["armed"] is False
    with locust(tmp_path, "-f", "plan.py", *named, environment=environment) as refused:
        assert refused.end() == 2
    assert "lb-kill is not armed" in refused.said
    assert not (tmp_path / "fired").exists()


@pytest.mark.parametrize("host", ["0.0.0.0", "*", "::"])
def test_an_armed_fault_on_a_page_for_everybody_needs_a_login(tmp_path: Path, host: str) -> None:
    with Web(tmp_path, *ARMED) as (_, url):
        assert ask(url, "GET", "/switchover")[0] == 200
    with locust(tmp_path, "-f", "plan.py", *ARMED, "--web-host", host, "--web-port", str(free_port())) as refused:
        assert refused.end() == 2
    (line,) = refused.said.splitlines()
    assert "--web-login" in line and "--web-host 127.0.0.1" in line


def test_a_login_lets_an_armed_fault_stand_on_a_page_for_everybody(tmp_path: Path) -> None:
    with Web(tmp_path, *ARMED, "--web-login", "--web-host", "0.0.0.0") as (running, _):
        running.wait_for("Starting web interface")


def test_what_is_locusts_own_cannot_be_turned_against_us(tmp_path: Path) -> None:
    """Without a page a fault must have its time, and what is refused then ends Locust."""
    with Web(tmp_path, *ARMED, "--switchover-probe-rate", "0") as (running, url):
        assert send(url, {"Origin": url}, headless="true")["success"]
        running.wait_for("All users spawned")
        assert state(url)["control"]["fault"] == "lb-kill"


def test_a_controller_that_refuses_is_said_in_the_log_and_on_the_page(tmp_path: Path) -> None:
    """It is known only when the run begins, after Locust has taken the form."""
    web = Web(tmp_path, *ARMED)
    nodes = "".join(
        f'[[node]]\nname = "{name}"\nrole = "balancer"\nmachine_id = ["echo", "{name}"]\n' for name in ("lb1", "lb2")
    )
    fault = '[fault.lb-kill]\nkill = ["ssh", "{master}", "true"]\nheal = ["true"]\nverify_down = ["true"]\n'
    (tmp_path / "site.toml").write_text(f'[target]\nurl = "http://127.0.0.1:9/"\n{nodes}{fault}', encoding="utf-8")
    with web as (running, page):
        send(page, {"Origin": page})
        running.wait_for("the master is ambiguous")
        seen = state(page)
        assert seen["state"] == "none" and "the master is ambiguous" in seen["refusal"]
