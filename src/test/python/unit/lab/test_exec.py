import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.agent import exec_argv, execute, running_agent
from support.ports import closed_port
from support.remains import lives
from support.waiting import wait_for
from switchover.lab import control
from switchover.lab.exec import NOT_FOUND, NOT_RUNNABLE, NOT_THERE, receive_message, send_message

PATIENCE_S = 20.0


def packet_socket() -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)


@pytest.fixture(scope="module")
def agent() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="sw-") as folder, running_agent(Path(folder)) as path:
        yield path


def test_a_command_has_the_callers_streams_and_its_own_exit_status(agent: Path) -> None:
    done = execute(agent, "--", "sh", "-c", "read line; echo out $line; echo err >&2; exit 7", text="hello\n")
    assert (done.returncode, done.stdout, done.stderr) == (7, "out hello\n", "err\n")


def test_a_command_has_the_callers_environment_and_directory(agent: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        exec_argv(agent, "--", "sh", "-c", "echo $COLOUR; pwd"),
        env={"COLOUR": "grün", "PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"grün\n{tmp_path}\n"


def test_what_cannot_be_run_says_so_as_a_shell_would(agent: Path, tmp_path: Path) -> None:
    missing = execute(agent, "--", "no-such-program")
    assert missing.returncode == NOT_FOUND
    assert missing.stderr == "no-such-program: No such file or directory\n"
    assert execute(agent, "--", str(tmp_path)).returncode == NOT_RUNNABLE


def test_without_an_agent_one_line_says_that_the_lab_is_gone(tmp_path: Path) -> None:
    done = execute(tmp_path / "lb1" / "exec.sock", "--", "true")
    assert done.returncode == NOT_THERE
    assert done.stderr.startswith("exec.py: host lb1 of the lab does not answer")
    assert done.stderr.count("\n") == 1


def test_a_message_that_the_kernel_refuses_is_one_line(agent: Path) -> None:
    done = execute(agent, "--", "true", *["x" * 100_000] * 10)
    assert (done.returncode, done.stderr.count("\n")) == (NOT_THERE, 1) and "Message too long" in done.stderr


def test_a_command_line_that_makes_no_sense_is_refused(agent: Path) -> None:
    for words in ((), ("--",), ("--service", "haproxy"), ("ls",)):
        done = execute(agent, *words)
        assert done.returncode == 2
        assert done.stderr.startswith("usage: exec.py SOCKET -- COMMAND")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGUSR1])
def test_signals_reach_the_commands_process_group(agent: Path, number: signal.Signals) -> None:
    script = f"trap 'echo caught; exit 9' {number.name[3:]}; echo ready; while :; do sleep 0.01; done"
    with subprocess.Popen(exec_argv(agent, "--", "bash", "-c", script), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.stdout.readline() == "caught\n"
        assert process.wait(PATIENCE_S) == 9


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_comes_while_the_command_is_asked_for_is_passed_on(number: signal.Signals) -> None:
    words = ["x" * 100_000]
    with (
        tempfile.TemporaryDirectory(prefix="sw-") as folder,
        packet_socket() as listener,
    ):
        path = Path(folder) / "exec.sock"
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(PATIENCE_S)
        with subprocess.Popen(exec_argv(path, "--", *words)) as process, listener.accept()[0] as accepted:
            accepted.settimeout(PATIENCE_S)
            request, descriptors = receive_message(accepted)
            process.send_signal(number)
            for descriptor in descriptors:
                os.close(descriptor)
            assert request is not None and request["argv"] == words
            assert receive_message(accepted)[0] == {"signal": number}
            send_message(accepted, {"exit": 7})
            assert process.wait(PATIENCE_S) == 7


def test_a_commands_group_ends_when_its_caller_is_killed(agent: Path) -> None:
    script = "sleep 1000 & echo $! $$; wait"
    process = subprocess.Popen(exec_argv(agent, "--", "sh", "-c", script), stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        pids = [int(word) for word in process.stdout.readline().split()]
        process.kill()
        wait_for(lambda: not any(lives(pid) for pid in pids))


def test_run_collects_what_a_command_prints(agent: Path) -> None:
    assert control.run(agent, ["cat"], "some text") == (0, "some text")
    status, said = control.run(agent, ["sh", "-c", "echo bad >&2; exit 4"])
    assert (status, said) == (4, "bad\n")


def test_a_connection_made_inside_is_handed_out(agent: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        connection = control.borrow_connection(agent, "127.0.0.1", port, PATIENCE_S)
        assert connection is not None
        with connection, server.accept()[0] as accepted:
            accepted.sendall(b"hello")
            assert connection.recv(5) == b"hello"
    with closed_port() as port:
        assert control.borrow_connection(agent, "127.0.0.1", port, PATIENCE_S) is None


def test_whoever_does_not_speak_the_protocol_is_dropped_and_others_are_served(agent: Path) -> None:
    for garbage in (
        b"GET / HTTP/1.0\r\n\r\n",
        b"{{{{",
        b"[]",
        b'{"argv": ["true"]}',
        b'{"connect": 7, "timeout": 1}',
    ):
        with packet_socket() as stranger:
            stranger.connect(str(agent))
            stranger.send(garbage)
            stranger.shutdown(socket.SHUT_WR)
            answer = stranger.recv(100)
            assert answer == b"" or json.loads(answer)["exit"] == 2
    assert execute(agent, "--", "true").returncode == 0


@contextlib.contextmanager
def another_user() -> Iterator[None]:
    """SO_PEERCRED tells who called listen(2) or connect(2)."""
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@AS_ROOT
def test_another_users_socket_gets_neither_environment_nor_descriptors() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="sw-") as folder,
        packet_socket() as listener,
    ):
        path = Path(folder) / "lb1" / "exec.sock"
        path.parent.mkdir()
        listener.bind(str(path))
        with another_user():
            listener.listen()
        listener.settimeout(PATIENCE_S)
        process = subprocess.Popen(exec_argv(path, "--", "true"), stderr=subprocess.PIPE, text=True)
        try:
            # The stranger hangs up after what it gets: a caller that talks to it would wait for an answer for ever.
            with listener.accept()[0] as accepted:
                accepted.settimeout(PATIENCE_S)
                data, descriptors, _, _ = socket.recv_fds(accepted, 1, 3)
            for descriptor in descriptors:
                os.close(descriptor)
            _, said = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
            process.communicate()
        assert (data, descriptors) == (b"", [])
        assert process.returncode == NOT_THERE
        assert "the agent belongs to another user" in said


@AS_ROOT
def test_another_users_call_is_not_answered(tmp_path: Path) -> None:
    done = tmp_path / "done"
    with (
        tempfile.TemporaryDirectory(prefix="sw-") as folder,
        running_agent(Path(folder)) as path,
        packet_socket() as caller,
        Path(os.devnull).open("r+b") as null,
    ):
        for place, mode in ((Path(folder), 0o711), (path, 0o666)):
            place.chmod(mode)
        with another_user():
            caller.connect(str(path))
        caller.settimeout(PATIENCE_S)
        with contextlib.suppress(ConnectionError):  # it went without reading the rest
            send_message(caller, {"argv": ["touch", str(done)]}, (null.fileno(),) * 3)
            assert caller.recv(1) == b""
    assert not done.exists()
