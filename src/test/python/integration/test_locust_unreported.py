"""A request whose with-block raises is missing in Locust's statistics; the server answered it, so a run has it."""

from pathlib import Path

import pytest

from support.locusting import locust, only_run
from support.misbehaving import misbehaving

pytestmark = [pytest.mark.integration, pytest.mark.beside]

USERS = 3
RAISING = """
import switchover.locust
from locust import FastHttpUser, HttpUser, constant
from locust.exception import RescheduleTask
from switchover.locust import BalancerHttpUser

def look(user):
    user.asked += 1
    with user.client.get(user.path, catch_response=True) as answer:
        if user.asked % 3 == 1:
            raise KeyError("price")
        if user.asked % 3 == 2:
            raise RescheduleTask()

class Clumsy:
    wait_time = constant(0.05)
    asked = 0
    tasks = [look]

class Plain(Clumsy, HttpUser):
    path = "/plain"

class Fast(Clumsy, FastHttpUser):
    path = "/fast"

class Own(Clumsy, BalancerHttpUser):
    path = "/own"
"""


def test_a_request_whose_block_raised_is_recorded_with_what_it_raised(tmp_path: Path) -> None:
    (tmp_path / "raising.py").write_text(RAISING, encoding="utf-8")
    brief = ("--headless", "-u", str(USERS), "-r", str(USERS), "-t", "3s", "--only-summary", "--stop-timeout", "5")
    with misbehaving() as server:
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
