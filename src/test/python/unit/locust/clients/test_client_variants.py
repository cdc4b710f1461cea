"""Users as people write them, with pools, adapters, retries and proxies of their own, and traffic without faults."""

from typing import Any

import pytest

from support.client_cases import Told, case, run_cases
from support.misbehaving import MisbehavingServer


@pytest.fixture(scope="module")
def events(server: MisbehavingServer) -> dict[str, list[dict[str, Any]]]:
    site, reset = {"get": server.url("site")}, {"get": server.url("rst_after_request")}
    proxy: dict[str, Any] = {"proxy_host": "127.0.0.1", "proxy_port": server.ports["site"]}
    proxied = {"get": "http://192.0.2.1/there"}
    cases = {
        "HttpWithPool": case("HttpWithPool", site, site, reset, site),
        "FastWithPool": case("FastWithPool", site, site, reset, site),
        "HttpWithRetries": case("HttpWithRetries", reset, {"get": server.url("site", "/status/503")}),
        "FastWithRetries": case("FastWithRetries", {"get": server.url("read_timeout")}),
        "HttpWithoutConnections": case("HttpWithoutConnections", {"get": "http://nowhere.example/"}),
        "HttpByProxy": case("HttpByProxy", proxied, proxied, proxy=server.url("site")),
        "FastByProxy": case("FastByProxy", proxied, proxied, **proxy),
        "Http": case("Http", {"get": server.url("tls_site")}),
        "FastVerifying": case("FastVerifying", {"get": server.url("tls_site")}),
    }
    told = run_cases(cases)["cases"]
    return {name: told[name]["events"] for name in cases}


@pytest.mark.parametrize("user", ["HttpWithPool", "FastWithPool"])
def test_a_users_own_pool_is_watched_as_well(user: str, events: dict[str, list[Told]]) -> None:
    assert [event["facts"]["stream"] for event in events[user]] == ["fresh", "kept", "fresh", "kept"]
    assert [event["facts"]["attempts"] for event in events[user]] == [1] * 4
    assert [event["kind"] for event in events[user]] == [None, None, "reset", None]


def test_retries_of_an_adapter_are_attempts_and_its_answers_legs(events: dict[str, list[Told]]) -> None:
    reset, busy = events["HttpWithRetries"]
    assert (reset["kind"], reset["facts"]["attempts"]) == ("reset", 3)
    assert busy["kind"] == "status"
    assert [leg["status"] for leg in busy["facts"]["legs"]] + [busy["facts"]["attempts"]] == [503, 503, 1]


def test_retries_that_a_fast_user_asked_for_are_attempts(
    events: dict[str, list[Told]], server: MisbehavingServer
) -> None:
    (event,) = events["FastWithRetries"]
    assert (event["kind"], event["facts"]["attempts"]) == ("read_timeout", 3)
    assert server.seen("read_timeout").requests == 3


HEALTHY = ("Http", "HttpWithPool", "Fast", "FastWithPool", "FastWithHeaders")


@pytest.fixture(scope="module")
def both(server: MisbehavingServer) -> tuple[Told, Told]:
    """The same healthy traffic without and with the plugin."""

    def site(path: str, method: str = "GET", **arguments: Any) -> dict[str, Any]:
        return {"get": server.url("site", path), "method": method, "with": arguments}

    steps = [
        site("/"),
        site("/status/404"),
        site("/status/503"),
        site("/big?100000"),
        site("/big?100000", stream=True),
        site("/chunked"),
        site("/unsized"),
        site("/close"),
        site("/", "HEAD"),
        site("/", "OPTIONS"),
        site("/echo", "POST", data={"a": "1"}),
        site("/echo", "POST", json={"a": 1}),
        site("/redirect/3"),
        site("/redirect/3", allow_redirects=False),
        site("/set?session=abc"),
        site("/echo"),
        site("/", name="named"),
        site("/echo?q=1", params={"p": "2"}),
        {**site("/", catch_response=True), "failure": "no"},
        site("/status/404", catch_response=True),
        {"rest": server.url("site", "/echo")},
        {"get": server.url("slow_body")},
    ]
    cases = {user: case(user, *steps) for user in HEALTHY}
    return run_cases(cases, plugin=False)["cases"], run_cases(cases)["cases"]


@pytest.mark.parametrize("user", HEALTHY)
def test_healthy_traffic_is_to_locust_what_it_is_without_the_plugin(user: str, both: tuple[Told, Told]) -> None:
    plain, watched = both[0][user], both[1][user]
    assert plain["statistics"] == watched["statistics"]
    told = ("name", "url", "method", "status", "length", "exception")
    for before, after in zip(plain["events"], watched["events"], strict=True):
        assert {key: before[key] for key in told} == {key: after[key] for key in told}
        assert before["facts"] is None
        assert after["facts"] is not None
