"""The agent of a host in the lab: commands that it runs for a caller, and services that it starts and ends."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from support.agent import exec_argv, execute, running_agent
from support.ports import closed_port
from support.remains import lives
from support.waiting import wait_for
from switchover.faults.kill_stamp import read_kill_stamp
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


SERVER = """
import os, signal, sys, time
child = os.fork()
if child == 0:
    os.setsid()  # like a daemon's worker that leaves the session
else:
    if "deaf" in sys.argv:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    else:
        signal.signal(signal.SIGTERM, lambda n, f: (os.kill(child, 9), os._exit(0)))
    print("serving", child, flush=True)
while True:
    time.sleep(1000)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="sw-") as path:
        yield Path(path)


def server(folder: Path, **values: Any) -> dict[str, Any]:
    return {
        "name": "server",
        "argv": [sys.executable, "-c", SERVER],
        "log": str(folder / "server.log"),
        "ready_text": "serving",
    } | values


def pids(agent: Path) -> list[int]:
    status, said = control.service_verb(agent, "server", "status")
    return [] if status == 3 else [int(word) for word in said.partition("(")[2].rstrip(")").split()]


def says(answer: tuple[int, str], text: str) -> bool:
    """Whether a verb succeeded, and stamped when it signalled."""
    code, said = answer
    stamp = read_kill_stamp(said)
    return code == 0 and said.startswith(f"{text} between ") and stamp is not None and stamp[0] <= stamp[1]


def test_a_service_is_started_killed_and_started_again(folder: Path) -> None:
    pid_file = folder / "server.pid"
    with running_agent(folder, [server(folder, pid_files=[str(pid_file)])]) as agent:
        assert control.service_verb(agent, "server", "status") == (3, "server not running")
        assert control.service_verb(agent, "server", "start")[0] == 0
        first = pids(agent)
        assert len(first) == 2
        pid_file.write_text("left behind", encoding="ascii")
        assert says(control.service_verb(agent, "server", "kill"), "server killed")
        assert control.service_verb(agent, "server", "status")[0] == 3
        assert control.service_verb(agent, "server", "start")[0] == 0
        assert not set(first) & set(pids(agent))
        assert not pid_file.exists()
        assert control.service_verb(agent, "server", "kill")[0] == 0


def test_killing_what_does_not_run_is_no_success(folder: Path) -> None:
    with running_agent(folder, [server(folder)]) as agent:
        assert control.service_verb(agent, "server", "kill") == (3, "server does not run: there is nothing to kill")
        for verb in ("freeze", "slow", "reload", "thaw"):
            assert control.service_verb(agent, "server", verb)[0] == 3


def test_a_service_is_reloaded_by_its_own_command_where_it_has_one(folder: Path) -> None:
    done = folder / "reloaded"
    with running_agent(folder, [server(folder, reload_command=["touch", str(done)])]) as agent:
        control.service_verb(agent, "server", "start")
        assert control.service_verb(agent, "server", "reload") == (0, "server reloaded")
        assert done.exists()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["sh", "-c", "echo a typo in line 7; exit 1"], "did not reload: a typo in line 7"),
        (["/nowhere/caddy"], "did not reload: /nowhere/caddy: No such file"),
        ([], "loads a changed file automatically"),
    ],
)
def test_a_reload_that_does_not_work_says_why(folder: Path, command: list[str], said: str) -> None:
    with running_agent(folder, [server(folder, reload_command=command)]) as agent:
        control.service_verb(agent, "server", "start")
        status, answer = control.service_verb(agent, "server", "reload")
        assert status == 1 and said in answer
        assert len(pids(agent)) == 2, "it still runs"


def test_a_service_that_asks_to_end_with_its_parent_outlives_the_request_that_started_it(folder: Path) -> None:
    """Envoy does; the kernel takes the thread that started it for its parent."""
    dependent = f"import ctypes; ctypes.CDLL(None).prctl(1, {signal.SIGTERM.value})\n{SERVER}"
    with running_agent(folder, [server(folder, argv=[sys.executable, "-c", dependent])]) as agent:
        assert control.service_verb(agent, "server", "start")[0] == 0
        for _ in range(20):
            assert control.service_verb(agent, "server", "status")[0] == 0
        control.service_verb(agent, "server", "kill")


def test_stop_ends_a_frozen_service_too(folder: Path) -> None:
    with running_agent(folder, [server(folder)]) as agent:
        control.service_verb(agent, "server", "start")
        assert says(control.service_verb(agent, "server", "freeze"), "server frozen")
        assert control.service_verb(agent, "server", "status")[0] == 4
        assert says(control.service_verb(agent, "server", "stop"), "server stopped")
        assert control.service_verb(agent, "server", "status")[0] == 3


def test_thaw_ends_freezing_and_slowness(folder: Path) -> None:
    with running_agent(folder, [server(folder)]) as agent:
        control.service_verb(agent, "server", "start")
        control.service_verb(agent, "server", "freeze")
        assert control.service_verb(agent, "server", "thaw") == (0, "server running")
        assert control.service_verb(agent, "server", "slow") == (0, "server slowed")
        assert "slowed" in control.service_verb(agent, "server", "status")[1]
        assert control.service_verb(agent, "server", "thaw") == (0, "server running")
        status, said = control.service_verb(agent, "server", "status")
        assert status == 0
        assert "slowed" not in said
        control.service_verb(agent, "server", "kill")


def test_a_supervised_service_comes_back_after_a_kill_and_not_after_a_stop(folder: Path) -> None:
    with running_agent(folder, [server(folder, supervised=True)]) as agent:
        control.service_verb(agent, "server", "start")
        before = pids(agent)
        assert control.service_verb(agent, "server", "kill")[0] == 0
        wait_for(lambda: len(pids(agent)) == 2)
        assert not set(before) & set(pids(agent))
        assert control.service_verb(agent, "server", "stop")[0] == 0
        assert pids(agent) == []


def test_a_supervised_service_whose_first_process_dies_comes_back_whole(folder: Path) -> None:
    with running_agent(folder, [server(folder, supervised=True)]) as agent:
        _, said = control.service_verb(agent, "server", "start")
        before = pids(agent)
        os.kill(int(said.partition("(")[2].rstrip(")")), signal.SIGKILL)
        wait_for(lambda: len(found := pids(agent)) == 2 and not set(before) & set(found))
    for pid in before:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)  # the one in a session of its own, which a host of the lab ends with itself


def test_a_service_that_ends_at_once_says_its_last_line(folder: Path) -> None:
    script = "import sys; sys.stderr.write('config\\nport in use\\n'); sys.exit(3)"
    with running_agent(folder, [server(folder, argv=[sys.executable, "-c", script])]) as agent:
        done = execute(agent, "--service", "server", "start")
    assert done.returncode == 1
    assert done.stderr == "server ended at once with status 3: port in use\n"


def test_unknown_services_and_verbs_are_answered_with_the_known_ones(folder: Path) -> None:
    with running_agent(folder, [server(folder)]) as agent:
        verb = execute(agent, "--service", "server", "dance")
        assert (verb.returncode, "known verbs: start, kill, stop" in verb.stderr) == (2, True)
        name = execute(agent, "--service", "nginx", "start")
        assert (name.returncode, name.stderr.endswith("known are server\n")) == (2, True)
