"""A name that another site may have turned to this machine is not answered."""

import socket

import pytest

from switchover.locust.page.request_checks import is_loopback, refusal_of_host


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
