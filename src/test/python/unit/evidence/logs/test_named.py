"""Lines in JSON, or under a header, by the names of their values: times, durations, outcomes, who answered."""

import json
from pathlib import Path

import pytest

from support.foreign_logs import is_claimed, read_log
from switchover.evidence.logs.format import LoggedRequest
from switchover.evidence.logs.named import FORMAT, parse_json
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity

AT_US = 1_767_225_600_250_000
"""2026-01-01 00:00:00.250 UTC."""
AT = "2026-01-01T00:00:00.250+00:00"
EVENT = '{"level":"info","msg":"server running","ts":1767225600.1}'
ALSO_EVENT = '{"level":"info","message":"server running"}'
HAPROXY_EVENT = "Server web/web1 is DOWN, reason: Layer4 connection problem."
TRAEFIK = '{"StartUTC":"2026-01-01T00:00:00.250Z","Duration":5000000,"DownstreamStatus":200}'


def line(**values: object) -> bytes:
    return json.dumps({"time": AT, "status": 200, **values}).encode()


def parse(**values: object) -> LoggedRequest:
    return parse_json(line(**values))


def test_a_line_has_all_of_its_request() -> None:
    values = {"server": "web1", "request": "GET /a?b=1?2 HTTP/1.1", "Ta": 109, "bytes": 7, "node": "lb1"}
    assert parse(**values) == LoggedRequest(
        start_us=AT_US,
        took_us=109_000,
        label="/a",
        url="/a?b=1?2",
        code="200",
        nbytes=7,
        identity=Identity("web1", "lb1", AnsweredBy.BACKEND),
        error=FailureKind.RESET,
    )
    assert parse() == LoggedRequest(start_us=AT_US, is_timed=False, code="200", error=FailureKind.RESET)


@pytest.mark.parametrize(
    ("time", "start_us", "zoned"),
    [
        ("1767225600.250", AT_US, True),
        (1_767_225_600_250, AT_US, True),
        (100_000_000_000, 100_000_000_000_000_000, True),
        (100_000_000_001, 100_000_000_001_000, True),
        ("2026-01-01T01:00:00.250+01:00", AT_US, True),
        ("2026-01-01 00:00:00.250", AT_US, False),
        ("01/Jan/2026:01:00:00 +0100", AT_US - 250_000, True),
        ("01/Jan/2026:00:00:00.250", AT_US, False),
    ],
)
def test_a_time_is_seconds_milliseconds_or_a_date(time: object, start_us: int, *, zoned: bool) -> None:
    found = parse(time=time)
    assert (found.start_us, found.zoned) == (start_us, zoned)


@pytest.mark.parametrize(
    ("values", "start_us", "took_us"),
    [
        ({"Ta": 109}, 0, 109_000),
        ({"request_time": "0.500"}, -500_000, 500_000),
        ({"request_time": "5e-1"}, -500_000, 500_000),
        ({"request_time": "5E-1"}, -500_000, 500_000),
        ({"Ta": -1}, 0, 0),
        ({"Ta": 0, "request_time": "0.500"}, 0, 0),
        ({"duration": 3600.0}, -3_600_000_000, 3_600_000_000),
    ],
)
def test_a_duration_in_seconds_comes_before_the_time_and_one_in_milliseconds_after_it(
    values: dict[str, object], start_us: int, took_us: int
) -> None:
    found = parse(**values)
    assert (found.start_us - AT_US, found.took_us, found.is_timed) == (start_us, took_us, True)


@pytest.mark.parametrize(
    ("values", "code", "success", "kind"),
    [
        ({"status": 200}, "200", True, None),
        ({"status": 199}, "199", False, FailureKind.RESET),
        ({"status": 399}, "399", True, None),
        ({"status": 400}, "400", False, FailureKind.STATUS),
        ({"status": -1}, "", False, FailureKind.RESET),
        ({"status": 0}, "", False, FailureKind.RESET),
        ({"status": "000"}, "", False, FailureKind.RESET),
        ({"status": 499}, "", False, FailureKind.RESET),
        ({"status": 200, "ts": "SD"}, "200", False, FailureKind.TRUNCATED),
        ({"status": 200, "termination_state": "SD--"}, "200", False, FailureKind.TRUNCATED),
        ({"status": 200, "ts": "sD"}, "200", False, FailureKind.TRUNCATED),
        ({"status": 200, "ts": "SD---"}, "200", True, None),
    ],
)
def test_good_is_what_got_a_whole_answer_below_400(
    values: dict[str, object], code: str, *, success: bool, kind: FailureKind | None
) -> None:
    found = parse(**values)
    assert (found.code, found.success, None if success else found.error) == (code, success, kind)


