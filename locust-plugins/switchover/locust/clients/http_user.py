"""HttpUser's client, requests, made to tell what it really did.

The hooks are on urllib3's connections, so that they hold for a user's own pool manager and adapters too; an adapter
without urllib3 is recorded by start, end and outcome alone. They do nothing but for a request of a Locust session.
"""

import http.client
from collections.abc import Callable
from typing import Any

from gevent import getcurrent
from locust.clients import HttpSession
from urllib3.connection import HTTPConnection, HTTPSConnection

from switchover.locust.clients import timeouts
from switchover.locust.clients.http_exchange import HttpExchange
from switchover.locust.clients.replacing import Hook, replace
from switchover.locust.clients.truncation import watched_response
from switchover.locust.clients.unreported import abandon
from switchover.locust.request_facts import FACTS

EXCHANGE = "switchover_http_exchange"
"""Where a greenlet keeps the exchange of the request that it is busy with."""


class Connections:
    """Of this process, through urllib3."""

    __slots__ = ("replaced",)

    def __init__(self) -> None:
        self.replaced = 0
        """Kept ones that were found dead and silently replaced."""


CONNECTIONS = Connections()


def install() -> str | None:
    """Replace what has to be replaced, all of it or nothing; returns what this version of the client lacks."""
    names = [(owner, name) for owner, name, _ in _HOOKS] + [(HTTPConnection, "is_connected")]
    missing = [f"{owner.__name__}.{name}" for owner, name in names if not hasattr(owner, name)]
    if missing:
        return f"it has no {', '.join(missing)}"
    if HTTPConnection.response_class is not http.client.HTTPResponse:
        return "it has a response_class of its own"
    for owner, name, make in _HOOKS:
        replace(owner, name, make)
    _watch_reconnects()
    HTTPConnection.response_class = watched_response(_first_line)
    return None


def _current() -> HttpExchange | None:
    return getattr(getcurrent(), EXCHANGE, None)


def _first_line() -> Callable[[int], None] | None:
    exchange = _current()
    return None if exchange is None else exchange.first_line


def _tell_of_request(original: Hook) -> Hook:
    def _send_request_safe_mode(session: Any, method: Any, url: Any, **kwargs: Any) -> Any:
        if "timeout" not in kwargs:
            kwargs.update(timeouts.of_request(session, url))
        greenlet = getcurrent()
        exchange = HttpExchange()
        setattr(greenlet, EXCHANGE, exchange)
        try:
            response = original(session, method, url, **kwargs)
        except BaseException as error:
            if not isinstance(error, Exception):
                abandon(exchange.facts(None), str(method), str(url))
            raise
        finally:
            setattr(greenlet, EXCHANGE, None)
        setattr(response, FACTS, exchange.facts(getattr(response, "error", None)))
        return response

    return _send_request_safe_mode


def _tell_of_connecting(original: Hook) -> Hook:
    def connect(connection: Any) -> None:
        exchange = _current()
        if exchange is None:
            original(connection)
            return
        exchange.connecting()
        original(connection)
        exchange.connected()

    return connect


def _tell_of_sending(original: Hook) -> Hook:
    def request(connection: Any, method: str, url: str, *args: Any, **kwargs: Any) -> None:
        exchange = _current()
        if exchange is None:
            original(connection, method, url, *args, **kwargs)
            return
        exchange.sending(connection, url)
        try:
            original(connection, method, url, *args, **kwargs)
        finally:
            exchange.sent()

    return request


def _tell_of_bytes(original: Hook) -> Hook:
    def send(connection: Any, data: Any) -> None:
        original(connection, data)
        exchange = _current()
        if exchange is not None:
            exchange.sent_bytes += len(data)

    return send


def _tell_of_answer(original: Hook) -> Hook:
    def getresponse(connection: Any, *args: Any, **kwargs: Any) -> Any:
        answer = original(connection, *args, **kwargs)
        exchange = _current()
        if exchange is not None:
            exchange.answered(answer)
        return answer

    return getresponse


def _watch_reconnects() -> None:
    """urllib3 asks a kept connection whether it still stands, and connects again without a word if it does not."""
    original: Any = HTTPConnection.is_connected

    def is_connected(connection: HTTPConnection) -> bool:
        connected = bool(original.__get__(connection))
        if not connected and connection.sock is not None and _current() is not None:
            CONNECTIONS.replaced += 1
        return connected

    setattr(HTTPConnection, "is_connected", property(is_connected))  # noqa: B010 - for mypy, a method


_HOOKS: tuple[tuple[type, str, Callable[[Hook], Hook]], ...] = (
    (HttpSession, "_send_request_safe_mode", _tell_of_request),
    (HTTPConnection, "connect", _tell_of_connecting),
    (HTTPSConnection, "connect", _tell_of_connecting),
    (HTTPConnection, "request", _tell_of_sending),
    (HTTPConnection, "send", _tell_of_bytes),
    (HTTPConnection, "getresponse", _tell_of_answer),
)
