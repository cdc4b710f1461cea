"""What a row of JMeter's CSV means: each column by its name, what stands in for those that are missing, and what is
no sample."""

from collections.abc import Iterable
from typing import Any

import pytest

from switchover.evidence.requests.columns import (
    NO_NUMBER,
    NO_SUCCESS,
    OUT_OF_RANGE,
    REPEATED_HEADER,
    TRANSACTION,
    UNSURE_TRANSACTION,
    has_transaction_columns,
    integers_sql,
    outcome_sql,
    row_sql,
)
from switchover.evidence.requests.jtl import Layout
from switchover.evidence.requests.stamps import Stamps
from switchover.evidence.requests.store import Store
from switchover.evidence.requests.table import TYPES
from switchover.model.failure_kind import FailureKind

MS, US = 1_767_225_600_123, 1_767_225_600_123_456
OURS = {
    "timeStamp": str(MS),
    "elapsed": "5",
    "label": "home",
    "responseCode": "200",
    "responseMessage": "OK",
    "threadName": "u 1-1",
    "success": "true",
    "bytes": "100",
    "sentBytes": "50",
    "allThreads": "3",
    "URL": "http://vip/",
    "Latency": "4",
    "Connect": "1",
    "start_us": str(US),
    "end_us": str(US + 5555),
    "intended_us": str(US - 99),
    "backend": "web1",
    "balancer": "lb1",
    "answered_by": "backend",
    "error": "",
    "attempts": "2",
    "stream": "kept",
    "session": "abc",
}
BARE = {"timeStamp": str(MS), "elapsed": "5", "success": "true"}
SURE = Stamps(earliest_us=10**14)


def found(
    *rows: dict[str, str],
    columns: Iterable[str] = TYPES,
    stamps: Stamps = Stamps(),  # noqa: B008
) -> list[dict[str, Any]]:
    """Rows of a log with the columns of the first; an empty field is NULL, as the log is read."""
    columns = [*columns]
    selects = [f"SELECT {', '.join(f'CAST(? AS VARCHAR) AS c{place}' for place in range(len(rows[0])))}"] * len(rows)
    header = list(rows[0])
    integers = Layout(header, has_header=False, delimiter=",", stamps=stamps).integers
    sql = row_sql(integers_sql(f"({' UNION ALL '.join(selects)})", integers), header, columns, stamps)
    texts = [text or None for row in rows for text in row.values()]
    return [dict(zip([*columns, "reason"], one, strict=True)) for one in Store().rows(sql, texts)]


def value_of(column: str, **fields: str) -> Any:
    """Of a row that has these fields besides those that every request needs."""
    (one,) = found(BARE | fields, columns=[column])
    assert one["reason"] is None
    return one[column]


def reason_of(fields: dict[str, str], stamps: Stamps = Stamps()) -> str | None:  # noqa: B008
    (one,) = found(BARE | fields, columns=["start_us"], stamps=stamps)
    reason: str | None = one["reason"]
    return reason


def test_each_column_of_our_own_log_says_what_it_is_called() -> None:
    assert found(OURS) == [
        {
            "start_us": US,
            "end_us": US + 5555,
            "intended_us": US - 99,
            "label": "home",
            "code": "200",
            "thread": "u 1-1",
            "success": True,
            "backend": "web1",
            "balancer": "lb1",
            "answered_by": "backend",
            "error": "",
            "attempts": 2,
            "stream": "kept",
            "session": "abc",
            "nbytes": 100,
            "url": "http://vip/",
            "reason": None,
        }
    ]


