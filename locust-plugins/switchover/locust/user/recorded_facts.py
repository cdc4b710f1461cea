"""The facts of a request for the recorder, with its redirects as legs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from switchover.locust.recording.request_facts import Leg, RequestFacts
from switchover.locust.user.errors import StatusError
from switchover.model.failure_kind import FailureKind

if TYPE_CHECKING:
    from switchover.locust.user.exchange import Exchange
    from switchover.locust.user.response import Response


def facts_of(response: "Response", anchor_ns: int) -> RequestFacts:
    error = response.error
    # Whether a status is an error is decided by the event: the test may accept it.
    kind = None if error is None or type(error) is StatusError else error.kind
    return facts_of_exchange(response.exchange, response.history, anchor_ns, kind)


def facts_of_exchange(
    exchange: "Exchange", way: Sequence["Response"], anchor_ns: int, kind: FailureKind | None = None
) -> RequestFacts:
    """From the first send to the last byte, over the redirects that led to it; bytes and stream are its own."""
    start_ns = way[0].exchange.start_ns if way else exchange.start_ns
    return RequestFacts(
        (start_ns + anchor_ns) // 1000,
        (exchange.end_ns + anchor_ns) // 1000,
        (exchange.connected_ns - exchange.start_ns) // 1000 if exchange.connected_ns else 0,
        (exchange.first_ns - start_ns) // 1000 if exchange.first_ns else 0,
        exchange.sent_bytes,
        1 if exchange.sent_bytes else 0,
        exchange.stream,
        kind,
        [_leg(leg, anchor_ns) for leg in way],
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
