"""The bytes that `BalancerHttpUser` sends, and where to."""

import gzip
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.locust.user.answer import decode
from switchover.locust.user.origin import follow, parse_url
from switchover.locust.user.request_bytes import RequestBuilder, encode_body

BASE = "http://shop.example:8080"


def sent(
    path: str = "/",
    method: str = "GET",
    *,
    base: str = BASE,
    own: tuple[tuple[str, Any], ...] = (),
    keep: bool = True,
    **request: Any,
) -> tuple[str, dict[str, str]]:
    """Request line and headers of a request without a body."""
    builder = RequestBuilder(base, own, keep)
    prepared = builder.prepare(
        method, path, request.get("params"), request.get("headers"), request.get("request_auth")
    )
    line, *lines = prepared.whole.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    names = [name.partition(":")[0].lower() for name in lines]
    assert len(set(names)) == len(names)
    return line, {name: value for name, _, value in (text.partition(": ") for text in lines)}


@pytest.mark.parametrize(
    ("url", "line", "host"),
    [
        ("http://other.example/x", "GET /x HTTP/1.1", "other.example"),
        ("HTTPS://Other.Example:443/x#here", "GET /x HTTP/1.1", "other.example"),
        ("http://[::1]:8080", "GET / HTTP/1.1", "[::1]:8080"),
        ("http://bücher.example/ü?q=ü", "GET /%C3%BC?q=%C3%BC HTTP/1.1", "xn--bcher-kva.example"),
        ("http://a.example?q=1", "GET /?q=1 HTTP/1.1", "a.example"),
        ("/a b", "GET /a%20b HTTP/1.1", "shop.example:8080"),
        ("/a%20b%", "GET /a%20b% HTTP/1.1", "shop.example:8080"),
        ("/a/../b;c=1,(d)'*~", "GET /a/../b;c=1,(d)'*~ HTTP/1.1", "shop.example:8080"),
    ],
)
def test_urls(url: str, line: str, host: str) -> None:
    found, headers = sent(url)
    assert (found, headers["Host"]) == (line, host)


@given(path=st.text(max_size=30))
def test_no_path_breaks_out_of_the_request_line(path: str) -> None:
    try:
        line, headers = sent(f"/{path}")
    except UnicodeEncodeError:
        return  # half of a surrogate pair
    assert line.count(" ") == 2
    assert line.startswith("GET /")
    assert headers["Host"] == "shop.example:8080"


def test_headers_of_the_request_win_over_those_of_the_user_without_case() -> None:
    own = (("X-Team", "blue"), ("accept", "text/html"))
    _, headers = sent(own=own, headers={"x-team": "red", "Accept-Encoding": None, "Host": "elsewhere"})
    assert headers["x-team"] == "red"
    assert headers["accept"] == "text/html"
    assert headers["Host"] == "elsewhere"
    assert "Accept-Encoding" not in headers


