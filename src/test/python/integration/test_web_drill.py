"""A real drill in the lab, fired and healed on the Switchover page, in headless Chromium."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from support.browsing import PATIENCE_MS, chromium
from support.web_of_locust import locust_in_lab
from switchover.lab.lab import Lab

JUDGED_WITHIN_MS = 180_000.0
# The page forbids eval, and with it Playwright's wait_for_function.
MORE_THAN_300 = re.compile(r"^([3-9]\d\d|\d{1,3}(,\d{3})+)$")
PLAN = """
import switchover.locust
from locust import FastHttpUser, constant_throughput, task

class Shopper(FastHttpUser):
    wait_time = constant_throughput(5)
    connection_timeout = 0.5
    network_timeout = 1.0

    @task
    def home(self):
        self.client.get("/")
"""


@pytest.mark.core
def test_a_drill_that_is_fired_and_healed_by_hand(lab: Lab, tmp_path: Path) -> None:
    expect.set_options(timeout=PATIENCE_MS)
    # A busy machine answers a thousand fresh connections a second late, and late is not clean.
    options = ("--switchover-limit", "outage=30s", "--switchover-probe-rate", "100")
    plan = tmp_path / "plan.py"
    plan.write_text(PLAN, encoding="utf-8")
    with locust_in_lab(lab, plan, tmp_path, "-u", "20", "-r", "20", *options) as url, chromium(tmp_path) as browser:
        page = browser.page
        page.goto(f"{url}/switchover")
        expect(page.locator("#banner")).to_contain_text("Baseline")
        expect(page.locator("#banner")).to_contain_text("lb1 holds the address")
        for name in ("web1", "web2", "web3"):
            expect(page.locator("#shares .name", has_text=name)).to_have_count(1)
        # Some seconds of a baseline, so that there is something to compare with.
        expect(page.locator("#figures td.number").first).to_have_text(MORE_THAN_300)

        page.select_option("#fault-name", "haproxy-kill")
        page.check("#fault-armed")
        page.click("#fire")
        expect(page.locator("#timeline text.fault")).to_have_count(1)
        expect(page.locator("#timeline text.election")).to_have_count(1)
        expect(page.locator("#banner")).to_contain_text("lb2 holds the address")
        expect(page.locator("#notes")).to_contain_text("fired haproxy-kill on lb1")
        assert page.locator("#fire").is_disabled()

        page.click("#heal")
        expect(page.locator("#timeline text.return")).to_have_count(1)
        expect(page.locator("#banner")).to_contain_text("Failback")
        expect(page.locator("#shares .name", has_text="lb1")).to_have_count(1)
        page.evaluate("fetch('./stop', { method: 'POST' })")
        expect(page.locator("#verdict")).to_be_visible(timeout=JUDGED_WITHIN_MS)

        (directory,) = (tmp_path / "runs").iterdir()
        verdict = json.loads((directory / "verdict.json").read_text(encoding="utf-8"))
        expect(page.locator("#verdict")).to_contain_text(verdict["verdict"])
        expect(page.locator("#figures")).to_contain_text(f"{verdict['outage']['high_ms'] / 1000:.2f} s")
        expect(page.locator("#banner")).to_contain_text("limit 30.00 s")
        expect(page.locator("#timeline line.good").first).to_be_attached()
        assert browser.complaints == []
        backends = verdict["distribution"]["by_phase"]["on_backup"]["balancers"]
        assert set(backends) == {"lb2"}
