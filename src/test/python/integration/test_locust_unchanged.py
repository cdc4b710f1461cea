"""Tests that know nothing of the plugin do with it what they did without it, and Locust counts the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.locusting import Left, locust, runs_in
from support.misbehaving import MisbehavingServer
from switchover.cli.locustfile import LOCUSTFILE

pytestmark = pytest.mark.beside

ABANDONED = "abandoned"
"""What Locust does not tell of: a request that was under way when its user was stopped."""

ENDING = """

@events.init.add_listener
def end_when_all_users_have_ended(environment, **_):
    from locust.runners import WorkerRunner
    import gevent

    def watch():
        while environment.runner.state not in ("spawning", "running") or environment.runner.user_count == 0:
            gevent.sleep(0.01)
        while environment.runner.user_count:
            gevent.sleep(0.1)
        gevent.sleep(0.2)
        environment.runner.quit()

    if not isinstance(environment.runner, WorkerRunner):
        gevent.spawn(watch)
"""

TASK_SETS = """
from locust import HttpUser, SequentialTaskSet, TaskSet, between, constant, events, tag, task
from locust.exception import StopUser

class Browse(TaskSet):
    wait_time = between(0.001, 0.002)

    def on_start(self):
        self.client.get("/browse/in")
        self.left = 3

    @task
    def page(self):
        self.client.get(f"/browse/{self.left}", name="/browse/[n]")
        self.left -= 1
        if not self.left:
            self.interrupt(reschedule=True)

    def on_stop(self):
        self.client.get("/browse/out")

class Visit(SequentialTaskSet):
    tasks_done = 0

    @task
    def first(self):
        self.client.get("/first")

    tasks_of_browsing = Browse

    @tag("buying")
    @task
    def second(self):
        self.client.post("/second", json={"a": 1})
        self.client.put("/second", data=b"x" * 1000)
        self.client.delete("/second")
        self.client.head("/second")

    @tag("skipped")
    @task
    def never(self):
        self.client.get("/never")

    browse = task(Browse)

    @task
    def last(self):
        raise StopUser

class Visitor(HttpUser):
    wait_time = constant(0.001)
    tasks = [Visit]

    def on_start(self):
        self.client.get("/login", name="login")

    def on_stop(self):
        self.client.get("/logout")
"""

CATCHING = """
from json import JSONDecodeError
from locust import FastHttpUser, HttpUser, events, task
from locust.exception import StopUser

def check(user):
    with user.client.get("/status/503", catch_response=True, name="503 is fine") as response:
        response.success()
    with user.client.get("/fine", catch_response=True) as response:
        if response.text == "hello":
            response.failure("not the hello that was expected")
    with user.client.get("/status/404", catch_response=True, name="404 as it is") as response:
        pass
    with user.client.get("/echo", catch_response=True, name="request_meta", context={"a": 1}) as response:
        response.request_meta["name"] = "renamed"
    user.client.get("/redirect/3", name="redirected")
    user.client.get("/redirect/2", allow_redirects=False, name="not redirected")
    user.client.get("/set?a=b")
    assert user.client.get("/echo", name="cookies").json()["cookie"] == "a=b"
    user.client.get("/status/500")
    user.client.get("/close")
    user.client.get("/after close")

class Requests(HttpUser):
    fixed_count = 1

    @task
    def all(self):
        check(self)
        with self.client.rename_request("a group"):
            self.client.get("/group/1")
            self.client.get("/group/2")
        raise StopUser

class Fast(FastHttpUser):
    fixed_count = 1
    concurrency = 3
    default_headers = {"X-Test": "1"}

    @task
    def all(self):
        check(self)
        with self.rest("GET", "/echo", name="rest") as response:
            if response.js["method"] != "GET":
                response.failure("not GET")
        with self.rest("POST", "/", json={}, name="no json") as response:
            assert response.error
        from gevent.pool import Pool
        pool = Pool()
        for number in range(6):
            pool.spawn(self.client.get, "/parallel", name="parallel")
        pool.join()
        raise StopUser
