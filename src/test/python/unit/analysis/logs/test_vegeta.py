"""What `vegeta encode` writes, as CSV and as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.foreign_logs import count_unread, is_claimed, requests_of
from switchover.analysis.logs.account import Account
from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.analysis.logs.vegeta import CSV, JSON

AT_US = 1_767_225_600_250_000
"""2026-01-01 00:00:00.250 UTC."""
ROW = [
    "1767225600250000999",
    "200",
    "2500999",
    "3",
    "11",
    "",
    "Ym9keQ==",
    "peak",
    "7",
    "GET",
    "http://vip/",
    "aGVhZA==",
]
"""Time, code, latency, bytes out, bytes in, error, body, attack, sequence number, method, URL, headers."""
OBJECT = {
    "attack": "peak", "seq": 7, "code": 200, "timestamp": "2026-01-01T01:00:00.250000+01:00", "latency": 2500999,
    "bytes_out": 3, "bytes_in": 11, "error": "", "body": None, "method": "GET", "url": "http://vip/", "headers": None,
}  # fmt: skip
REQUEST = LoggedRequest(
    start_us=AT_US,
    took_us=2500,
    code="200",
    label="GET http://vip/",
    url="http://vip/",
    thread="peak",
    nbytes=11,
    sent_bytes=3,
)


def row_with(**fields: str) -> str:
    """The row of CSV with other fields, by `at_PLACE`."""
    return ",".join(fields.get(f"at_{place}", field) for place, field in enumerate(ROW))


def test_a_row_of_csv_is_a_request(tmp_path: Path) -> None:
    assert requests_of(CSV, tmp_path, row_with(), row_with() + "\r", row_with(at_9='"GET"')) == [REQUEST] * 3


def test_a_line_of_json_is_a_request_and_may_lack_all_but_its_time_code_and_latency(tmp_path: Path) -> None:
    least = {name: OBJECT[name] for name in ("timestamp", "code", "latency")}
    found = requests_of(JSON, tmp_path, json.dumps(OBJECT), json.dumps(least))
    assert found == [REQUEST, LoggedRequest(start_us=AT_US, took_us=2500, code="200", label=" ")]


@pytest.mark.parametrize(
    ("code", "error", "shown", "success"),
    [
        (200, "", "200", True),
        (399, "", "399", True),
        (199, "", "199", False),
        (400, "", "400", False),
        (200, "unexpected EOF", "200", False),
        (0, "dial tcp: connection refused", "", False),
        (1, "", "1", False),
    ],
)
def test_a_request_is_good_with_a_status_from_200_to_399_and_no_error(
    code: int, error: str, shown: str, success: bool, tmp_path: Path
) -> None:
    (of_csv,) = requests_of(CSV, tmp_path, row_with(at_1=str(code), at_5=error))
    (of_json,) = requests_of(JSON, tmp_path, json.dumps(OBJECT | {"code": code, "error": error}))
    assert of_csv == of_json and (of_csv.code, of_csv.message, of_csv.success) == (shown, error, success)


def test_text_that_is_no_utf_8_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "vegeta.csv"
    path.write_bytes((row_with(at_7="caf\xe9") + "\n").encode("latin-1"))
    assert [request.thread for request in CSV.read(path, Account())] == ["caf\ufffd"]


def test_a_line_of_another_form_is_not_understood(tmp_path: Path) -> None:
    rows = row_with(), row_with() + ",", row_with().removesuffix(",aGVhZA=="), row_with(at_2="soon")
    assert count_unread(CSV, tmp_path, *rows) == 3
    assert count_unread(JSON, tmp_path, json.dumps(OBJECT), "{}", json.dumps(OBJECT)[:-1]) == 2


@pytest.mark.parametrize(
    ("row", "claimed"),
    [
        (row_with(), True),
        *((row_with(**{f"at_{place}": "x" * len(ROW[place])}), place in (5, 6, 7, 9, 10, 11)) for place in range(12)),
        (row_with(at_0="1767225600250"), False),
        (row_with() + ",", False),
        ("", False),
    ],
)
def test_csv_is_known_by_its_numbers(row: str, *, claimed: bool) -> None:
    assert is_claimed(CSV, row) is claimed


@pytest.mark.parametrize("lacks", ["attack", "seq", "code", "timestamp", "latency", None])
def test_json_is_known_by_its_names(lacks: str | None) -> None:
    fields: dict[str, Any] = {name: value for name, value in OBJECT.items() if name != lacks}
    assert is_claimed(JSON, json.dumps(fields)) is (lacks is None)
