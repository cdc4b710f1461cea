"""A command that cannot be ended, as one that sudo runs for another user, holds nobody up."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from switchover.model.clock import Clock
from switchover.process import groups as process_groups
from switchover.process.command import run_command
from switchover.process.groups import end_group
from switchover.process.stream import Mark, Stream
from switchover.target.telemetry_sources import Command

pytestmark = pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")


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


def test_a_command_of_a_fault_is_left_and_that_is_said(not_ours: None) -> None:
    outcome = run_command(["sleep", "1000"], 0.1)
    assert not outcome.ok
    assert str(outcome) == "`sleep …`: no end within 0.1 s, and the process cannot be killed: it may still run"


def test_a_stream_that_closes_its_output_and_goes_on_is_left_and_that_is_said(not_ours: None, tmp_path: Path) -> None:
    stream = Stream(Command(("sh", "-c", "exec >&- 2>&-; exec sleep 1000")), Clock.of_process())
    marks: list[Mark] = []
    while len(marks) < 2:
        marks += [item for item in stream.poll(5.0) if isinstance(item, Mark)]
    assert not marks[1].is_open and "cannot be killed" in marks[1].reason
