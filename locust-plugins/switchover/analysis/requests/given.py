"""Requests that other programs logged, on their way into a table: blocks of them as columns, with no text between."""

from collections.abc import Mapping, Sequence

import numpy as np

from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.analysis.requests.columns import IMPOSSIBLE, OUT_OF_RANGE
from switchover.analysis.requests.identity_from import IdentityFrom
from switchover.analysis.requests.store import Arrays
from switchover.analysis.requests.table import TYPES

GIVEN_BLOCK = 10_000
"""Requests that are handed over at a time."""
GIVEN: Mapping[str, str] = {
    "label": "label",
    "responseCode": "code",
    "responseMessage": "message",
    "threadName": "thread",
    "URL": "url",
}
"""By the name that JMeter gives a text, and `--backend-from` with it, the column that it stands in."""
_NONE = np.iinfo(np.int64).min


def given_sql(places: Mapping[str, str], identity_from: IdentityFrom | None) -> str:
    """Selects the columns of a table and `reason` from `given`, which `arrays_of` made. `places`: the
    columns whose texts may say who answered, by name."""
    fields = {name: name for name in TYPES} | {"intended_us": f"nullif(intended_us, {_NONE})"}
    if identity_from is not None:
        fields |= identity_from.sql(dict(places))
    selected = ", ".join(f"{sql} AS {name}" for name, sql in fields.items())
    return f"(SELECT {selected}, CASE WHEN {IMPOSSIBLE} THEN '{OUT_OF_RANGE}' END AS reason FROM given)"


def arrays_of(requests: Sequence[LoggedRequest]) -> Arrays:
    """The columns of `TYPES`, the messages, and what stands in further columns as `further_0`, `further_1`, …"""
    texts = {
        "label": [one.label for one in requests],
        "code": [one.code for one in requests],
        "message": [one.message for one in requests],
        "thread": [one.thread for one in requests],
        "url": [one.url for one in requests],
        "backend": [one.identity.backend for one in requests],
        "balancer": [one.identity.balancer for one in requests],
        "answered_by": [one.identity.answered_by.value for one in requests],
        "error": [str(one.kind or "") for one in requests],
        "stream": [""] * len(requests),
        "session": [""] * len(requests),
    }
    texts |= {
        f"further_{place}": [one.further[place] for one in requests] for place in range(len(requests[0].further))
    }
    numbers = {
        "start_us": [one.start_us for one in requests],
        "end_us": [one.end_us for one in requests],
        "intended_us": [_NONE if one.intended_us is None else one.intended_us for one in requests],
        "attempts": [1] * len(requests),
        "users": [one.users for one in requests],
        "nbytes": [one.nbytes for one in requests],
        "sent_bytes": [one.sent_bytes for one in requests],
        "latency_us": [one.latency_us for one in requests],
        "connect_us": [one.connect_us for one in requests],
    }
    return (
        {name: np.array(list(map(_unicode, values)), np.object_) for name, values in texts.items()}
        | {name: np.array(values, np.int64) for name, values in numbers.items()}
        | {"success": np.array([one.success for one in requests], np.bool_)}
    )


def _unicode(text: str) -> str:
    """JSON may hold halves of characters, which no database takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
