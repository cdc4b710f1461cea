"""`switchover lab` as a user meets it."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.ports import free_port

PATIENCE_S = 30.0
SERVE = "import http.server as h; h.HTTPServer(('127.0.0.1', {port}), h.SimpleHTTPRequestHandler).handle_request()"


def switchover(base: Path, *statuses: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "switchover", "lab", *statuses],
        env=os.environ | {"XDG_RUNTIME_DIR": str(base)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


@contextmanager
def lab_up(base: Path, *statuses: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The process and what it printed when it was up."""
    command = [sys.executable, "-m", "switchover", "lab", "up"]
    command += ["--keepalived", "version=3,advert_int=100ms", *statuses]
    environment = os.environ | {"XDG_RUNTIME_DIR": str(base)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = ""
        while "Ctrl-C" not in printed:
            line = process.stdout.readline()
            assert line
            printed += line
        try:
            yield process, printed
        finally:
            process.send_signal(signal.SIGTERM)


def test_up_status_exec_shell_and_down(short_folder: Path) -> None:
    port = free_port()
    with lab_up(short_folder, "--publish", str(port)) as (process, printed):
        (folder,) = (path for path in (short_folder / "switchover").iterdir() if path.is_dir())
        for statuses in ("198.18.0.50", f"{folder}/lb1/haproxy.sock", f"{folder}/target.toml", f"127.0.0.1:{port}"):
            assert statuses in printed

        status = switchover(short_folder, "status")
        assert status.returncode == 0
        (lb1,) = (line for line in status.stdout.splitlines() if line.split()[0] == "lb1")
        assert "haproxy running" in lb1
        assert "keepalived running" in lb1
        assert "holds the virtual address" in lb1

        done = switchover(short_folder, "exec", "lb2", "--", "sh", "-c", "hostname; exit 5")
        assert (done.returncode, done.stdout) == (5, "lb2\n")
        nowhere = switchover(short_folder, "exec", "lb3", "--", "true")
        assert nowhere.returncode == 2
        assert "has no host 'lb3': choose client, lb1" in nowhere.stderr
        assert switchover(short_folder, "exec", "lb1").returncode == 2
        unknown = switchover(short_folder, "status", "--lab", "nope")
        assert unknown.returncode == 2
        assert f"no lab 'nope' runs; running: {folder.name}" in unknown.stderr

        shell = [sys.executable, "-m", "switchover", "lab", "shell", "client"]
        environment = os.environ | {"XDG_RUNTIME_DIR": str(short_folder), "SHELL": "/bin/sh"}
        done = subprocess.run(
            shell, input="hostname\nexit 3\n", env=environment, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (3, "client\n")

        taken = switchover(short_folder, "up", "--publish", str(port))
        assert taken.returncode == 2
        assert f"cannot publish port {port}" in taken.stderr

        down = switchover(short_folder, "down")
        assert (down.returncode, down.stdout) == (0, f"lab {folder.name} has ended\n")
        assert process.wait(PATIENCE_S) == 0
    gone = switchover(short_folder, "status")
    assert gone.returncode == 2
    assert "no lab runs: start one with 'switchover lab up'" in gone.stderr


def test_a_published_port_leads_to_the_client(short_folder: Path) -> None:
    port = free_port()
    with lab_up(short_folder, "--publish", str(port)):
        command = ["exec", "client", "--", sys.executable, "-c", SERVE.format(port=port)]
        server = subprocess.Popen(
            [sys.executable, "-m", "switchover", "lab", *command],
            env=os.environ | {"XDG_RUNTIME_DIR": str(short_folder)},
            stderr=subprocess.DEVNULL,
        )
        with server:
            answer = b""
            while not answer:  # an empty answer: nobody listens inside yet
                with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
                    try:
                        connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
                        answer = connection.recv(65536)
                    except ConnectionError:
                        continue
            assert answer.startswith(b"HTTP/1.0 200 OK")


@pytest.mark.parametrize(
    ("statuses", "complaint"),
    [
        (("--balancer", "varnish"), "no balancer 'varnish'"),
        (("--mode", "udp"), "no mode of balancer haproxy 'udp'"),
        (("--keepalived", "advert=1"), "known: advert_int, "),
        (("--weights", "1"), "weights for each of its 3 backends"),
        (("--publish", "0"), "a port is a number from 1 to 65535"),
    ],
)
def test_wrong_options_are_one_line_and_start_nothing(
    short_folder: Path, statuses: tuple[str, ...], complaint: str
) -> None:
    done = switchover(short_folder, "up", *statuses)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (short_folder / "switchover").exists()


def test_a_missing_program_is_one_line_that_says_what_to_install(short_folder: Path, tmp_path: Path) -> None:
    hide = "import sys, switchover.lab.capability as p, switchover.cli.main as c; real = p.find_program; "
    hide += "p.find_program = lambda n: None if n == 'keepalived' else real(n); sys.exit(c.main(['lab', 'up']))"
    done = subprocess.run(
        [sys.executable, "-c", hide],
        env=os.environ | {"XDG_RUNTIME_DIR": str(short_folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "switchover: the lab needs keepalived (not installed): apt-get install keepalived\n"
    assert [path.name for path in (short_folder / "switchover").iterdir()] == [".lock"]
