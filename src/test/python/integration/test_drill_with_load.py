"""`switchover drill` with Locust as its load, in the lab's client: one run, two populations, the same counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.capture import Capture, Handover, handover
from support.drilling import Drilled, drill
from switchover.lab import addresses
from switchover.lab.lab import Lab
from switchover.rundir.run_directory import read_run

pytestmark = pytest.mark.integration

LOADED = ("--generator", "locust", "--users", "20", "--probe-rate", "200")

QUITS = """
import gevent
from locust import FastHttpUser, constant, events, task

class Visitor(FastHttpUser):
    wait_time = constant(0.1)
    connection_timeout = network_timeout = 1.0

    @task
    def home(self):
        self.client.get("/")

@events.spawning_complete.add_listener
def quit_soon(user_count, **kw):
    gevent.spawn_later(8, Visitor.environment_of.runner.quit)

@events.init.add_listener
def remember(environment, **kw):
    Visitor.environment_of = environment
"""


CLOCK_MS = 2.0
"""Between an answer's packet and its reading, on a machine that has other things to do."""


@pytest.fixture(scope="module")
def observed(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> tuple[Drilled, Handover]:
    folder = tmp_path_factory.mktemp("loaded")
    with Capture(lab, addresses.VIP, folder) as capture:
        done = drill(lab, folder / "runs", "--fault", "haproxy-kill", "--seed", "1", *LOADED)
    assert capture.dropped() == 0
    seen = handover(done.run, capture.answers())
    assert seen is not None
    return done, seen


@pytest.fixture(scope="module")
def loaded(observed: tuple[Drilled, Handover]) -> Drilled:
    return observed[0]


def samples(done: Drilled) -> dict[str, Any]:
    found: dict[str, Any] = done.verdict["samples"]
    return found


def test_the_run_knows_its_load(loaded: Drilled) -> None:
    load = loaded.run["settings"]["load"]
    assert (loaded.run["settings"]["generator"], load["state"], load["users"]) == ("locust", "ended", 20)
    assert all(facts["timeout_read_s"] for facts in load["clients"].values())
    (worker,) = loaded.run["workers"]
    assert worker["samples"] == samples(loaded)["total"] + samples(loaded)["unsent"] > 100
    names = {path.name for path in loaded.directory.iterdir()}
    assert {"samples.jtl", "journal-locust.lp", "load.json", "locust.log"} <= names


def test_client_balancers_and_backends_agree_to_the_last_request_of_both(loaded: Drilled) -> None:
    accounting = loaded.verdict["accounting"]
    assert accounting["unaccounted"] == 0, accounting["lines"]
    assert "lines of the sample log" in {line["name"] for line in accounting["lines"]}


def test_every_answer_names_its_backend_and_its_balancer(loaded: Drilled) -> None:
    answered = samples(loaded)["by_answered_by"]
    assert set(answered) <= {"backend", "balancer", "none"} and answered["backend"] > 100


def test_users_and_rate_are_told_by_phase(loaded: Drilled) -> None:
    phases = samples(loaded)["by_phase"]
    assert set(phases) == {"baseline", "switchover", "on_backup", "failback", "recovered"}
    on_backup = phases["on_backup"]
    assert on_backup["users"] == 20 and 20 < on_backup["rate"] < 200
    assert set(on_backup["by_stream"]) == {"fresh", "kept"}


def test_the_load_felt_what_the_prober_measured(loaded: Drilled) -> None:
    """Its users ask every quarter of a second, so they see an end of the outage that much later, or its time-out."""
    gap_ms, longest_ms = loaded.verdict["load"]["longest_gap"]["duration_ms"], loaded.longest_gap_ms
    assert longest_ms - 500 <= gap_ms
    assert samples(loaded)["by_phase"]["switchover"]["failed"] > 0
    kinds = set(samples(loaded)["by_kind"])
    assert kinds <= {"refused", "reset", "connect_timeout", "read_timeout", "truncated", "status", "unreachable"}


def test_neither_had_an_answer_where_a_packet_capture_saw_none(observed: tuple[Drilled, Handover]) -> None:
    """The capture sees the answers of both, so nobody's gap is shorter than what it saw, but for the time that an
    answer waits to be read: a user's may wait as long as its slowest answers took."""
    done, seen = observed
    assert seen.gap_ms <= done.verdict["outage"]["high_ms"] + CLOCK_MS
    slowest_ms = samples(done)["by_phase"]["baseline"]["latency_ms"]["from_send"]["max"]
    assert seen.gap_ms <= done.verdict["load"]["longest_gap"]["duration_ms"] + slowest_ms


def test_a_plan_that_cannot_be_loaded_is_said_in_one_line_and_fires_nothing(lab: Lab, tmp_path: Path) -> None:
    plan = tmp_path / "plan.py"
    plan.write_text("import nosuch_module\n", encoding="utf-8")
    done = drill(lab, tmp_path / "runs", "--plan", str(plan), *LOADED)
    assert done.code == 2 and done.run["plan"]["fired_from_us"] is None
    (reason,) = (one["text"] for one in done.verdict["reasons"] if "did not start" in one["text"])
    assert "No module named 'nosuch_module'" in reason and "\n" not in reason
    assert "Traceback" not in done.said


def test_a_load_that_ends_by_itself_ends_the_run_which_heals_and_judges(lab: Lab, tmp_path: Path) -> None:
    plan = tmp_path / "plan.py"
    plan.write_text(QUITS, encoding="utf-8")
    done = drill(lab, tmp_path / "runs", "--fault", "haproxy-drain", "--hold", "60s", "--plan", str(plan), *LOADED)
    assert done.code == 2
    assert any("the load ended by itself" in reason["text"] for reason in done.verdict["reasons"])
    plan_done = read_run(done.directory).plan
    assert plan_done.fired_from_us is not None and plan_done.healed_us is not None
    assert json.loads((done.directory / "load.json").read_text(encoding="utf-8"))["state"] == "ended"