@pytest.mark.parametrize("header", [{"X": "a\r\nEvil: 1"}, {"X\r\nEvil": "1"}, {"": "1"}, {"a b": "1"}])
def test_headers_cannot_smuggle_others_in(header: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        sent(headers=header)


def test_credentials_win_over_a_header() -> None:
    assert sent(headers={"authorization": "Bearer 1"})[1]["authorization"] == "Bearer 1"
    both = sent(headers={"Authorization": "Bearer 1"}, request_auth=("user", "pass"))[1]
    assert both["Authorization"] == "Basic dXNlcjpwYXNz"
    with pytest.raises(ValueError, match="the URL contains credentials"):
        sent("http://user:pass@a.example/")


@pytest.mark.parametrize(
    ("data", "json_value", "body", "kind"),
    [
        (None, None, None, None),
        (b"raw", None, b"raw", None),
        ("täxt", None, "täxt".encode(), None),
        ("", None, b"", None),
        ({"a": "1 2", "b": ["x", "y"], "c": None}, None, b"a=1+2&b=x&b=y", "application/x-www-form-urlencoded"),
        ([("a", "1"), ("a", "2")], None, b"a=1&a=2", "application/x-www-form-urlencoded"),
        (None, {"a": [1, None]}, b'{"a": [1, null]}', "application/json"),
        (None, 0, b"0", "application/json"),
        ("both", {"a": 1}, b"both", None),
    ],
)
def test_bodies(data: Any, json_value: Any, body: bytes | None, kind: str | None) -> None:
    assert encode_body(data, json_value) == (body, kind)


def test_the_length_and_type_of_a_body_are_told_unless_the_request_says_otherwise() -> None:
    builder = RequestBuilder(BASE, (), True)
    raw = builder.prepare("POST", "/", None, None, None).bytes_with(b"Cookie: a=1\r\n", b"{}", "application/json")
    head, _, body = raw.partition(b"\r\n\r\n")
    assert body == b"{}"
    assert b"\r\nContent-Length: 2\r\nContent-Type: application/json" in head
    assert b"\r\nCookie: a=1\r\n" in head
    own = builder.prepare("POST", "/", None, {"Content-Type": "text/x"}, None).bytes_with(
        b"", b"{}", "application/json"
    )
    assert own.count(b"Content-Type") == 1


@pytest.mark.parametrize(
    ("method", "status", "then"),
    [
        ("GET", 301, "GET"),
        ("HEAD", 303, "HEAD"),
        ("POST", 301, "GET"),
        ("POST", 302, "GET"),
        ("POST", 303, "GET"),
        ("POST", 307, "POST"),
        ("POST", 308, "POST"),
        ("PUT", 302, "PUT"),
        ("PUT", 303, "GET"),
        ("DELETE", 307, "DELETE"),
    ],
)
def test_the_method_of_the_next_request(method: str, status: int, then: str) -> None:
    assert follow(method, status, "/next", parse_url(f"{BASE}/a/b?c"))[0] == then


@pytest.mark.parametrize(
    ("location", "url", "valid"),
    [
        ("next", f"{BASE}/a/next", True),
        ("../next?x=1#y", f"{BASE}/next?x=1", True),
        ("?page=2", f"{BASE}/a/b?page=2", True),
        ("//other.example/x", "http://other.example/x", False),
        ("http://shop.example/x", "http://shop.example/x", False),
        ("https://shop.example:8080/x", "https://shop.example:8080/x", False),
        ("/a b", f"{BASE}/a%20b", True),
    ],
)
def test_where_a_redirect_leads_and_whether_secrets_may_go_there(location: str, url: str, valid: bool) -> None:
    before = parse_url(f"{BASE}/a/b?c")
    _, parsed_url = follow("GET", 302, location, before)
    assert parsed_url.url == url
    assert (parsed_url.origin == before.origin) is valid


@given(body=st.binary(max_size=2000))
def test_content_codings_are_undone(body: bytes) -> None:
    for packed, encoding in (
        (gzip.compress(body, mtime=0), "gzip"),
        (gzip.compress(body, mtime=0), "x-gzip"),
        (gzip.compress(body, mtime=0) + b"\x00" * 8, "gzip"),
        (body, "br"),
        (body, "identity"),
    ):
        assert decode(packed, encoding, 4000) == body


def test_a_wrong_gzip_body_is_refused() -> None:
    packed = gzip.compress(b"x" * 1000)
    with pytest.raises(ValueError, match="truncated, or has more than one member"):
        decode(packed[:-3], "gzip", 5000)
    with pytest.raises(ValueError, match="truncated, or has more than one member"):
        decode(packed * 2, "gzip", 5000)
    with pytest.raises(ValueError, match="the body is not gzip"):
        decode(b"x" * 100, "gzip", 5000)


def test_a_body_that_unpacks_to_more_than_the_limit_is_not_unpacked() -> None:
    assert decode(gzip.compress(b"x" * 10_000_000), "gzip", 1000) is None
    assert decode(gzip.compress(b"x" * 1000), "gzip", 1000) == b"x" * 1000
