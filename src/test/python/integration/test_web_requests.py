"""The Switchover page asked over HTTP: login, foreign sites, tables, and what Locust's own page shows of it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.browsing import StagedLocust, staged_locust
from support.waiting import wait_for

pytestmark = [pytest.mark.beside, pytest.mark.core]

ROUTES = ("", "/state")


@pytest.fixture(scope="module")
def locust() -> Iterator[StagedLocust]:
    with staged_locust() as running:
        running.start()
        wait_for(lambda: running.state()["state"] == "running")
        yield running


def asked(locust: StagedLocust, **headers: str) -> dict[str, str]:
    """What the page sends with a wish."""
    return {
        "Content_Type": "application/json",
        "X_Switchover_Token": locust.token(),
        "Origin": f"http://{locust.host}",
    } | headers


FIRE = json.dumps({"fault": "haproxy-kill"})


def test_every_answer_is_for_the_page_alone(locust: StagedLocust) -> None:
    for route in ROUTES:
        answer = locust.ask("GET", f"/switchover{route}", Origin="http://evil.example")
        assert answer.status == 200
        assert answer.headers["Access-Control-Allow-Origin"] == f"http://{locust.host}"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Frame-Options"] == "DENY"


def test_another_site_may_not_even_ask_whether_it_may(locust: StagedLocust) -> None:
    wish = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "x-switchover-token"}
    answer = locust.ask("OPTIONS", "/switchover/fire", Origin="http://evil.example", **wish)
    assert answer.headers["Access-Control-Allow-Origin"] == f"http://{locust.host}"
    assert "Access-Control-Allow-Headers" not in answer.headers


@pytest.mark.parametrize("path", ["/switchover/fire", "/switchover/heal"])
@pytest.mark.parametrize(
    "change",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"X_Switchover_Token": "guessed"},
        {"Content_Type": "text/plain"},
    ],
    ids=["another site", "no site", "the browser says so", "no token", "a form"],
)
def test_what_the_page_did_not_ask_for_is_refused(locust: StagedLocust, path: str, change: dict[str, str]) -> None:
    answer = locust.ask("POST", path, FIRE, **asked(locust, **change))
    assert answer.status == 403
    assert "refused" in answer.json["refusal"]
    assert locust.state()["control"]["fired_us"] is None


@pytest.mark.parametrize("route", [*ROUTES, "/static/page.js"])
def test_a_name_that_is_not_this_machines_is_told_nothing(locust: StagedLocust, route: str) -> None:
    answer = locust.ask("GET", f"/switchover{route}", Host=f"evil.example:{locust.port}")
    assert answer.status == 421
    assert list(answer.json) == ["refusal"] and "open the page by its address" in answer.json["refusal"]


def test_a_name_that_was_turned_to_this_machine_fires_nothing(locust: StagedLocust) -> None:
    """Origin and Host agree, and a token may have been seen elsewhere."""
    evil = f"evil.example:{locust.port}"
    answer = locust.ask("POST", "/switchover/fire", FIRE, **asked(locust, Host=evil, Origin=f"http://{evil}"))
    assert answer.status == 421
    assert locust.state()["control"]["fired_us"] is None


def test_a_wish_is_a_post(locust: StagedLocust) -> None:
    assert locust.ask("GET", "/switchover/fire").status == 405


@pytest.mark.parametrize("body", ["", "[]", '{"fault": 5}', "{", '{"fault": "no such thing"}', '{"fault": null}'])
def test_a_wish_that_names_no_fault_of_the_target_is_refused(locust: StagedLocust, body: str) -> None:
    answer = locust.ask("POST", "/switchover/fire", body, **asked(locust))
    assert answer.status == 409
    assert answer.json["refusal"]


def test_what_is_not_there_is_one_line(locust: StagedLocust) -> None:
    answer = locust.ask("GET", "/switchover/report")
    assert answer.status == 404
    assert answer.text.count("\n") == 1
    assert locust.ask("GET", "/switchover/state?since=x&run=y").status == 200
    assert locust.ask("GET", "/switchover/static/../routes.py").status == 404


def test_locusts_own_page_has_a_link(locust: StagedLocust) -> None:
    assert '<a href="./switchover"' in locust.ask("GET", "/").text


def test_a_run_that_is_not_armed_fires_nothing() -> None:
    with staged_locust(armed=False) as locust:
        assert locust.state()["state"] == "none"
        before = locust.ask("POST", "/switchover/fire", FIRE, **asked(locust))
        assert (before.status, "start it in Locust" in before.json["refusal"]) == (409, True)
        locust.start()
        wait_for(lambda: locust.state()["state"] == "running")
        refused = locust.ask("POST", "/switchover/fire", FIRE, **asked(locust))
        assert (refused.status, "--switchover-arm" in refused.json["refusal"]) == (409, True)


def test_who_is_not_signed_in_sees_nothing_and_fires_nothing() -> None:
    with staged_locust(login=True) as locust:
        signed_in = locust.ask(
            "POST",
            "/login_submit",
            "username=ann&password=secret",
            Content_Type="application/x-www-form-urlencoded",
        )
        cookie = signed_in.headers["Set-Cookie"].partition(";")[0]
        page = locust.ask("GET", "/switchover", Cookie=cookie).text
        token = page.partition('name="switchover-token" content="')[2].partition('"')[0]
        form = "application/x-www-form-urlencoded"
        assert (
            locust.ask("POST", "/swarm", "user_count=1&spawn_rate=1", Cookie=cookie, Content_Type=form).status == 200
        )

        def state() -> Any:
            return locust.ask("GET", "/switchover/state", Cookie=cookie).json

        wait_for(lambda: state()["state"] == "running")
        for route in ROUTES:
            answer = locust.ask("GET", f"/switchover{route}")
            assert answer.status == 302
            assert answer.headers["Location"].startswith("/login")
            assert "198.18" not in answer.text
        wish = {"Content_Type": "application/json", "X_Switchover_Token": token, "Origin": f"http://{locust.host}"}
        for path in ("/switchover/fire", "/switchover/heal"):
            assert locust.ask("POST", path, FIRE, **wish).status == 302
        assert state()["control"]["fired_us"] is None
        assert locust.ask("GET", "/stats/requests").status == 302
        assert locust.ask("POST", "/switchover/fire", FIRE, **wish, Cookie=cookie).status == 202
        wait_for(lambda: state()["control"]["fired_us"] is not None)
        assert locust.ask("POST", "/switchover/fire", FIRE, **wish, Cookie=cookie).status == 409
