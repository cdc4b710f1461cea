"""k6's points: those that follow each other are one request, which ended at the time that they all have."""

import json
from pathlib import Path

import pytest

from support.foreign_logs import is_claimed, read_log, requests_of
from switchover.analysis.logs.account import Account
from switchover.analysis.logs.format import UNREADABLE
from switchover.analysis.logs.k6 import CSV, JSON
from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.rundir.damaged_lines import CUT_OFF

AT_US = 1_767_225_600_250_000
"""2026-01-01 00:00:00.250 UTC."""
TAGS = {"status": "200", "name": "home", "error": "", "url": "http://vip/", "scenario": "peak"}
HEADER = "metric_name,timestamp,metric_value,status,expected_response,name,error,url,scenario"
TOOK = "http_req_duration"


def row(metric: str, value: object, at: object = 1767225600, **tags: str) -> str:
    """A point of CSV. `at`: seconds, or a smaller unit."""
    return ",".join([metric, str(at), str(value), *((TAGS | tags).get(name, "") for name in HEADER.split(",")[3:])])


def point(metric: str, value: object, at: str = "2026-01-01T01:00:00.250+01:00", **tags: str) -> str:
    data = {"time": at, "value": value, "tags": TAGS | tags}
    return json.dumps({"metric": metric, "type": "Point", "data": data})


DECLARED = json.dumps({"type": "Metric", "data": {"name": TOOK, "type": "trend"}, "metric": TOOK})


@pytest.mark.parametrize("form", [CSV, JSON], ids=["csv", "json"])
def test_a_request_began_as_long_before_its_end_as_it_was_blocked_and_took(form: object, tmp_path: Path) -> None:
    values = [
        ("http_reqs", 1), ("http_req_duration", 10.5), ("http_req_blocked", 2.25), ("http_req_connecting", 1.125),
        ("http_req_tls_handshaking", 0.5), ("http_req_sending", 0.25), ("http_req_waiting", 9.75),
        ("http_req_receiving", 0.5), ("http_req_failed", 0), ("data_sent", 1), ("http_req_waiting", 99),
    ]  # fmt: skip
    if form is CSV:
        lines = [HEADER, *(row(metric, value, AT_US // 1000) for metric, value in values)]
    else:
        lines = [DECLARED, *(point(metric, value) for metric, value in values)]
    request = LoggedRequest(
        start_us=AT_US - 12_750,
        took_us=12_750,
        code="200",
        label="home",
        url="http://vip/",
        thread="peak",
        latency_us=12_000,
        connect_us=1125,
    )
    assert requests_of(CSV if form is CSV else JSON, tmp_path, *lines, *lines[1:]) == [request] * 2


def test_what_comes_between_the_count_of_requests_and_a_duration_is_of_none(tmp_path: Path) -> None:
    blocked = row("http_req_blocked", 7)
    rows = [blocked, row(TOOK, 1), row("http_reqs", 1), blocked, row(TOOK, 2), row(TOOK, 3), blocked]
    assert [request.took_us for request in requests_of(CSV, tmp_path, HEADER, *rows)] == [1000, 2000, 10_000]


@pytest.mark.parametrize(
    ("failed", "expected", "status", "success"),
    [
        (0, "false", "500", True),
        (1, "true", "200", False),
        (None, "true", "500", True),
        (None, "false", "200", False),
        (None, "", "200", True),
        (None, "", "399", True),
        (None, "", "400", False),
        (None, "", "199", False),
        (None, "", "0", False),
        (None, "", "", False),
    ],
)
def test_a_request_failed_as_k6_says_or_else_by_its_status(
    failed: int | None, expected: str, status: str, success: bool, tmp_path: Path
) -> None:
    rows = [row(TOOK, 1, status=status, expected_response=expected, error="why")]
    rows += [] if failed is None else [row("http_req_failed", failed)]
    (request,) = requests_of(CSV, tmp_path, HEADER, *rows)
    assert (request.success, request.code, request.message) == (
        success,
        status.replace("0", "", status == "0"),
        "why",
    )


def test_what_is_not_told_of_a_request_is_empty(tmp_path: Path) -> None:
    tags = {"status": 204}
    data = {"time": "2026-01-01T00:00:00.250123999Z", "value": "1.5", "tags": tags}
    found = requests_of(JSON, tmp_path, json.dumps({"metric": TOOK, "type": "Point", "data": data}))
    assert found == [LoggedRequest(start_us=AT_US + 123 - 1500, took_us=1500, code="204", latency_us=0, connect_us=0)]
    del tags["status"]
    (request,) = requests_of(JSON, tmp_path, json.dumps({"metric": TOOK, "type": "Point", "data": data}))
    assert (request.code, request.success) == ("", False)


@pytest.mark.parametrize(
    ("at", "end_us"),
    [
        (1767225600, AT_US - 250_000),
        (10**11, 10**14),
        (10**14, 10**14),
        (10**17 + 999, 10**14),
        ("2026-01-01T00:00:00.25Z", AT_US),
    ],
)
def test_the_unit_of_a_time_is_known_by_its_length(at: object, end_us: int, tmp_path: Path) -> None:
    (request,) = requests_of(CSV, tmp_path, HEADER, row(TOOK, 0, at))
    assert request.end_us == end_us


def test_a_line_of_another_form_is_left_out_and_those_behind_it_are_read(tmp_path: Path) -> None:
    bad = [row(TOOK, "nan"), row(TOOK, "soon"), row(TOOK, 5, "now"), "http_req_duration,1"]
    requests, account = read_log(CSV, tmp_path, HEADER, *bad, "vus,,", row(TOOK, 1))
    assert len(requests) == 1 and account.reasons == {UNREADABLE: len(bad) + 1}
    assert account.lost_bytes == sum(len(line) + 1 for line in (*bad, "vus,,"))


def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    path, account = tmp_path / "k6.json", Account()
    path.write_text(point(TOOK, 1) + "\n" + point(TOOK, 1))
    assert len(list(JSON.read(path, account))) == 1 and account.reasons == {CUT_OFF: 1}


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        "[]",
        "{}",
        '{"metric": 1, "type": "Point"}',
        '{"metric": "http_req_duration", "type": "Point"}',
        point(TOOK, None),
        point(TOOK, 1).replace('"tags": {', '"tags": 5, "other": {'),
    ],
)
def test_json_without_sense_is_left_out_and_lines_behind_it_are_read(line: str, tmp_path: Path) -> None:
    requests, account = read_log(JSON, tmp_path, line, point(TOOK, 1))
    assert len(requests) == 1 and account.reasons == {UNREADABLE: 1}


def test_each_is_known_by_its_first_line() -> None:
    assert is_claimed(CSV, HEADER) and not is_claimed(CSV, HEADER.removeprefix("metric_name,"))
    assert is_claimed(JSON, DECLARED) and is_claimed(JSON, point(TOOK, 1))
    assert not is_claimed(JSON, '{"type": "Point"}') and not is_claimed(JSON, '{"type": "Other", "metric": "m"}')
