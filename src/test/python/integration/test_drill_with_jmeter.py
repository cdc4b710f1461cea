"""`switchover drill --generator jmeter` in the lab's client: one run, two populations, the same counts."""

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from support.drilling import Drilled, drill
from support.shop import Shop, rows_of_visitors, shop
from switchover.lab.lab import Lab
from switchover.load.jmeter import JMeterLoad
from switchover.load.jmeter_plan import LISTENER, VISITORS, find_jmeter
from switchover.load.load_process import ChosenLoad
from switchover.model.clock import Clock
from switchover.rundir.load_facts import read_load
from switchover.rundir.run_directory import read_run
from switchover.target.reader import load_target

pytestmark = pytest.mark.integration

LOADED = ("--generator", "jmeter", "--users", "20", "--probe-rate", "200")

PLAN = f"""<?xml version="1.0" encoding="UTF-8"?>
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


@pytest.fixture(scope="module")
def loaded(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Drilled:
    runs = tmp_path_factory.mktemp("jmeter")
    return drill(lab, runs, "--fault", "haproxy-kill", "--seed", "1", *LOADED)


def samples(done: Drilled) -> dict[str, Any]:
    found: dict[str, Any] = done.verdict["samples"]
    return found


def test_the_run_knows_its_load(loaded: Drilled) -> None:
    loaded.assert_word("MEASURED")
    load = loaded.run["settings"]["load"]
    assert (loaded.run["settings"]["generator"], load["state"], load["plan"]) == ("jmeter", "ended", "visitors.jmx")
    assert all(facts["timeout_read_s"] == 2.0 for facts in load["clients"].values())
    (worker,) = loaded.run["workers"]
    assert worker["samples"] == samples(loaded)["total"] + samples(loaded)["unsent"] > 100
    assert worker["lost"] == 0
    names = {path.name for path in loaded.directory.iterdir()}
    assert {"samples.jtl", "journal-jmeter.lp", "load.json", "jmeter.log", "jmeter-console.log"} <= names


def test_the_outage_is_inside_the_predicted_window(loaded: Drilled) -> None:
    assert loaded.verdict["prediction"]["inside"] is not False


def test_client_balancers_and_backends_agree_to_the_last_request_of_both(loaded: Drilled) -> None:
    accounting = loaded.verdict["accounting"]
    assert accounting["unaccounted"] == 0, accounting["lines"]
    assert "lines of the sample log" in {line["name"] for line in accounting["lines"]}


def test_every_answer_names_its_backend_and_its_balancer(loaded: Drilled) -> None:
    answered = samples(loaded)["by_answered_by"]
    assert set(answered) <= {"backend", "balancer", "none"} and answered["backend"] > 100


def test_users_and_rate_are_told_by_phase(loaded: Drilled) -> None:
    on_backup = samples(loaded)["by_phase"]["on_backup"]
    assert on_backup["users"] == 20 and 20 < on_backup["rate"] < 200
    assert "fresh" in on_backup["by_stream"]


def test_the_load_felt_what_the_prober_measured(loaded: Drilled) -> None:
    """Its users ask every quarter of a second, so they see an end of the outage that much later, or its time-out."""
    assert loaded.longest_gap_ms - 500 <= loaded.verdict["load"]["longest_gap"]["duration_ms"]
    assert samples(loaded)["by_phase"]["switchover"]["failed"] > 0


def test_a_plan_that_jmeter_cannot_read_is_said_in_one_line_and_fires_nothing(lab: Lab, tmp_path: Path) -> None:
    plan = tmp_path / "plan.jmx"
    plan.write_text(PLAN % '<io.nosuch.Sampler testclass="io.nosuch.Sampler"/>', encoding="utf-8")
    done = drill(lab, tmp_path / "runs", "--plan", str(plan), *LOADED)
    assert done.code == 2 and done.run["plan"]["fired_from_us"] is None
    (reason,) = (one["text"] for one in done.verdict["reasons"] if "did not start" in one["text"])
    assert "this JMeter has no element io.nosuch.Sampler" in reason and "\n" not in reason
    assert "Traceback" not in done.said


def test_a_plan_that_ends_by_itself_ends_the_run_which_heals_and_judges(lab: Lab, tmp_path: Path) -> None:
    plan = tmp_path / "plan.jmx"
    text = VISITORS.read_text(encoding="utf-8")
    seconds = (
        '<boolProp name="ThreadGroup.scheduler">true</boolProp><stringProp name="ThreadGroup.duration">8</stringProp>'
    )
    plan.write_text(text.replace("</ThreadGroup>", f"{seconds}</ThreadGroup>"), encoding="utf-8")
    done = drill(lab, tmp_path / "runs", "--fault", "haproxy-drain", "--hold", "60s", "--plan", str(plan), *LOADED)
    assert done.code == 2
    assert any(
        "the load ended by itself: JMeter ended with 0" in reason["text"] for reason in done.verdict["reasons"]
    )
    plan_done = read_run(done.directory).plan
    assert plan_done.fired_from_us is not None and plan_done.healed_us is not None
    assert json.loads((done.directory / "load.json").read_text(encoding="utf-8"))["state"] == "ended"


def test_visitors_of_a_real_target_ask_for_its_url_with_its_headers(tmp_path: Path) -> None:
    settings = ChosenLoad(users=10, spawn_rate=10.0)
    rows_of_visitors(lambda target: JMeterLoad(find_jmeter(None), settings, target), tmp_path, "k=\\u0041:")
    facts = read_load(tmp_path)
    assert facts is not None and facts.state == "ended"


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