@pytest.mark.parametrize(
    ("values", "identity"),
    [
        ({"server": "web1"}, Identity("web1", "", AnsweredBy.BACKEND)),
        ({"upstream_addr": "1.1.1.1:80, 1.1.1.2:80"}, Identity("1.1.1.2:80", "", AnsweredBy.BACKEND)),
        ({"upstream_addr": "1.1.1.1:80 : 1.1.1.2:80"}, Identity("1.1.1.2:80", "", AnsweredBy.BACKEND)),
        ({"upstream_addr": "1.1.1.1:80,1.1.1.2:80", "uht": "0.1, -"}, Identity("", "", AnsweredBy.BALANCER)),
        ({"upstream_addr": "1.1.1.1:80,1.1.1.2:80", "uht": "-, 0.1"}, Identity("1.1.1.2:80", "", AnsweredBy.BACKEND)),
        ({"server": "<NOSRV>", "balancer": "lb1"}, Identity("", "lb1", AnsweredBy.BALANCER)),
        ({"server": "-", "hostname": "lb1"}, Identity("", "lb1", AnsweredBy.BALANCER)),
        ({"server": "web1", "status": 503, "ts": "sC--"}, Identity("", "", AnsweredBy.BALANCER)),
        ({"node": "lb1"}, Identity("", "lb1", AnsweredBy.UNKNOWN)),
        ({"server": "web1", "status": -1, "node": "lb1"}, Identity("", "lb1", AnsweredBy.NONE)),
    ],
)
def test_who_answered_is_the_last_server_or_the_balancer(values: dict[str, object], identity: Identity) -> None:
    assert parse(**values).identity == identity


def test_behind_a_syslog_header_its_host_is_the_balancer_unless_the_line_names_one() -> None:
    header = b"<134>Jan  1 00:00:00 lb1 haproxy[7]: "
    assert parse_json(header + line(server="web1")).identity.balancer == "lb1"
    assert parse_json(header + line(server="web1", node="lb2")).identity.balancer == "lb2"


def test_names_are_known_in_any_case_with_any_signs_and_within_objects() -> None:
    assert parse_json(b'{"TIME":"%s","HTTP-Status":503}' % AT.encode()).code == "503"
    nested = parse(http={"request": {"path": "/a"}}, response={"status": 404, "bytes-sent": 5})
    assert (nested.url, nested.code, nested.nbytes) == ("/a", "200", 5), "what stands outside counts"
    assert parse_json(b'{"time":"%s","http":{"status":503},"x":{"req":{"uri":"/b"}}}' % AT.encode()).code == "503"
    assert parse(upstream={"server": "1.1.1.1:80"}).identity.backend == "1.1.1.1:80"
    assert parse(request=["GET"], bytes=None).url == "", "neither a list nor `null` is a value"


@pytest.mark.parametrize(
    "text",
    [
        b"{}",
        b'{"time":5}',
        b"none",
        b"{",
        b'{"a":1}}',
        b'{"a":' * 100_000,
        line(Ta="inf"),
        line(Ta="x"),
        line(bytes="x"),
    ],
)
def test_what_has_no_status_or_numbers_that_are_none_cannot_be_read(text: bytes) -> None:
    with pytest.raises((ValueError, OverflowError)):
        parse_json(text)


def test_what_is_no_request_is_passed_over_and_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    lines = [line(Ta=5).decode(), EVENT, ALSO_EVENT, HAPROXY_EVENT, '{"status":200,"Ta":5}', '{"level":"info"}', "x"]
    found, account = read_log(FORMAT, tmp_path, *lines)
    assert [one.took_us for one in found] == [5000]
    assert account.reasons == {"a line in another format": 3}
    assert account.damage == account.notes == []


