import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.remains import lives
from support.waiting import wait_for
from switchover.process.command import run_command, run_prepared_command


def test_what_runs_on_in_the_background_is_not_waited_for() -> None:
    before = time.monotonic()
    outcome = run_command(["sh", "-c", "sleep 60 & echo done"], 120.0)
    assert outcome.ok
    assert outcome.last_line == "done"
    assert time.monotonic() - before < 60


def test_a_setuid_program_runs_in_the_background_of_an_ordinary_user() -> None:
    """The kernel refuses to change its priority, as that of a program with file capabilities."""
    child = os.fork()
    if not child:
        try:
            if os.geteuid() == 0:
                os.setuid(65534)
            os._exit(0 if run_command(["su", "--version"], background=True).ok else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_control_characters_do_not_reach_a_message() -> None:
    assert run_command(["printf", "a\\033[31mb\\007"]).last_line == "a [31mb"


def test_given_up_ends_it_at_once() -> None:
    assert run_command(["sleep", "1000"], stop_early=lambda: True).problem == "stopped early"


def test_nothing_of_a_prepared_command_happens_before_its_group_is_known(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    seen: list[tuple[int, bool]] = []
    outcome = run_prepared_command(
        ["sh", "-c", f"touch {mark}; cat; echo $$"], lambda group: seen.append((group, mark.exists()))
    )
    assert outcome.ok
    assert seen == [(int(outcome.last_line), False)]
    assert mark.exists()


def test_whoever_knows_its_group_can_keep_a_prepared_command_from_happening(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    outcome = run_prepared_command(["touch", str(mark)], lambda group: os.killpg(group, signal.SIGKILL))
    assert outcome.status == -signal.SIGKILL
    assert not mark.exists()


def test_a_prepared_command_whose_parent_dies_does_not_happen(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    code = (
        "import os, signal, sys; from switchover.process.command import run_prepared_command\n"
        "def die(group):\n    print(group, flush=True); os.kill(os.getpid(), signal.SIGKILL)\n"
        f"run_prepared_command(['touch', {str(mark)!r}], die)"
    )
    paths = os.pathsep.join(sys.path)
    died = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.PIPE
    )
    assert died.returncode == -signal.SIGKILL
    wait_for(lambda: not lives(int(died.stdout)))
    assert not mark.exists()


@pytest.mark.parametrize(("command", "reason"), [("/does/not/exist", "No such file"), ("/etc/passwd", "denied")])
def test_a_prepared_program_that_cannot_be_run_is_not_started(command: str, reason: str) -> None:
    outcome = run_prepared_command([command], lambda group: pytest.fail("something was started"))
    assert not outcome.was_started
    assert reason in str(outcome)
