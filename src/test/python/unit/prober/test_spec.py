"""What the prober is told, and what it then sends."""

from pathlib import Path
from typing import Any

import pytest

from support.prober import spec_of
from switchover import __version__
from switchover.model.errors import UsageError
from switchover.model.identity import IdentitySettings
from switchover.prober import ProberSpec
from switchover.target.model import StatusRanges


def lines_of(url: str, keep: bool = False, **endpoint: Any) -> list[str]:
    request = spec_of(url, endpoint=endpoint).request(keep=keep).decode("latin-1")
    assert request.endswith("\r\n\r\n")
    return request[:-4].split("\r\n")


def test_a_spec_survives_its_way_to_the_process() -> None:
    spec = spec_of(
        "https://[2001:db8::1]:8443/a?b=c",
        Path("/run dir/ü"),
        endpoint={
            "expect": StatusRanges(((200, 299), (304, 304))),
            "host_header": "example",
            "sni": "name",
            "ca": Path("/ca.pem"),
            "insecure": True,
            "headers": {"Authorization": "Basic ü"},
            "timeout_connect_s": 3.0,
        },
        identity=IdentitySettings(sticky_cookie="SRV", aliases={"198.18.0.11:80": "web1"}),
        rate=333.3,
        kept_rate=5,
        late_s=0.5,
        worker="w1",
        start_us=1_700_000_000_000_000,
    )
    assert "\n" not in spec.to_json()
    assert ProberSpec.from_json(spec.to_json()) == spec


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "{", '{"endpoint": 1}', "[" * 10_000])
def test_what_is_no_spec_is_one_clear_line(text: str) -> None:
    with pytest.raises(UsageError, match="no usable spec") as caught:
        ProberSpec.from_json(text)
    assert "\n" not in str(caught.value)


def test_headers_with_secrets_are_in_no_representation() -> None:
    assert "hunter2" not in repr(spec_of("http://x/", endpoint={"headers": {"Authorization": "hunter2"}}))


@pytest.mark.parametrize(
    "values",
    [
        {"rate": 0},
        {"rate": -1},
        {"rate": float("nan")},
        {"rate": 1e9},
        {"kept_rate": -1},
        {"timeout_connect_s": 0},
        {"timeout_read_s": float("inf")},
        {"late_s": 0},
    ],
)
def test_values_out_of_range_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="must be"):
        spec_of("http://x/", **values)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "ftp://x/",
        "http://",
        "http:///path",
        "http://x:0/",
        "http://x:99999/",
        "http://x/a b",
        "http://x/\r\nX: y",
    ],
)
def test_what_is_no_url_to_probe_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="no URL to probe"):
        spec_of(url)


def test_credentials_in_the_url_are_refused_without_being_printed() -> None:
    with pytest.raises(UsageError, match="Authorization") as caught:
        spec_of("http://user:hunter2@x/")
    assert "hunter2" not in str(caught.value)


def test_a_fresh_request_closes_and_a_kept_one_does_not() -> None:
    assert lines_of("http://x") == [
        "GET / HTTP/1.1",
        "Host: x",
        f"User-Agent: switchover-prober/{__version__}",
        "Accept: */*",
        "Connection: close",
    ]
    assert lines_of("http://x", keep=True)[-1] == "Connection: keep-alive"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://x:80/", "x"),
        ("http://x:8080/", "x:8080"),
        ("https://x/", "x"),
        ("https://x:80/", "x:80"),
        ("http://[::1]:80/", "[::1]"),
        ("http://[fe80::1%25eth0]:81/", "[fe80::1]:81"),
        ("http://bücher.example/", "xn--bcher-kva.example"),
    ],
)
def test_the_host_header_names_what_the_url_names(url: str, host: str) -> None:
    assert f"Host: {host}" in lines_of(url)


def test_headers_of_the_target_replace_ours_but_not_the_connection() -> None:
    lines = lines_of(
        "http://x/", headers={"user-agent": "mine", "Connection": "upgrade", "X-More": "é"}, host_header="shop"
    )
    assert [line.lower() for line in lines].count("user-agent: mine") == 1
    assert "Host: shop" in lines
    assert "X-More: é" in lines
    assert [line for line in lines if line.lower().startswith("connection:")] == ["Connection: close"]


def test_path_and_query_are_sent_as_they_stand() -> None:
    assert lines_of("http://x/a%20b/ü?c=d&e=%2F#top")[0] == "GET /a%20b/%C3%BC?c=d&e=%2F HTTP/1.1"


def test_a_header_that_http_cannot_carry_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot carry"):
        spec_of("http://x/", endpoint={"headers": {"X": "日"}}).request(keep=False)
