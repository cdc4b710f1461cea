import time

import pytest

from switchover.faults.execution import fill, run


def test_status_and_last_line_come_back() -> None:
    outcome = run(["sh", "-c", "echo first; echo second >&2; exit 7"])
    assert (outcome.status, outcome.output, outcome.ok) == (7, "second", False)
    assert str(outcome).endswith("exit status 7 (second)")


def test_a_missing_program_is_not_started() -> None:
    outcome = run(["/does/not/exist"])
    assert outcome.not_started
    assert "No such file" in str(outcome)


def test_a_command_without_end_is_ended_with_all_its_children() -> None:
    started: list[int] = []
    outcome = run(["sh", "-c", "sleep 1000 & sleep 1000"], 0.2, started=started.append)
    assert outcome.status is None
    assert outcome.problem == "no end within 0.2 s"
    with pytest.raises(ProcessLookupError):
        _signal_group_until_gone(started[0])


def test_what_runs_on_in_the_background_is_not_waited_for() -> None:
    started: list[int] = []
    before = time.monotonic()
    outcome = run(["sh", "-c", "sleep 5 & echo done"], 60.0, started=started.append)
    assert outcome.ok
    assert outcome.output == "done"
    assert time.monotonic() - before < 5


def test_endless_output_is_neither_kept_nor_waited_for() -> None:
    outcome = run(["sh", "-c", "yes a-line-of-output"], 0.3)
    assert outcome.problem == "no end within 0.3 s"
    assert len(outcome.output) <= 300


def test_control_characters_do_not_reach_a_message() -> None:
    assert run(["printf", "a\\033[31mb\\007"]).output == "a [31mb"


def test_given_up_ends_it_at_once() -> None:
    assert run(["sleep", "1000"], given_up=lambda: True).problem == "given up"


def test_only_known_names_are_filled_in() -> None:
    command = ("ssh", "{master}", "awk", "{print $1}", "{backup}:{master}", "{victim}")
    assert fill(command, {"master": "lb1", "backup": "lb2"}) == (
        "ssh", "lb1", "awk", "{print $1}", "lb2:lb1", "{victim}",
    )  # fmt: skip


def _signal_group_until_gone(group: int) -> None:
    import os

    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        os.killpg(group, 0)
        time.sleep(0.01)
