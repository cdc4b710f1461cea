"""Commands end in time and take all that they started with them; one that cannot be ended holds nobody up."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.held_fetch import FOREVER_S, fetch
from support.remains import lives, marked, open_descriptors
from support.waiting import wait_for
from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.process import groups as process_groups
from switchover.process.command import run_command
from switchover.process.groups import OrphanGuard, end_group
from switchover.process.stream import LineSplitter, Mark, SourceLine, Stream
from switchover.target.telemetry_sources import Command

CLOCK = Clock.of_process()


def shell(script: str) -> Command:
    return Command(("sh", "-c", script))


def pid_in(path: Path) -> int:
    wait_for(lambda: path.exists() and path.read_text().endswith("\n"))
    return int(path.read_text())


def test_command_answers_with_its_whole_output() -> None:
    assert fetch(Command((sys.executable, "-c", "print('x' * 500_000)"))) == b"x" * 500_000 + b"\n"


def test_command_that_complains_without_end_is_ended_by_the_clock() -> None:
    with pytest.raises(TelemetryError, match=r"within 0\.3 s"):
        fetch(shell("yes >&2"), None, 0.3)


def test_half_an_answer_is_no_complaint() -> None:
    with pytest.raises(TelemetryError, match=r"no end within 0\.3 s$"):
        fetch(shell("echo web1,UP,1; exec sleep 30"), timeout_s=0.3)


def test_command_that_hangs_is_killed_with_all_its_children(tmp_path: Path) -> None:
    with pytest.raises(TelemetryError, match=r"within 0\.5 s"):
        fetch(shell(f"tail -f /dev/null {tmp_path} & wait"), None, 0.5)
    wait_for(lambda: not any(map(lives, marked(tmp_path))))


def test_child_that_keeps_the_output_open_cannot_hold_the_answer_back(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    assert fetch(shell(f"sleep 1000 & echo $! > {pid_file}; echo answer"), None, FOREVER_S) == b"answer\n"
    wait_for(lambda: not lives(pid_in(pid_file)))


def test_orphan_guard_kills_what_is_left_when_it_is_closed() -> None:
    orphan_guard = OrphanGuard()
    with subprocess.Popen(["sleep", "1000"], start_new_session=True) as process:
        orphan_guard.add(process.pid)
        orphan_guard.close()
        assert process.wait(FOREVER_S) == -signal.SIGKILL


def test_orphan_guard_holds_when_its_owner_is_killed() -> None:
    """The owner is killed with SIGKILL, and its whole group with it: the command still ends."""
    script = (
        "import subprocess, sys, time; from switchover.process.groups import OrphanGuard\n"
        "child = subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
        "orphan_guard = OrphanGuard(); orphan_guard.add(child.pid); print(child.pid, flush=True); time.sleep(1000)"
    )
    owner = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True)
    with owner:
        assert owner.stdout is not None
        child = int(owner.stdout.readline())
        wait_for(lambda: b"groups.py" in b"".join(_command_lines(owner.pid)))
        os.killpg(owner.pid, signal.SIGKILL)
    wait_for(lambda: not lives(child))


def _command_lines(parent: int) -> list[bytes]:
    lines: list[bytes] = []
    for task in Path(f"/proc/{parent}/task").iterdir():
        children = (task / "children").read_text().split()
        lines += [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children]
    return lines


def test_helper_survives_being_ended_by_somebody() -> None:
    orphan_guard = OrphanGuard()
    with subprocess.Popen(["sleep", "1000"], start_new_session=True) as first:
        orphan_guard.add(first.pid)
        helper = orphan_guard._helper
        assert helper is not None
        os.kill(helper.pid, signal.SIGKILL)
        helper.wait()
        orphan_guard.remove(first.pid)
        first.kill()
    orphan_guard.close()


def read(stream: Stream, enough: Callable[[list[SourceLine | Mark]], bool]) -> list[SourceLine | Mark]:
    found: list[SourceLine | Mark] = []

    def more() -> bool:
        found.extend(stream.poll(0.05))
        return enough(found)

    wait_for(more)
    return found


def texts(items: list[SourceLine | Mark]) -> list[str]:
    return [item.text for item in items if isinstance(item, SourceLine)]


def test_stream_yields_lines_as_they_come_with_the_time_of_their_arrival() -> None:
    stream = Stream(shell("echo one; echo two; exec sleep 1000"), CLOCK)
    before_ns = CLOCK.now_ns()
    items = read(stream, lambda found: len(texts(found)) == 2)
    assert isinstance(items[0], Mark) and items[0].is_open
    assert texts(items) == ["one", "two"]
    arrived = [item.arrived_ns for item in items if isinstance(item, SourceLine)]
    assert before_ns < arrived[0] < arrived[1] <= CLOCK.now_ns() + 1000
    stream.close()


def test_stream_that_ends_says_why_and_is_started_again() -> None:
    stream = Stream(shell("echo hello; echo connection lost >&2; exit 1"), CLOCK)
    items = read(stream, lambda found: len(texts(found)) == 2)
    closed = [item for item in items if isinstance(item, Mark) and not item.is_open]
    assert closed and closed[0].reason.endswith("ended: connection lost")
    stream.close()


def test_stream_that_cannot_start_says_so_and_tries_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("switchover.process.stream.BACKOFF_S", (3600.0,))
    stream = Stream(Command(("no-such-program-here",)), CLOCK)
    (mark,) = stream.poll(0)
    assert isinstance(mark, Mark) and "cannot run" in mark.reason
    assert stream.poll(0) == []
    stream._next_start -= 3600.0
    assert len(read(stream, lambda found: len(found) == 1)) == 1


def test_closed_stream_leaves_no_process_and_no_descriptor(tmp_path: Path) -> None:
    before = open_descriptors()
    stream = Stream(shell(f"sleep 1000 & echo $! > {tmp_path}/pid; echo up; wait"), CLOCK)
    read(stream, lambda found: texts(found) == ["up"])
    child = pid_in(tmp_path / "pid")
    stream.close()
    wait_for(lambda: not lives(child))
    assert open_descriptors() <= before


def test_stream_over_ssh_gets_a_terminal_which_ends_it_on_the_node(tmp_path: Path) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\necho "$@"; exec sleep 1000\n')
    ssh.chmod(0o755)
    stream = Stream(Command((str(ssh), "lb1", "ip", "monitor")), CLOCK)
    assert texts(read(stream, lambda found: len(texts(found)) == 1)) == ["-tt lb1 ip monitor"]
    stream.close()


def test_lines_are_put_together_from_pieces() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"on", 1) == []
    assert splitter.feed(b"e\ntwo\nthr", 5) == [SourceLine("one", 5), SourceLine("two", 1005)]
    assert splitter.feed(b"ee\n", 9) == [SourceLine("three", 9)]


LEFT_RUNNING = pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")


@pytest.fixture
def not_ours(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """SIGKILL to a group is not permitted; at the end it is."""
    groups: list[int] = []
    killpg = os.killpg

    def refused(group: int, number: int) -> None:
        groups.append(group)
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(process_groups, "GONE_WITHIN_S", 0.1)
    monkeypatch.setattr(os, "killpg", refused)
    yield
    for group in groups:
        killpg(group, signal.SIGKILL)


def test_a_group_is_ended_and_reaped() -> None:
    with subprocess.Popen(["sleep", "1000"], start_new_session=True) as process:
        assert end_group(process)
        assert process.returncode == -signal.SIGKILL


@LEFT_RUNNING
def test_a_command_of_a_fault_is_left_and_that_is_said(not_ours: None) -> None:
    outcome = run_command(["sleep", "1000"], 0.1)
    assert not outcome.ok
    assert str(outcome) == "`sleep …`: no end within 0.1 s, and the process cannot be killed: it may still run"


@LEFT_RUNNING
def test_a_stream_that_closes_its_output_and_goes_on_is_left_and_that_is_said(not_ours: None, tmp_path: Path) -> None:
    stream = Stream(Command(("sh", "-c", "exec >&- 2>&-; exec sleep 1000")), Clock.of_process())
    marks: list[Mark] = []
    while len(marks) < 2:
        marks += [item for item in stream.poll(5.0) if isinstance(item, Mark)]
    assert not marks[1].is_open and "cannot be killed" in marks[1].reason
