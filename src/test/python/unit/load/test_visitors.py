"""The load of a drill without a plan, against a server that is no lab: it asks for the target's own URL only."""

from pathlib import Path

from support.shop import rows_of_visitors
from switchover.load.load_process import ChosenLoad
from switchover.load.locust import LocustLoad
from switchover.rundir.load_facts import read_load


def test_visitors_of_a_real_target_ask_for_its_url_with_its_headers(tmp_path: Path) -> None:
    settings = ChosenLoad(users=10, spawn_rate=10.0)
    rows = rows_of_visitors(lambda target: LocustLoad(settings, target), tmp_path)
    assert {row["stream"] for row in rows if row["success"] == "true"} == {"fresh", "kept"}
    facts = read_load(tmp_path)
    assert facts is not None and facts.state == "ended"
    assert all(client["timeout_read_s"] == 2.0 for client in facts.settings["clients"].values())
