"""The facts of a request for the recorder, with its redirects as legs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from switchover.locust.recording.request_facts import Leg, RequestFacts
from switchover.locust.user.errors import StatusError

if TYPE_CHECKING:
    from switchover.locust.user.exchange import Exchange
    from switchover.locust.user.response import Response


def facts_of(response: "Response", anchor_ns: int) -> RequestFacts:
    """From the first send to the last byte, over all redirects; bytes and stream are those of the last request."""
    last = response.exchange
    start_ns = last.start_ns
    legs = []
    if response.history:
        start_ns = response.history[0].exchange.start_ns
        legs = [_leg(leg, anchor_ns) for leg in response.history]
    error = response.error
    return RequestFacts(
        (start_ns + anchor_ns) // 1000,
        (last.end_ns + anchor_ns) // 1000,
        (last.connected_ns - last.start_ns) // 1000 if last.connected_ns else 0,
        (last.first_ns - start_ns) // 1000 if last.first_ns else 0,
        last.sent_bytes,
        1 if last.sent_bytes else 0,
        last.stream,
        # Whether a status is an error is decided by the event: the test may accept it.
        None if error is None or type(error) is StatusError else error.kind,
        legs,
    )


def facts_of_exchange(exchange: "Exchange", way: Sequence["Response"], anchor_ns: int) -> RequestFacts:
    """The facts of an abandoned exchange, and of the redirects that led to it."""
    start_ns = way[0].exchange.start_ns if way else exchange.start_ns
    return RequestFacts(
        (start_ns + anchor_ns) // 1000,
        (exchange.end_ns + anchor_ns) // 1000,
        (exchange.connected_ns - exchange.start_ns) // 1000 if exchange.connected_ns else 0,
        (exchange.first_ns - start_ns) // 1000 if exchange.first_ns else 0,
        exchange.sent_bytes,
        1 if exchange.sent_bytes else 0,
        exchange.stream,
        legs=[_leg(leg, anchor_ns) for leg in way],
    )


def _leg(response: "Response", anchor_ns: int) -> Leg:
    exchange = response.exchange
    return Leg(
        start_us=(exchange.start_ns + anchor_ns) // 1000,
        end_us=(exchange.end_ns + anchor_ns) // 1000,
        status=response.status_code,
        url=response.url,
        headers=dict(response.headers),
        nbytes=exchange.answer.nbytes,
        sent_bytes=exchange.sent_bytes,
        latency_us=(exchange.first_ns - exchange.start_ns) // 1000,
        connect_us=(exchange.connected_ns - exchange.start_ns) // 1000,
        stream=exchange.stream,
    )