def test_durations_and_zones_that_are_not_told_are_told_of_the_log(tmp_path: Path) -> None:
    text = f"{line(time='2026-01-01T00:00:00').decode()}\n{line(Ta=5).decode()}\n" + f"{line().decode()}\n" * 999
    found, account = read_log(FORMAT, tmp_path, *text.splitlines())
    assert len(found) == 1001
    assert account.damage == [
        "result.out: 1,000 lines have no duration ($request_time of Nginx, Ta of HAProxy), so latencies are unknown"
    ]
    assert account.notes == ["result.out: times without a time zone are read as UTC"]


GOOD = line(Ta=5).decode()


@pytest.mark.parametrize(
    ("lines", "is_one"),
    [
        ([], False),
        ([GOOD], True),
        (["x", GOOD], True),
        (["x", "x", GOOD], False),
        (["x", "x", GOOD, EVENT], True),
        (["x", "x", GOOD, HAPROXY_EVENT], True),
        (["x", "x", GOOD, '{"level":"info","ts":5}'], False),
        (["x", "x", GOOD, '{"level":"info","msg":"a","status":"x"}'], False),
        (["x", "x", GOOD, '{"msg":"a"}'], False),
        (["x", "x", GOOD, '{"level"'], False),
        ([EVENT, EVENT], False),
        (['{"status":200}'], False),
        ([TRAEFIK], True),
        (["x"] * 50 + [GOOD] * 50 + ["x"] * 50, True),
        (["x"] * 51 + [GOOD] * 60, False),
    ],
)
def test_a_file_is_a_balancers_where_half_of_its_first_lines_are_or_tell_of_it(
    lines: list[str], *, is_one: bool
) -> None:
    assert is_claimed(FORMAT, *lines) is is_one


TRAEFIK_LINE = {
    "StartUTC": "2026-01-01T00:00:00.250Z",
    "StartLocal": "2026-01-01T09:00:00.250+01:00",
    "time": "2026-01-01T00:00:01Z",
    "Duration": 1_999_999,
    "DownstreamStatus": 200,
    "DownstreamContentSize": 5,
    "OriginStatus": 200,
    "RequestPath": "/a?b=1?2",
    "ServiceAddr": "10.0.0.1:80",
}


def traefik(**values: object) -> LoggedRequest:
    return parse_json(json.dumps(TRAEFIK_LINE | values).encode())


def test_a_line_of_traefik_has_the_start_the_duration_and_the_server() -> None:
    assert traefik() == LoggedRequest(
        start_us=AT_US,
        took_us=1999,
        code="200",
        label="/a",
        url="/a?b=1?2",
        nbytes=5,
        identity=Identity("10.0.0.1:80", "", AnsweredBy.BACKEND),
        error=FailureKind.RESET,
    )


@pytest.mark.parametrize(
    ("values", "code", "kind", "answered_by"),
    [
        ({"DownstreamStatus": 399}, "399", None, AnsweredBy.BACKEND),
        ({"DownstreamStatus": 503}, "503", FailureKind.STATUS, AnsweredBy.BACKEND),
        ({"DownstreamStatus": 499}, "", FailureKind.RESET, AnsweredBy.NONE),
        ({"DownstreamStatus": 0}, "", FailureKind.RESET, AnsweredBy.NONE),
        ({"DownstreamStatus": 502, "OriginStatus": 0}, "502", FailureKind.STATUS, AnsweredBy.BALANCER),
    ],
)
def test_a_line_of_traefik_without_a_status_from_a_server_was_answered_by_the_balancer_or_not_at_all(
    values: dict[str, object], code: str, kind: FailureKind | None, answered_by: AnsweredBy
) -> None:
    found = traefik(**values)
    kind_of_failure = None if found.success else found.error
    assert (found.code, kind_of_failure, found.identity.answered_by) == (code, kind, answered_by)


def test_a_line_of_traefik_without_its_start_has_only_the_second_of_its_end() -> None:
    end_us = AT_US + 750_000
    kept = {name: value for name, value in TRAEFIK_LINE.items() if not name.startswith("Start")}
    found = parse_json(json.dumps(kept).encode())
    assert (found.start_us, found.took_us, found.is_timed) == (end_us - 1999, 1999, True)
    untimed = parse_json(json.dumps(kept | {"Duration": None, "OriginStatus": None}).encode())
    assert (untimed.start_us, untimed.took_us, untimed.is_timed) == (end_us, 0, False)
    assert untimed.identity == Identity("", "", AnsweredBy.UNKNOWN)
    assert (found.message, traefik(DownstreamStatus=499).message) == ("", "closed by the client (499)")
