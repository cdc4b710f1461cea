import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from support.agent import execute, running_agent
from support.waiting import wait_for
from switchover.faults.kill_stamp import read_kill_stamp
from switchover.lab import control

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
