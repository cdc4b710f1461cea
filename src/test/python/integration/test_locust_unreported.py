"""A run has the requests that the server answered and that are missing in Locust's statistics."""

from pathlib import Path

import pytest

from support.locusting import locust, only_run
from support.misbehaving import misbehaving

pytestmark = pytest.mark.beside

USERS = 3
HEAD = """
import switchover.locust
from locust import FastHttpUser, HttpUser, constant
from locust.exception import RescheduleTask
from switchover.locust import BalancerHttpUser
"""
EACH_CLIENT = """
class Plain(Habit, HttpUser):
    path = "/plain"

class Fast(Habit, FastHttpUser):
    path = "/fast"

class Own(Habit, BalancerHttpUser):
    path = "/own"
"""
RAISING = f"""{HEAD}
def look(user):
    user.asked += 1
    with user.client.get(user.path, catch_response=True) as answer:
        if user.asked % 3 == 1:
            raise KeyError("price")
        if user.asked % 3 == 2:
            raise RescheduleTask()

class Habit:
    wait_time = constant(0.05)
    asked = 0
    tasks = [look]
{EACH_CLIENT}"""
UNCLOSED = f"""{HEAD}
def look(user):
    answer = user.client.get(user.path, catch_response=True)
    second = user.client.get("/status/503", name=user.path, catch_response=True)
    if user.closes:
        with second:
            second.success()

class Habit:
    wait_time = constant(0.05)
    closes = False
    tasks = [look]
{EACH_CLIENT}
class Careful(Plain):
    path = "/careful"
    closes = True
"""
STOPPED = f"""{HEAD}
def look(user):
    user.client.get("/")

class Habit:
    wait_time = constant(0)
    tasks = [look]
{EACH_CLIENT}"""


def test_a_request_whose_block_raised_is_recorded_with_what_it_raised(tmp_path: Path) -> None:
    (tmp_path / "raising.py").write_text(RAISING, encoding="utf-8")
    with misbehaving() as server:
        brief = (*_briefly(USERS), "--stop-timeout", "5")
        with locust(tmp_path, "-f", "raising.py", "-H", server.url("site", ""), *brief) as run:
            assert run.end() == 1, run.said  # by Locust: tasks raised
        asked = server.seen("site").requests
    left = only_run(tmp_path)
    assert len(left.samples) == left.counted
    abandoned = [sample for sample in left.samples if sample.label == "abandoned"]
    assert len(abandoned) <= USERS, "at its end Locust kills what a user is waiting for"
    assert len(left.samples) - len(abandoned) <= asked <= len(left.samples)
    for path in ("/plain", "/fast", "/own"):
        of_user = [sample for sample in left.samples if sample.label == path]
        assert {sample.error for sample in of_user} == {None, "assertion"}, path
        assert {sample.failure_message for sample in of_user} == {"", "'price'"}, path
    assert "are missing in Locust's own statistics" in "\n".join(left.verdict()["warnings"])


def test_a_response_that_nothing_closes_is_recorded_as_the_client_saw_it(tmp_path: Path) -> None:
    (tmp_path / "unclosed.py").write_text(UNCLOSED, encoding="utf-8")
    with misbehaving() as server:
        with locust(
            tmp_path, "-f", "unclosed.py", "-H", server.url("site", ""), *_briefly(4), "--stop-timeout", "5"
        ) as run:
            assert run.end() == 0, run.said
        asked = server.seen("site").requests
    left = only_run(tmp_path)
    assert left.answered <= asked <= len(left.samples) == left.counted
    for path, of_503 in (("/plain", "status"), ("/fast", "status"), ("/own", "status"), ("/careful", None)):
        rows = [sample for sample in left.samples if sample.label == path]
        assert {(sample.code, sample.error) for sample in rows} == {("200", None), ("503", of_503)}, path
        assert len({sample.thread for sample in rows}) == 1, path
    careful = sum(sample.label == "/careful" and sample.code == "503" for sample in left.samples)
    warning = f"{left.answered - careful} requests are missing in Locust's own statistics"
    assert warning in "\n".join(left.verdict()["warnings"])


def test_a_request_is_recorded_wherever_its_user_was_stopped(tmp_path: Path) -> None:
    """Without a stop timeout: all users are waiting for the rest of a body."""
    (tmp_path / "stopped.py").write_text(STOPPED, encoding="utf-8")
    with misbehaving() as server:
        with locust(tmp_path, "-f", "stopped.py", "-H", server.url("stall_in_body", ""), *_briefly(9)) as run:
            assert run.end() == 0, run.said
        asked = server.seen("stall_in_body").requests
    left = only_run(tmp_path)
    assert asked == len(left.samples) == left.counted == 9
    assert {(sample.label, sample.error) for sample in left.samples} == {("abandoned", "generator")}


def _briefly(users: int) -> tuple[str, ...]:
    return ("--headless", "-u", str(users), "-r", str(users), "-t", "3s", "--only-summary")