"""

EVENTS = """
import time
from locust import User, constant, events, task
from locust.exception import StopUser

SEEN = []

@events.init_command_line_parser.add_listener
def options(parser):
    parser.add_argument("--my-count", type=int, default=3, env_var="MY_COUNT")
    parser.add_argument("--my-secret", is_secret=True, default="")

@events.test_start.add_listener
def started(environment, **_):
    SEEN.append("start")
    environment.counted = 0

@events.test_stopping.add_listener
def stopping(environment, **_):
    SEEN.append("stopping")

@events.test_stop.add_listener
def stopped(environment, **_):
    SEEN.append("stop")

@events.request.add_listener
def count(environment=None, name=None, context=None, exception=None, **_):
    SEEN.append(name)

@events.quitting.add_listener
def judge(environment, **_):
    print("SEEN", *[word for word in SEEN if word in ("start", "stopping", "stop")])
    environment.process_exit_code = 7

class Own(User):
    wait_time = constant(0)

    @task
    def call(self):
        time.sleep(0.3)  # so that somebody sees that there are users
        event = self.environment.events.request
        for number in range(self.environment.parsed_options.my_count):
            event.fire(request_type="OWN", name="few keys", response_time=1.5, response_length=10, exception=None)
        event.fire(
            request_type="OWN", name="all keys", response_time=2, response_length=0, response=object(),
            context={"x": 1}, exception=ValueError("own"), start_time=time.time(), url="own://x",
        )
        event.fire(request_type="OWN", name="no number", response_time=None, response_length=0, exception=None)
        with event.measure("OWN", "measured"):
            pass
        with event.measure("OWN", "failed"):
            raise RuntimeError("inside")
        raise StopUser
"""

PLANS: dict[str, tuple[str, tuple[str, ...]]] = {
    "task sets, tags, hooks of users": (TASK_SETS + ENDING, ("-u", "3", "-r", "3", "--exclude-tags", "skipped")),
    "catch_response, redirects, cookies, rest, pools": (CATCHING + ENDING, ("-u", "2", "-r", "2")),
    "clients and options of one's own, listeners": (EVENTS + ENDING, ("-u", "2", "-r", "2", "--my-count", "5")),
}


@pytest.mark.parametrize("name", PLANS)
def test_the_plugin_changes_nothing(tmp_path: Path, server: MisbehavingServer, name: str) -> None:
    text, arguments = PLANS[name]
    (tmp_path / "my.py").write_text(text, encoding="utf-8")
    bare = _run(tmp_path, server, "my.py", arguments)
    with_plugin = _run(tmp_path, server, f"my.py,{LOCUSTFILE}", arguments)
    assert with_plugin == bare
    left = Left(runs_in(tmp_path)[-1])
    known = [sample for sample in left.samples if "[redirect " not in sample.label and sample.label != ABANDONED]
    assert len(known) == sum(entry[2] for entry in with_plugin["statistics"])
    assert sum(not sample.success for sample in known) == sum(entry[3] for entry in with_plugin["statistics"])


def _run(folder: Path, server: MisbehavingServer, files: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    """Everything that Locust tells of a run, and that does not depend on the time it takes."""
    before = server.seen("site").requests
    report = folder / "statistics.json"
    options = ("--headless", "-t", "60s", "--only-summary", "--json-file", str(report.with_suffix("")))
    with locust(folder, "-f", files, "-H", server.url("site", ""), *options, *arguments) as run:
        code = run.end()
    assert "incomplete" not in run.said
    entries = json.loads(report.read_text(encoding="utf-8"))
    statistics = [
        (entry["method"], entry["name"], entry["num_requests"], entry["num_failures"], entry["total_content_length"])
        for entry in entries
    ]
    return {
        "code": code,
        "statistics": sorted(statistics),
        "server": server.seen("site").requests - before,
        "printed": sorted({line for line in run.printed.splitlines() if line.isupper() or "SEEN" in line}),
        "tracebacks": run.said.count("Traceback"),
    }