@pytest.mark.parametrize(
    ("column", "field", "texts"),
    [
        ("attempts", "attempts", {"1": 1, "0": 0, "7": 7, "007": 7, "x": 1, "9" * 30: 1}),
        ("nbytes", "bytes", {"0": 0, "12": 12, "odd": 0}),
        ("stream", "stream", {"fresh": "fresh", "kept": "kept", "odd": ""}),
        ("answered_by", "answered_by", {"none": "none", "balancer": "balancer", "odd": "unknown"}),
        ("error", "error", {kind.value: kind.value for kind in FailureKind} | {"odd": ""}),
        ("success", "success", {"True": True, "1": True, "FALSE": False, "false": False, "0": False}),
        ("intended_us", "intended_us", {"9999999999999999": 9999999999999999, "5": 5, "x": None}),
    ],
)
def test_a_text_is_read_as_a_number_or_word_of_its_column(column: str, field: str, texts: dict[str, object]) -> None:
    assert {text: value_of(column, **{field: text}) for text in texts} == texts


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"timeStamp": "timeStamp", "elapsed": "elapsed", "success": "success"}, REPEATED_HEADER),
        ({"timeStamp": "timeStamp", "elapsed": "elapsed"}, NO_NUMBER),
        ({"timeStamp": ""}, NO_NUMBER),
        ({"timeStamp": "9" * 30}, NO_NUMBER),
        ({"elapsed": "-1"}, OUT_OF_RANGE),
        ({"timeStamp": "-1"}, OUT_OF_RANGE),
        ({"timeStamp": "9" * 18}, OUT_OF_RANGE),
        ({"elapsed": "9" * 18}, OUT_OF_RANGE),
        ({"start_us": str(US), "end_us": str(US - 1)}, OUT_OF_RANGE),
        ({"success": "yes"}, NO_SUCCESS),
        ({"timeStamp": str(MS // 1000)}, OUT_OF_RANGE),
        ({"timeStamp": str(MS)}, None),
    ],
)
def test_a_row_that_is_no_sample_has_a_reason(fields: dict[str, str], reason: str | None) -> None:
    assert reason_of(fields, SURE) == reason


SAID = "Number of samples in transaction : {}, number of failing samples : 0"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"responseMessage": SAID.format(12), "responseCode": "200"}, TRANSACTION),
        ({"responseMessage": SAID.format(""), "dataType": "text"}, TRANSACTION),
        ({"responseMessage": "OK", "dataType": "", "URL": "null"}, None),
        ({"dataType": "", "URL": "null", "responseCode": "200"}, TRANSACTION),
        ({"dataType": "text", "URL": "null"}, None),
        ({"dataType": "", "URL": "http://vip/"}, None),
        ({"URL": "null", "responseCode": "", "success": "false"}, UNSURE_TRANSACTION),
        ({"responseCode": "503", "success": "false"}, None),
        ({"responseCode": ""}, None),
        ({"URL": "null", "success": "false"}, None),
    ],
)
def test_a_transaction_is_known_by_its_message_or_else_by_having_neither_type_nor_address(
    fields: dict[str, str], reason: str | None
) -> None:
    assert reason_of(fields) == reason


@pytest.mark.parametrize(
    ("header", "is_told"),
    [
        ("responseMessage", True),
        ("dataType,URL", True),
        ("answered_by", True),
        ("dataType,responseCode", False),
        ("URL,responseCode", False),
    ],
)
def test_whether_transactions_can_be_told_depends_on_the_columns(header: str, *, is_told: bool) -> None:
    assert has_transaction_columns(header.split(",")) is is_told


@pytest.mark.parametrize(
    ("success", "error", "took_us", "intended_us", "outcome"),
    [
        (True, "", 1000, None, "good"),
        (True, "", 1001, None, "late"),
        (True, "", 1000, -1, "late"),
        (False, "reset", 1, None, "failed"),
        (False, "generator", 1, None, "unsent"),
    ],
)
def test_the_outcome_of_a_request(
    success: bool, error: str, took_us: int, intended_us: int | None, outcome: str
) -> None:
    """More than 1,000 µs after it was due it is late."""
    given = "SELECT ? AS success, ? AS error, 0 AS start_us, ? AS end_us, ? AS intended_us"
    asked = f"SELECT {outcome_sql(1000)} FROM ({given})"
    assert Store().row(asked, [success, error, took_us, intended_us]) == (outcome,)


def test_the_first_of_two_columns_with_one_name_counts() -> None:
    sql = row_sql("(SELECT 0 AS c0, 5 AS c1, 'true' AS c2, 6 AS c3)", [*BARE, "elapsed"], ["end_us"])
    assert Store().rows(sql) == [(5000, None)]
