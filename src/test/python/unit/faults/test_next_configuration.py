"""The next configuration: written with the next number, and proved by what is answered."""

import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from switchover.faults.on_node import node_state
from switchover.lab.addresses import balancers, client
from switchover.lab.blueprint import CADDY_ADMIN
from switchover.lab.configs import render
from switchover.lab.spec import LabSpec

FILE_OF = {"caddy": "caddy.conf", "traefik": "dynamic.yml", "envoy": "listeners.yaml"}


class Page(BaseHTTPRequestHandler):
    number = "1"

    def do_GET(self) -> None:
        self.send_response(200)
        if self.path == "/health":
            self.send_header("X-Worker", f"17.{self.number}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def serves() -> Iterator[list[str]]:
    with HTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield ["--serves", f"http://127.0.0.1:{server.server_port}/health"]
        server.shutdown()


@pytest.mark.parametrize("name", FILE_OF)
def test_each_balancers_file_names_the_configuration_by_a_number_that_is_raised(name: str, tmp_path: Path) -> None:
    file = tmp_path / FILE_OF[name]
    text = render(FILE_OF[name], LabSpec(balancer=name), balancers()[0], tmp_path, caddy_admin=CADDY_ADMIN)
    assert "X-Worker" in text and "X-Balancer" in text
    file.write_text(text)
    assert node_state.main([str(file), "--next"]) == 0
    assert file.read_text() == node_state.NUMBER.sub(r"\g<1>2", text) != text


def test_a_backend_goes_and_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "dynamic.yml"
    spec = LabSpec(balancer="traefik", connections=True, backends=2)
    file.write_text(render("dynamic.yml", spec, client(), tmp_path))
    whole = file.read_text().splitlines()
    assert node_state.main([str(file), "--without", "web1"]) == 0
    served = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    assert not [line for line in served if "198.18.0.21" in line]
    assert len([line for line in served if "198.18.0.22" in line]) == 2, "for HTTP and for plain TCP"
    assert node_state.main([str(file), "--with", "web1"]) == 0
    assert len(file.read_text().splitlines()) == len(whole) and "#        - url" not in file.read_text()


def test_it_is_proved_by_what_is_answered_and_not_before_it_was_written(tmp_path: Path, serves: list[str]) -> None:
    file = tmp_path / "caddy.conf"
    file.write_text("header X-Worker {env.WORKER}.1\n")
    assert node_state.main([str(file), *serves]) == 1, "nothing was written"
    assert node_state.main([str(file), "--next"]) == 0
    assert node_state.main([str(file), *serves]) == 1, "it is not served yet"
    Page.number = "2"
    assert node_state.main([str(file), *serves]) == 0
    for _ in range(2):
        assert node_state.main([str(file), "--with", "web1"]) == 0
        assert node_state.main([str(file), *serves]) == 1, "it was taken back"
    Page.number = ""
    assert node_state.main([str(file), *serves]) == 2, "the header has no number"
    assert node_state.main([str(file), serves[0], serves[1].removesuffix("/health")]) == 2, "it has no header"
    command = [sys.executable, "-I", "-S", node_state.__file__, str(file), "--next", "sh", "-c", "exit 7"]
    assert subprocess.run(command, check=False).returncode == 7
    assert file.read_text() == "header X-Worker {env.WORKER}.5\n"


@pytest.mark.parametrize("words", [[], ["FILE"], ["FILE", "--jump"], ["FILE", "--with"], ["FILE", "--serves"]])
def test_other_words_are_refused(words: list[str]) -> None:
    assert node_state.main(words) == 2


def test_a_file_without_a_number_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "plain"
    file.write_text("nothing\n")
    assert node_state.main([str(file), "--next"]) == 2
    assert file.read_text() == "nothing\n"
