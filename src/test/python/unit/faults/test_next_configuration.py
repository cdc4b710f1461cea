"""The next configuration: written with the next number, and proved by what is answered."""

import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from support.ports import closed_port
from switchover.faults.on_node import next_configuration
from switchover.lab.addresses import balancers
from switchover.lab.from_wheels import balancer_files
from switchover.lab.spec import FROM_WHEELS, LabSpec
from switchover.target.lab_directory import LabDirectory

FILE_OF = {"caddy": "caddy.conf", "traefik": "dynamic.yml", "envoy": "listeners.yaml"}


@pytest.mark.parametrize("name", FROM_WHEELS)
def test_each_balancers_file_has_a_number_that_can_be_raised(name: str, tmp_path: Path) -> None:
    text = balancer_files(LabSpec(balancer=name), balancers()[0], LabDirectory(tmp_path))[FILE_OF[name]]
    after, number = next_configuration.raise_number(text)
    assert number == 2 and after != text
    assert next_configuration.raise_number(after)[1] == 3


def test_a_backend_goes_and_comes_back(tmp_path: Path) -> None:
    spec = LabSpec(balancer="traefik", connections=True, backends=2)
    text = balancer_files(spec, balancers()[0], LabDirectory(tmp_path))["dynamic.yml"]
    without = next_configuration.leave_out(text, "web1")
    lines = [line for line in without.splitlines() if not line.startswith("#")]
    assert not [line for line in lines if "198.18.0.21" in line]
    assert len([line for line in lines if "198.18.0.22" in line]) == 2, "for HTTP and for plain TCP"
    assert next_configuration.leave_out(without, "web1") == without, "twice is once"
    assert next_configuration.bring_back(without, "web1") == text


class Page(BaseHTTPRequestHandler):
    number = "1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("X-Worker", f"17.{self.number}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(next_configuration, "TIMEOUT_S", 60.0)


def test_it_is_proved_by_what_is_answered_and_not_before_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "caddy.conf"
    file.write_text("header X-Worker {env.WORKER}.1\n")
    with HTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        serves = [str(file), "--serves", f"http://127.0.0.1:{server.server_port}/health"]
        assert next_configuration.main(serves) == 1, "nothing was written"
        assert next_configuration.main([str(file), "--next"]) == 0
        assert file.read_text() == "header X-Worker {env.WORKER}.2\n"
        assert next_configuration.main(serves) == 1, "it is not served yet"
        Page.number = "2"
        assert next_configuration.main(serves) == 0
        assert next_configuration.main([str(file), "--with", "web1"]) == 0
        assert next_configuration.main(serves) == 1, "it was taken back"
        server.shutdown()
    with closed_port() as port:
        nowhere = [str(file), "--serves", f"http://127.0.0.1:{port}/health"]
        assert next_configuration.main(nowhere) == 2, "nothing answers"


def test_a_restart_is_proved_by_another_process_that_answers(tmp_path: Path) -> None:
    file = tmp_path / "envoy.yaml"
    with HTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/health"
        assert next_configuration.main([str(file), "--other", url]) == 1, "nothing was written down"
        assert next_configuration.main([str(file), "--note", url]) == 0
        assert (tmp_path / "envoy.yaml.written").read_text() == "17"
        assert next_configuration.main([str(file), "--other", url]) == 1
        (tmp_path / "envoy.yaml.written").write_text("16")
        assert next_configuration.main([str(file), "--other", url]) == 0
        server.shutdown()


def test_the_command_runs_when_the_file_was_written(tmp_path: Path) -> None:
    file = tmp_path / "caddy.conf"
    file.write_text("header X-Worker {env.WORKER}.9\n")
    script = [sys.executable, "-I", "-S", next_configuration.__file__, str(file)]
    done = subprocess.run([*script, "--next", "grep", "-q", "WORKER}.10", str(file)], check=False)
    assert done.returncode == 0


@pytest.mark.parametrize(
    "words", [[], ["FILE"], ["FILE", "--jump"], ["FILE", "--with"], ["FILE", "--serves"], ["FILE", "--note"]]
)
def test_other_words_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert next_configuration.main(words) == 2
    assert "next_configuration.py FILE" in capsys.readouterr().err


def test_a_file_without_a_number_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "plain"
    file.write_text("nothing\n")
    assert next_configuration.main([str(file), "--next"]) == 2
    assert file.read_text() == "nothing\n"
