"""Rows of Locust's request log, and of loggers that use the same words in other ways."""

from pathlib import Path

import pytest

from support.read_logs import is_claimed, read_log
from switchover.analysis.logs.locust_requests import CSV
from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.model.failure_kind import FailureKind

AT_S = 1_767_225_600.25
AT_US = 1_767_225_600_250_000
"""2026-01-01 00:00:00.250 UTC."""
HEADER = "timestamp,request_type,name,response_time_ms,response_length,status_code,exception"


def read_row(folder: Path, **values: str) -> LoggedRequest:
    row = {"timestamp": str(AT_S), "name": "/", "response_time_ms": "5", **values}
    ((found,), account) = read_log(CSV, folder, f"{','.join(row)}\n{','.join(row.values())}\n")
    assert account.total == 0
    return found


def test_a_row_has_all_of_its_request(tmp_path: Path) -> None:
    (found,), _ = read_log(CSV, tmp_path, f"\ufeff{HEADER},url\r\n{AT_S},GET,/a,12.5,12.0,200,,http://vip/a\r\n")
    assert found == LoggedRequest(
        start_us=AT_US, took_us=12_500, label="/a", code="200", nbytes=12, url="http://vip/a"
    )


@pytest.mark.parametrize(
    ("values", "code", "success", "kind"),
    [
        ({"status_code": "200", "exception": "None"}, "200", True, None),
        ({"status_code": "302", "exception": ""}, "302", True, None),
        ({"status_code": "404"}, "404", False, FailureKind.STATUS),
        ({"status_code": "500"}, "500", False, FailureKind.STATUS),
        ({"status_code": "200", "exception": "wrong text"}, "200", False, FailureKind.ASSERTION),
        ({"status_code": "404", "success": "True"}, "404", True, None),
        ({"status_code": "200", "success": "0"}, "200", False, FailureKind.ASSERTION),
        ({"status_code": "200", "success": "maybe"}, "200", True, None),
        ({"status_code": "", "exception": "503 Server Error: Busy"}, "503", False, FailureKind.STATUS),
        ({"status_code": "None", "exception": "404 Client Error: None"}, "404", False, FailureKind.STATUS),
        ({"status_code": "0", "exception": "got 502"}, "502", False, FailureKind.STATUS),
        ({"status_code": "0", "exception": "Connection refused"}, "", False, FailureKind.REFUSED),
        ({"status_code": "0", "exception": "502 times"}, "", False, None),
        ({"response_code": "503"}, "503", False, FailureKind.STATUS),
        ({"status": "503"}, "503", False, FailureKind.STATUS),
        ({"exception": ""}, "", True, None),
    ],
)
def test_whether_a_request_failed_is_told_by_its_success_its_exception_or_its_status(
    values: dict[str, str], code: str, *, success: bool, kind: FailureKind | None, tmp_path: Path
) -> None:
    found = read_row(tmp_path, **values)
    assert (found.code, found.success, found.kind) == (code, success, kind)


@pytest.mark.parametrize(
    ("text", "start_us"),
    [
        ("1767225600.25", AT_US),
        ("1767225600250", AT_US),
        ("1767225600250.5", AT_US + 500),
        ("100000000000", 100_000_000_000_000),
        ("2026-01-01T00:00:00.250+00:00", AT_US),
        ("2026-01-01 01:00:00.250+0100", AT_US),
    ],
)
def test_a_time_is_seconds_milliseconds_or_a_date(text: str, start_us: int, tmp_path: Path) -> None:
    assert read_row(tmp_path, timestamp=text, exception="").start_us == start_us


@pytest.mark.parametrize(
    "row",
    [
        "soon,GET,/,5,0,200,",
        "01/02/2026 00:00:00,GET,/,5,0,200,",
        "1767225600,GET,/,x,0,200,",
    ],
)
def test_a_row_that_cannot_be_read_is_told_with_its_bytes(row: str, tmp_path: Path) -> None:
    found, account = read_log(CSV, tmp_path, f"{HEADER}\n{row}\n{AT_S},GET,/,,,200,\n")
    assert [(one.took_us, one.nbytes) for one in found] == [(0, 0)], "what is not there counts as 0"
    assert account.reasons == {"a line of another form": 1} and account.lost_bytes == len(row) + 1


def test_a_row_of_another_width_and_one_that_was_cut_off_are_told(tmp_path: Path) -> None:
    found, account = read_log(CSV, tmp_path, f"{HEADER}\n{AT_S},GET,/\n{AT_S},GET,/,5,0,200,\n{AT_S},GET,/,5,0,2")
    assert len(found) == 1 and account.reasons == {"wrong number of columns": 1, "last line cut off": 1}


def test_what_a_row_does_not_say_is_empty(tmp_path: Path) -> None:
    plain = LoggedRequest(start_us=AT_US, took_us=5000, label="/")
    assert read_row(tmp_path, success="true") == plain
    assert read_row(tmp_path, exception="None") == plain


def test_a_file_without_a_line_has_no_request(tmp_path: Path) -> None:
    assert read_log(CSV, tmp_path, "")[0] == []


@pytest.mark.parametrize(
    ("header", "is_one"),
    [
        (HEADER, True),
        ("start_time,request_name,response_time,success", True),
        ("time,name,response_time,status", True),
        ("time,name,response_time,exception", True),
        ("time,name,response_time", False),
        ("time,name,status", False),
        ("time,response_time,status", False),
        ("name,response_time,status", False),
        ("timeStamp,elapsed,label,success", False),
    ],
)
def test_a_file_is_locusts_where_its_header_has_time_duration_name_and_outcome(header: str, *, is_one: bool) -> None:
    assert is_claimed(CSV, header) is is_one
