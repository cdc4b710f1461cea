"""Responses as the clients of Locust leave them in the `request` event, without a server and without Locust."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from geventhttpclient.header import Headers
from requests.structures import CaseInsensitiveDict

from switchover.locust.recording.request_facts import RequestFacts
from switchover.locust.user.answer import ResponseHead

Pairs = Iterable[tuple[str, str]]


def fast_response(
    pairs: Pairs = (), *, status: int = 200, reason: str = "OK", sent: Pairs = (), facts: RequestFacts | None = None
) -> Any:
    """FastHttpUser's: a repeated header is a list, and the reason phrase is kept a floor below."""
    inner = SimpleNamespace(get_code=lambda: status, status_message=reason)
    request = SimpleNamespace(headers=Headers(list(sent)), url="http://vip/last")
    return _with_facts(
        SimpleNamespace(headers=Headers(list(pairs)), status_code=status, _response=inner, request=request), facts
    )


def requests_response(
    pairs: Pairs = (), *, status: int = 200, reason: str = "OK", sent: Pairs = (), facts: RequestFacts | None = None
) -> Any:
    """HttpUser's: a repeated header is joined by commas."""
    joined: dict[str, str] = {}
    for name, value in pairs:
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    request = SimpleNamespace(headers=CaseInsensitiveDict(list(sent)), url="http://vip/last")
    return _with_facts(
        SimpleNamespace(headers=CaseInsensitiveDict(joined), status_code=status, reason=reason, request=request),
        facts,
    )


def balancer_response(
    pairs: Pairs = (), *, status: int = 200, reason: str = "OK", sent: Pairs = (), facts: RequestFacts | None = None
) -> Any:
    """BalancerHttpUser's: headers that never change, and the cookies that were sent as one line."""
    head = "".join(f"{name}: {value}\r\n" for name, value in pairs)
    headers = ResponseHead(f"HTTP/1.1 200 OK\r\n{head}\r\n".encode("latin-1", "replace")).headers
    request = SimpleNamespace(headers=dict(sent), url="http://vip/last")
    response = SimpleNamespace(headers=headers, status_code=status, reason=reason, request=request)
    response.prepared = SimpleNamespace(has_cookies=False)
    response.cookies_sent = b"".join(f"{name}: {value}\r\n".encode("latin-1") for name, value in sent)
    return _with_facts(response, facts)


def no_response() -> Any:
    """What FastHttpUser makes of a connection that failed."""
    return SimpleNamespace(headers=None, status_code=0, content=None)


def _with_facts(response: Any, facts: RequestFacts | None) -> Any:
    if facts is not None:
        response.switchover_facts = facts
    return response
