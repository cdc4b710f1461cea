"""Only the page itself may ask for a fault, and only under a name that no other site can turn to this machine."""

import socket
from secrets import token_urlsafe

import pytest

from switchover.locust.page.request_checks import is_foreign, is_loopback, refusal, refusal_of_host

HOST = "locust.example:8089"
TOKEN = token_urlsafe(32)
ASKED = {"X-Switchover-Token": TOKEN, "Content-Type": "application/json", "Origin": f"http://{HOST}"}


@pytest.mark.parametrize(
    "headers",
    [
        ASKED,
        ASKED | {"Content-Type": "application/json; charset=utf-8"},
        ASKED | {"Sec-Fetch-Site": "same-origin"},
        ASKED | {"Origin": f"https://{HOST}"},
        ASKED | {"Origin": "https://behind.a.proxy", "Sec-Fetch-Site": "same-origin"},
    ],
    ids=["plain", "charset", "modern", "TLS ends before", "a proxy renames the host"],
)
def test_the_page_is_trusted(headers: dict[str, str]) -> None:
    assert refusal(headers, HOST, TOKEN) is None


@pytest.mark.parametrize(
    "headers",
    [
        {},
        ASKED | {"X-Switchover-Token": ""},
        ASKED | {"X-Switchover-Token": token_urlsafe(32)},
        ASKED | {"X-Switchover-Token": "ä"},
        ASKED | {"Content-Type": "text/plain"},
        ASKED | {"Content-Type": "application/x-www-form-urlencoded"},
        ASKED | {"Origin": "http://evil.example"},
        ASKED | {"Origin": "http://locust.example:8090"},
        ASKED | {"Origin": "null"},
        ASKED | {"Origin": "http://[broken"},
        ASKED | {"Sec-Fetch-Site": "cross-site"},
        ASKED | {"Sec-Fetch-Site": "same-site"},
        {name: value for name, value in ASKED.items() if name != "Origin"},
    ],
)
def test_everybody_else_is_refused(headers: dict[str, str]) -> None:
    assert "refused" in (refusal(headers, HOST, TOKEN) or "")


def test_what_no_browser_sent_is_neither_foreign_nor_ours() -> None:
    assert is_foreign({}, HOST) is None
    assert is_foreign({"Origin": f"http://{HOST}"}, HOST) is False
    assert is_foreign({"Origin": "null"}, HOST) is True
    assert is_foreign({"Sec-Fetch-Site": "same-site"}, HOST) is True


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:8089",
        "198.18.0.1",
        "[::1]:8089",
        "[2001:db8::1]",
        "localhost:8089",
        "LOCALHOST",
        "page.localhost",
        "loadgen.example:8089",
        "LoadGen.Example.",
        socket.gethostname(),
        f"{socket.gethostname()}:8089",
    ],
)
def test_addresses_own_names_and_given_names_are_answered(host: str) -> None:
    assert refusal_of_host(host, "Loadgen.Example.") is None


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8089",
        "127.0.0.1.evil.example",
        "loadgen.example.evil.example",
        "localhost.evil.example",
        f"{socket.gethostname()}.evil.example",
        "127.0.0.1@evil.example",
        "notlocalhost",
        "[broken",
        "",
    ],
)
def test_every_other_name_is_refused_in_one_line(host: str) -> None:
    refused = refusal_of_host(host, "0.0.0.0")
    assert refused is not None
    assert "open the page by its address" in refused and "\n" not in refused


@pytest.mark.parametrize(
    ("host", "alone"),
    [
        *[(host, True) for host in ("127.0.0.1", "127.8.8.8", "::1", "localhost")],
        *[(host, False) for host in ("", "*", "0.0.0.0", "::", "198.18.0.1", "loadgen")],
    ],
)
def test_only_loopback_is_out_of_others_reach(host: str, alone: bool) -> None:
    assert is_loopback(host) is alone
