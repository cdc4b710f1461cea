"""The load of a drill without a plan, against a server that is no lab: it asks for the target's own URL only."""

import csv
from pathlib import Path

from support.shop import Shop, shop
from switchover.clock import Clock
from switchover.generator.locust_load import LocustLoad, LocustSettings
from switchover.load_facts import read_load
from switchover.target_file import load_target


def test_visitors_of_a_real_target_ask_for_its_url_with_its_headers(tmp_path: Path) -> None:
    with shop() as port:
        target = tmp_path / "site.toml"
        target.write_text(
            f'[target]\nurl = "http://127.0.0.1:{port}/shop?x=1"\nhost_header = "shop.test"\n'
            'headers = { X-Key = "k" }\n',
            encoding="utf-8",
        )
        load = LocustLoad(LocustSettings(users=10, spawn_rate=10.0), load_target(target))
        load.start(tmp_path, Clock.of_process())
        try:
            assert Shop.enough.wait(30.0), "they ask and ask"
        finally:
            assert load.stop() is None
        asked = list(Shop.asked)
    assert {(path, host, key) for path, host, key, _ in asked} == {("/shop?x=1", "shop.test", "k")}
    assert {connection == "close" for *_, connection in asked} == {True, False}
    with (tmp_path / "samples.jtl").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len([row for row in rows if row["success"] == "true"]) <= len(asked) <= len(rows)
    assert {row["stream"] for row in rows if row["success"] == "true"} == {"fresh", "kept"}
    assert {row["label"] for row in rows} >= {"home", "item", "search"}
    facts = read_load(tmp_path)
    assert facts is not None and facts.state == "ended"
    assert all(client["timeout_read_s"] == 2.0 for client in facts.settings["clients"].values())
