"""One request of HttpUser on its way, put together from what its connections do."""

from time import monotonic_ns
from typing import Any

from requests.exceptions import TooManyRedirects
from urllib3.connection import HTTPSConnection

from switchover.identity import HeaderValue
from switchover.locust.clients.timeline import TIMELINE
from switchover.locust.failures import kind_in_phase
from switchover.locust.request_facts import Leg, RequestFacts


class HttpExchange:
    """Times are monotonic nanoseconds, 0 where nothing has happened yet. All but the start are of the present leg."""

    __slots__ = (
        "_answered_ns",
        "_connected_ns",
        "_connecting",
        "_first_ns",
        "_leg_start_ns",
        "_legs",
        "_sends",
        "_start_ns",
        "_url",
        "_watched",
        "answer",
        "sent_bytes",
    )

    def __init__(self) -> None:
        self._start_ns = self._leg_start_ns = monotonic_ns()
        self._legs: list[Leg] = []
        self._watched = False
        """A connection of ours was used at all."""
        self._url: tuple[Any, str] | None = None
        self.answer: Any = None
        """urllib3's, with its headers complete and its body perhaps not."""
        self._reset()

    def connecting(self) -> None:
        self._leave_answer()
        self._watched = True
        self._connecting = True
        self._connected_ns = 0

    def connected(self) -> None:
        self._connecting = False
        self._connected_ns = monotonic_ns()

    def sending(self, connection: Any, target: str) -> None:
        self._leave_answer()
        self._watched = True
        self._url = connection, target

    def sent(self) -> None:
        """The request is on its way, whole or in part, unless there never was a connection."""
        if not self._connecting:
            self._sends += 1

    def first_line(self, now_ns: int) -> None:
        self._first_ns = now_ns

    def answered(self, answer: Any) -> None:
        self._answered_ns = monotonic_ns()
        self.answer = answer

    def facts(self, error: BaseException | None) -> RequestFacts:
        """What there is to tell when the session has come to an end with the request."""
        end_ns = monotonic_ns()
        if isinstance(error, TooManyRedirects):
            self._leave_answer()
        return RequestFacts(
            start_us=TIMELINE.at(self._start_ns),
            end_us=TIMELINE.at(end_ns),
            connect_us=self._since(self._start_ns, self._connected_ns),
            latency_us=self._since(self._start_ns, self._first_ns),
            sent_bytes=self.sent_bytes,
            attempts=self._sends if self._watched else 1,
            stream=self._stream(),
            kind=None if error is None else kind_in_phase(error, connecting=self._connecting),
            legs=self._legs,
        )

    def _reset(self) -> None:
        self._connecting = False
        self._connected_ns = self._first_ns = self._answered_ns = 0
        self._sends = 0
        self.sent_bytes = 0

    def _leave_answer(self) -> None:
        """Something follows the answer that came, so it was only a leg."""
        answer = self.answer
        if answer is None:
            return
        self._legs.append(
            Leg(
                start_us=TIMELINE.at(self._leg_start_ns),
                end_us=TIMELINE.at(self._answered_ns),
                status=answer.status,
                url=_url(*self._url) if self._url else "",
                headers=_headers(answer),
                nbytes=answer.tell(),
                sent_bytes=self.sent_bytes,
                latency_us=self._since(self._leg_start_ns, self._first_ns),
                connect_us=self._since(self._leg_start_ns, self._connected_ns),
                stream=self._stream(),
                attempts=self._sends,
            )
        )
        self.answer = None
        self._leg_start_ns = monotonic_ns()
        self._reset()

    def _stream(self) -> str:
        if self._connecting or self._connected_ns:
            return "fresh"
        return "kept" if self._sends else ""

    def _since(self, start_ns: int, then_ns: int) -> int:
        return (then_ns - start_ns) // 1000 if then_ns else 0


def _url(connection: Any, target: str) -> str:
    if not target.startswith("/"):
        return target
    secure = isinstance(connection, HTTPSConnection)
    host = f"[{connection.host}]" if ":" in connection.host else connection.host
    port = "" if connection.port == (443 if secure else 80) else f":{connection.port}"
    return f"{'https' if secure else 'http'}://{host}{port}{target}"


def _headers(answer: Any) -> dict[str, HeaderValue]:
    """A repeated header is a list."""
    found: dict[str, HeaderValue] = {}
    for name in answer.headers:
        values = answer.headers.getlist(name)
        found[name] = values[0] if len(values) == 1 else values
    return found
