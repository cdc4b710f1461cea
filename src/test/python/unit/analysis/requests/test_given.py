"""Requests of other programs' logs on their way into a table: each column holds what the request says."""

from typing import Any

import numpy as np

from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.analysis.requests.given import GIVEN, arrays_of, given_sql
from switchover.analysis.requests.identity_from import parse_identity_from
from switchover.analysis.requests.store import Store
from switchover.analysis.requests.table import TYPES
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity

GOOD = LoggedRequest(
    start_us=1000,
    took_us=234,
    intended_us=900,
    label="home",
    code="200",
    message="OK",
    url="http://vip/",
    thread="u 1-1",
    identity=Identity("web1", "lb1", AnsweredBy.BACKEND),
    nbytes=5,
    sent_bytes=6,
    latency_us=7,
    connect_us=8,
    users=9,
    further=("caf\u00e9", "x"),
)
FAILED = LoggedRequest(start_us=0, success=False, error=FailureKind.RESET, label="\ud800", further=("", "y"))


def rows_of(*requests: LoggedRequest, how: str = "") -> list[dict[str, Any]]:
    places = dict(GIVEN) | {"server": "further_0", "path": "further_1"}
    store = Store()
    source = given_sql(places, parse_identity_from(how) if how else None)
    columns = [*TYPES, "reason"]
    store.insert(f"CREATE TABLE found AS SELECT {', '.join(columns)} FROM {source}", arrays_of(requests))
    return [dict(zip(columns, row, strict=True)) for row in store.rows("SELECT * FROM found ORDER BY rowid")]


def test_each_column_holds_what_the_request_says() -> None:
    good, failed = rows_of(GOOD, FAILED)
    assert good == {
        "start_us": 1000,
        "end_us": 1234,
        "intended_us": 900,
        "label": "home",
        "code": "200",
        "thread": "u 1-1",
        "success": True,
        "backend": "web1",
        "balancer": "lb1",
        "answered_by": "backend",
        "error": "",
        "attempts": 1,
        "stream": "",
        "session": "",
        "users": 9,
        "nbytes": 5,
        "sent_bytes": 6,
        "latency_us": 7,
        "connect_us": 8,
        "url": "http://vip/",
        "reason": None,
    }
    assert (failed["intended_us"], failed["success"], failed["error"]) == (None, False, "reset")
    assert failed["label"] == "?"


def test_numbers_and_truths_are_of_their_own_types() -> None:
    """Also where a block of requests has none that says more."""
    made = arrays_of([LoggedRequest(start_us=1)])
    texts = {name for name, kind in TYPES.items() if kind == "VARCHAR"} | {"message"}
    assert {name: values.dtype for name, values in made.items()} == {
        name: np.dtype(np.object_ if name in texts else np.bool_ if name == "success" else np.int64)
        for name in {*TYPES, "message"}
    }


def test_who_answered_is_found_in_a_further_column() -> None:
    good, failed = rows_of(GOOD, FAILED, how="server:(.+)")
    assert [(one["backend"], one["balancer"], one["answered_by"]) for one in (good, failed)] == [
        ("caf\u00e9", "", "backend"),
        ("", "", "none"),
    ]
    assert good["url"] == "http://vip/"
