"""The catalogue of changes: each says what it does, how that is proved, and what it promises to whom."""

import socket
import ssl
import subprocess
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from support.certificate import write_certificate
from support.servers import tcp_server
from switchover.faults.catalogue import CATALOGUE, CHANGES, fault_named
from switchover.faults.mechanism import LabCommands
from switchover.faults.on_node import node_state
from switchover.lab.target_file import change_table

NAMES = sorted(CHANGES)
NAMED = {
    "haproxy-reload", "nginx-reload", "server-drain", "priority-move", "haproxy-drain", "keepalived-stop",
    "caddy-reload", "traefik-swap", "envoy-listener", "certificate-swap", "backend-swap",
}  # fmt: skip
LABS = {
    name: LabCommands("/usr/bin/python3", "/opt/exec.py", "/run/lab", name, address="198.18.0.50")
    for name in ("haproxy", "nginx", "caddy", "traefik", "envoy")
}
LABS["https"] = replace(LABS["haproxy"], mode="https")
LABS["connections"] = replace(LABS["haproxy"], connections=True)


def test_the_catalogue_has_all_changes() -> None:
    assert set(CHANGES) == NAMED
    assert all(fault_named(name) is change for name, change in CHANGES.items())


@pytest.mark.parametrize("name", NAMES)
def test_every_change_is_proved_undone_and_ready_before(name: str) -> None:
    lab = next(lab for lab in LABS.values() if CHANGES[name].applies(lab) is None)
    recipe = CHANGES[name].recipe(lab)
    assert set(change_table(recipe)) == {"do", "undo", "verify", "ready"}


@pytest.mark.parametrize(
    ("name", "balancer"),
    [
        ("nginx-reload", "haproxy"), ("haproxy-reload", "nginx"), ("server-drain", "nginx"),
        ("caddy-reload", "envoy"), ("traefik-swap", "caddy"), ("envoy-listener", "traefik"),
        ("backend-swap", "envoy"),
    ],
)  # fmt: skip
def test_a_change_that_a_lab_cannot_do_says_why(name: str, balancer: str) -> None:
    assert repr(balancer) in str(CHANGES[name].applies(LABS[balancer]))


@pytest.mark.parametrize(
    ("name", "option", "able"),
    [("certificate-swap", "--mode https", "https"), ("backend-swap", "--connection-paths", "connections")],
)
def test_a_change_names_the_option_that_its_lab_needs(name: str, option: str, able: str) -> None:
    assert option in str(CHANGES[name].applies(LABS["haproxy"]))
    assert CHANGES[name].applies(LABS[able]) is None


def test_the_certificate_that_a_server_shows_is_told_from_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = write_certificate(tmp_path)
    other = tmp_path / "other.pem"
    other.write_text(shown.read_text().replace("MII", "MIJ", 1))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(shown, tmp_path / "key.pem")

    def shake_hands(connection: socket.socket, _over: threading.Event) -> None:
        context.wrap_socket(connection, server_side=True).close()

    arguments = ["127.0.0.1", "--shows-certificate"]
    with tcp_server(shake_hands) as port:
        monkeypatch.setattr(node_state, "shown_certificate", partial(node_state.shown_certificate, port=port))
        chain, late = tmp_path / "chain.pem", tmp_path / "late.pem"
        chain.write_text((tmp_path / "key.pem").read_text() + shown.read_text() + other.read_text())
        late.write_text(other.read_text() + shown.read_text())
        for file, status in ((shown, 0), (chain, 0), (late, 1), (other, 1), (tmp_path / "none", 2)):
            assert node_state.main([*arguments, str(file)]) == status
    assert node_state.main([*arguments, str(shown)]) == 2


SERVERS = {
    "haproxy": (
        "haproxy.cfg",
        "    server web1 :80 weight 1 # web1\n    server web1-next :8081 weight 1 disabled # web1-next",
    ),
    "nginx": ("nginx.conf", "    server :80 weight=1; # web1\n    server :8081 weight=1 down; # web1-next"),
}
SWAPPED = {
    "haproxy": "    server web1 :80 weight 1 disabled # web1\n    server web1-next :8081 weight 1 # web1-next",
    "nginx": "    server :80 weight=1 down; # web1\n    server :8081 weight=1; # web1-next",
}


@pytest.mark.parametrize("balancer", SERVERS)
def test_a_swap_of_backends_exchanges_two_servers_and_puts_them_back_also_when_it_is_repeated(
    tmp_path: Path, balancer: str
) -> None:
    (tmp_path / "lb1").mkdir()
    name, text = SERVERS[balancer]
    config = tmp_path / "lb1" / name
    config.write_text(f"{text}\n")
    recipe = CHANGES["backend-swap"].recipe(replace(LABS[balancer], connections=True, directory=str(tmp_path)))
    assert recipe.heal is not None
    for command, expected in ((recipe.kill, SWAPPED[balancer]), (recipe.heal, text)):
        first = next(at for at, word in enumerate(command) if word.startswith("sed")) - 2
        words = [word.replace("{master}", "lb1") for word in command[first:]]
        for _ in range(2):
            subprocess.run([*words[: words.index(str(config)) + 3], "true"], check=True)
            assert config.read_text() == f"{expected}\n"


def test_no_change_that_is_no_fault_can_be_fired_as_one() -> None:
    assert {name for name in CHANGES if name in CATALOGUE} == {"haproxy-reload", "haproxy-drain", "keepalived-stop"}


def proc(folder: Path, pid: int, parent: int, title: str) -> None:
    (folder / str(pid)).mkdir()
    (folder / str(pid) / "stat").write_text(f"{pid} (nginx (x)) S {parent} 1 1\n")
    (folder / str(pid) / "cmdline").write_bytes(title.encode() + b"\0")


def test_workers_that_shut_down_serve_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proc(tmp_path, 7, 1, "nginx: master process")
    proc(tmp_path, 8, 7, "nginx: worker process is shutting down")
    proc(tmp_path, 9, 7, "nginx: worker process")
    proc(tmp_path, 10, 3, "nginx: worker process")
    monkeypatch.setattr(node_state, "PROC", tmp_path)
    (tmp_path / "nginx.pid").write_text("7\n")
    assert node_state.serving_workers(str(tmp_path / "nginx.pid")) == {9}


@pytest.mark.parametrize(("noted", "status"), [("8", 0), ("8 9", 1), ("9", 1)])
def test_other_workers_are_those_of_which_none_was_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, noted: str, status: int
) -> None:
    proc(tmp_path, 9, 7, "nginx: worker process")
    monkeypatch.setattr(node_state, "PROC", tmp_path)
    (tmp_path / "nginx.pid").write_text("7\n")
    (tmp_path / "note").write_text(noted)
    assert node_state.main([str(tmp_path / "nginx.pid"), "--other-workers", str(tmp_path / "note")]) == status
