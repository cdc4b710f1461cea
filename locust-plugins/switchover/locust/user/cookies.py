"""The cookies of one user: the cookie jar of the library requests, with a cache of Cookie headers."""

from collections.abc import Iterable, Mapping
from email.message import Message
from http.cookiejar import Cookie, DefaultCookiePolicy, eff_request_host  # type: ignore[attr-defined]
from typing import Any
from urllib.request import Request

from requests.cookies import MockResponse, RequestsCookieJar

from switchover.locust.recording.attribution import remember

REMEMBERED_LIMIT = 256


class Cookies(RequestsCookieJar):
    """A cookie jar of the library requests. For example, `client.cookies.set("session", "42")` sets a cookie.

    A cookie without a domain is sent only to the host that set the cookie (RFC 6265 section 5.3). If the test set the
    cookie, this host is the user's `host`.
    """

    def __init__(self, base_url: str) -> None:
        self._own_host = eff_request_host(Request(base_url))[1]
        self._by_url: dict[str, bytes] = {}
        self._may_expire = False
        """True if a cookie may expire. The Cookie header is then built for each request."""
        super().__init__(DefaultCookiePolicy(strict_ns_domain=DefaultCookiePolicy.DomainStrictNonDomain))

    def header_for(self, url: str) -> bytes:
        """Return the Cookie header line; empty if there is no cookie to send."""
        if not self._cookies:  # type: ignore[attr-defined]
            return b""
        line = None if self._may_expire else self._by_url.get(url)
        if line is None:
            request = Request(url)
            self.add_cookie_header(request)
            value = request.get_header("Cookie")
            line = f"Cookie: {value}\r\n".encode("latin-1", "replace") if value else b""
            remember(self._by_url, url, line, REMEMBERED_LIMIT)
        return line

    def set_cookie(self, cookie: Cookie, *arguments: Any, **options: Any) -> None:
        cookie.domain = cookie.domain or self._own_host
        if any(vars(known) == vars(cookie) for known in self):
            return
        self._by_url.clear()
        self._may_expire |= bool(cookie.expires)
        super().set_cookie(cookie, *arguments, **options)

    def clear(self, domain: str | None = None, path: str | None = None, name: str | None = None) -> None:
        self._by_url.clear()
        super().clear(domain, path, name)


def store_cookies(jar: RequestsCookieJar, url: str, headers: Iterable[tuple[str, str]]) -> None:
    message = Message()
    for name, value in headers:
        if name.lower() == "set-cookie":
            message.add_header("Set-Cookie", value)
    jar.extract_cookies(MockResponse(message), Request(url))  # type: ignore[arg-type]


def add_cookies_by_hand(line: bytes, given: Mapping[str, str]) -> bytes:
    """Return the Cookie header line with the cookies `given`, which replace cookies with the same name."""
    pairs = dict(part.partition("=")[::2] for part in line[8:-2].decode("latin-1").split("; ") if part)
    value = "; ".join(f"{name}={content}" for name, content in {**pairs, **given}.items())
    if any(character in value for character in "\r\n\0"):
        raise ValueError("a cookie contains a line end")
    return f"Cookie: {value}\r\n".encode()
