"""`switchover drill` with Locust or JMeter as its load, in the lab's client: the same counts of two populations."""

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from support.capture import Handover
from support.drilling import Drilled, captured, drill
from support.shop import Shop, shop
from switchover.lab.lab import Lab
from switchover.load.jmeter import JMeterLoad
from switchover.load.jmeter_plan import LISTENER, VISITORS, find_jmeter
from switchover.load.load_process import ChosenLoad
from switchover.model.clock import Clock
from switchover.rundir.run_directory import read_run
from switchover.target.reader import load_target

LOAD = ("--users", "20", "--probe-rate", "200", "--generator")
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
JMX = f"""<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3">
  <hashTree>
    <TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="plan"/>
    <hashTree>
      %s
      <hashTree/>
      <{LISTENER} guiclass="TestBeanGUI" testclass="{LISTENER}" testname="listener"/>
      <hashTree/>
    </hashTree>
  </hashTree>
</jmeterTestPlan>
"""
BROKEN = {"locust": "import nosuch_module\n", "jmeter": JMX % '<io.nosuch.Sampler testclass="io.nosuch.Sampler"/>'}
COMPLAINTS = {"locust": "No module named 'nosuch_module'", "jmeter": "this JMeter has no element io.nosuch.Sampler"}
ENDS = (
    '<boolProp name="ThreadGroup.scheduler">true</boolProp><stringProp name="ThreadGroup.duration">8</stringProp>'
    "</ThreadGroup>"
)
CLOCK_MS = 2.0
"""Between an answer's packet and its reading, on a machine that has other things to do."""
GENERATORS = pytest.mark.parametrize("generator", ["locust", "jmeter"])


@pytest.fixture(scope="module", params=["locust", "jmeter"])
def observed(
    request: pytest.FixtureRequest, lab: Lab, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Drilled, Handover]:
    folder = tmp_path_factory.mktemp(request.param)
    return captured(lab, folder, "haproxy-kill", "--seed", "1", *LOAD, request.param)


@pytest.fixture(scope="module")
def loaded(observed: tuple[Drilled, Handover]) -> Drilled:
    return observed[0]


def samples(done: Drilled) -> dict[str, Any]:
    found: dict[str, Any] = done.verdict["samples"]
    return found


def test_the_run_knows_its_load(loaded: Drilled) -> None:
    loaded.assert_word("MEASURED")
    load, generator = loaded.run["settings"]["load"], loaded.run["settings"]["generator"]
    assert load["state"] == "ended"
    assert load["users"] == 20 if generator == "locust" else load["plan"] == "visitors.jmx"
    assert all(facts["timeout_read_s"] for facts in load["clients"].values())
    (worker,) = loaded.run["workers"]
    assert worker["samples"] == samples(loaded)["total"] + samples(loaded)["unsent"] > 100
    assert worker["lost"] == 0
    names = {path.name for path in loaded.directory.iterdir()}
    assert {"samples.jtl", f"journal-{generator}.lp", "load.json", f"{generator}.log"} <= names
    assert loaded.verdict["prediction"]["inside"] is not False


def test_client_balancers_and_backends_agree_to_the_last_request_of_both(loaded: Drilled) -> None:
    accounting = loaded.verdict["accounting"]
    assert accounting["unaccounted"] == 0, accounting["lines"]
    assert "lines of the sample log" in {line["name"] for line in accounting["lines"]}


def test_answers_users_and_rate_are_told_by_phase(loaded: Drilled) -> None:
    answered = samples(loaded)["by_answered_by"]
    assert set(answered) <= {"backend", "balancer", "none"} and answered["backend"] > 100
    phases = samples(loaded)["by_phase"]
    assert set(phases) == {"baseline", "switchover", "on_backup", "failback", "recovered"}
    on_backup = phases["on_backup"]
    assert on_backup["users"] == 20 and 20 < on_backup["rate"] < 200
    assert "fresh" in on_backup["by_stream"]


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


@GENERATORS
def test_a_plan_that_cannot_be_loaded_is_said_in_one_line_and_fires_nothing(
    lab: Lab, tmp_path: Path, generator: str
) -> None:
    plan = tmp_path / ("plan.py" if generator == "locust" else "plan.jmx")
    plan.write_text(BROKEN[generator], encoding="utf-8")
    done = drill(lab, tmp_path / "runs", "--plan", str(plan), *LOAD, generator)
    assert done.code == 2 and done.run["plan"]["fired_from_us"] is None
    (reason,) = (one["text"] for one in done.verdict["reasons"] if "did not start" in one["text"])
    assert COMPLAINTS[generator] in reason and "\n" not in reason
    assert "Traceback" not in done.said


@GENERATORS
def test_a_load_that_ends_by_itself_ends_the_run_which_heals_and_judges(
    lab: Lab, tmp_path: Path, generator: str
) -> None:
    plan = tmp_path / ("plan.py" if generator == "locust" else "plan.jmx")
    jmx = VISITORS.read_text(encoding="utf-8").replace("</ThreadGroup>", ENDS)
    plan.write_text(QUITS if generator == "locust" else jmx, encoding="utf-8")
    options = ("--fault", "haproxy-drain", "--hold", "60s", "--plan", str(plan))
    done = drill(lab, tmp_path / "runs", *options, *LOAD, generator)
    assert done.code == 2
    assert any("the load ended by itself" in reason["text"] for reason in done.verdict["reasons"])
    plan_done = read_run(done.directory).plan
    assert plan_done.fired_from_us is not None and plan_done.healed_us is not None
    assert json.loads((done.directory / "load.json").read_text(encoding="utf-8"))["state"] == "ended"


def test_a_plan_without_a_balancer_target_is_recorded_as_the_drills_target_says(tmp_path: Path) -> None:
    plan = ElementTree.parse(VISITORS)
    (tree,) = plan.findall("./hashTree/hashTree")
    element = tree[0]
    assert element.tag.endswith("BalancerTarget")
    tree[:2] = []
    plan.write(tmp_path / "plan.jmx", encoding="utf-8")
    with shop() as port:
        target = tmp_path / "site.toml"
        target.write_text(
            f'[target]\nurl = "http://127.0.0.1:{port}/"\n[identity]\nbackend_header = "X-Till"\n', encoding="utf-8"
        )
        settings = ChosenLoad(users=5, spawn_rate=10.0, plan=tmp_path / "plan.jmx")
        load = JMeterLoad(find_jmeter(None), settings, load_target(target))
        load.start(tmp_path, Clock.of_process())
        try:
            assert Shop.enough.wait(30.0)
        finally:
            assert load.stop() is None
    with (tmp_path / "samples.jtl").open(encoding="utf-8", newline="") as file:
        assert {row["backend"] for row in csv.DictReader(file) if row["success"] == "true"} == {"till1"}
