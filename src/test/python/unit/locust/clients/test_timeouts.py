"""Time-outs that are missing: named, supplied where asked for, and never changed where somebody chose them."""

import json
import subprocess
import sys
from typing import Any

import pytest

from support.client_cases import case, run_cases
from support.misbehaving import misbehaving

SCRIPT = """
import json
import locust
from geventhttpclient.client import HTTPClientPool
from locust import FastHttpUser, HttpUser, User
from requests.adapters import HTTPAdapter
from switchover.locust.clients import install
from switchover.locust.clients.timeouts import client_facts, configure, supply_timeout, timeout_warnings
from switchover.model.clock import Clock

class Web(HttpUser): host = "http://127.0.0.1"
class Fast(FastHttpUser): pass
class Chosen(FastHttpUser): connection_timeout = 60.0; network_timeout = 3.0
class Heir(Chosen): pass
class Half(FastHttpUser): network_timeout = 3.0
class Pooled(FastHttpUser): client_pool = HTTPClientPool(network_timeout=7.0)
class Own(User): pass
class OwnAdapter(HTTPAdapter): pass

def arguments(adapter):
    session = Web(locust.env.Environment()).client
    if adapter:
        session.mount("http://", adapter)
    options = {}
    supply_timeout(session, "http://127.0.0.1/", options)
    return options

install()
classes = [Web, Fast, Chosen, Heir, Half, Pooled, Own]
told = []
for given in ((None, None), (2.0, 10.0), (None, 10.0), (None, None)):
    configure(*given, Clock.of_process())
    told.append([client_facts(classes), timeout_warnings(classes, ["Web"]), arguments(None), arguments(OwnAdapter())])
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told() -> list[Any]:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


def timeouts(facts: dict[str, Any]) -> dict[str, tuple[float | None, float | None]]:
    return {name: (each["timeout_connect_s"], each["timeout_read_s"]) for name, each in facts.items()}


CHOSEN = {"Chosen": (60, 3), "Heir": (60, 3), "Pooled": (None, None), "Own": (None, None)}


def test_the_option_supplies_those_that_nobody_chose(told: list[Any]) -> None:
    assert timeouts(told[1][0]) == {"Web": (2, 10), "Fast": (2, 10), "Half": (2, 3), **CHOSEN}
    assert timeouts(told[2][0]) == {"Web": (None, 10), "Fast": (60, 10), "Half": (60, 3), **CHOSEN}


def test_a_warning_names_each_class_whose_timeouts_nobody_chose(told: list[Any]) -> None:
    warned = [[warning.split()[0] for warning in warnings] for _, warnings, *_ in told]
    fast = ["Fast", "Chosen", "Heir", "Half"]
    assert warned == [["Web", *fast], ["Web", "Chosen", "Heir"], ["Web", *fast], ["Web", *fast]]
    assert "never ends" in told[0][1][0]
    assert "60 s" in told[0][1][1]
    assert all("\n" not in warning for warning in told[0][1])


def test_a_supplied_timeout_ends_what_hangs_and_a_chosen_one_stays() -> None:
    with misbehaving() as server:
        hanging = {"get": server.url("read_timeout")}
        cases = {
            "http": case("Http", hanging),
            "fast": case("Fast", hanging),
            "http chosen": case("Http", {"get": server.url("slow_body"), "with": {"timeout": 30}}),
            "fast chosen": case("Fast", {"get": server.url("slow_body")}, connection_timeout=30, network_timeout=30),
        }
        answers = run_cases(cases, timeouts=[0.5, 0.5])["cases"]
    kinds = {name: answer["events"][0]["kind"] for name, answer in answers.items()}
    assert kinds == {"http": "read_timeout", "fast": "read_timeout", "http chosen": None, "fast chosen": None}
