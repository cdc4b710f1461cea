"""HAProxy's lines: what a request or a session came to, which server answered, and what is no request."""

import pytest

from support.foreign_logs import is_claimed
from switchover.evidence.logs.format import LoggedRequest
from switchover.evidence.logs.haproxy import (
    FORMAT,
    ended_text,
    host_of,
    is_cut,
    is_haproxy_event,
    name_server,
    parse_haproxy,
    path_asked,
    why_failed,
)
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity

AT_US = 1_767_225_600_250_000
"""2026-01-01 00:00:00.250 UTC."""
HTTP = (
    "Jan  1 00:00:00 lb1 haproxy[14389]: 10.0.1.2:33317 [01/Jan/2026:00:00:00.250] http-in web/{server} "
    '10/0/30/69/{took} {status} 2750 - - {ended} 1/1/1/1/0 0/0 {{1wt.eu}} {{}} "{request}"'
)
TCP = (
    "Jan  1 00:00:00 lb1 haproxy[14387]: 10.0.1.2:33313 [01/Jan/2026:00:00:00.250] fnt~ bck/{server} 0/0/{took} "
    "{size} {ended} 0/0/0/0/3 0/0"
)
EVENT = "Jan  1 00:00:00 lb1 haproxy[14389]: Server web/web1 is DOWN, reason: Layer4 connection problem."
USUAL = {
    "server": "web1", "took": "109", "status": "200", "ended": "----", "request": "GET /a?b=1?2 HTTP/1.1",
    "size": "212",
}  # fmt: skip


def line(form: str, **fields: str) -> str:
    usual = USUAL | ({"ended": "--"} if form is TCP else {})
    return form.format(**(usual | fields))


def parsed(form: str, **fields: str) -> LoggedRequest:
    found = parse_haproxy(line(form, **fields).encode("latin-1"))
    assert found is not None
    return found


def test_a_line_of_httplog_is_a_request() -> None:
    assert parsed(HTTP) == LoggedRequest(
        start_us=AT_US,
        took_us=109_000,
        zoned=False,
        code="200",
        label="/a",
        url="/a?b=1?2",
        nbytes=2750,
        identity=Identity("web1", "lb1", AnsweredBy.BACKEND),
        error=FailureKind.RESET,
    )


@pytest.mark.parametrize(
    ("fields", "code", "success", "kind", "server", "answered_by"),
    [
        ({"status": "399"}, "399", True, None, "web1", AnsweredBy.BACKEND),
        ({"status": "199"}, "199", False, FailureKind.RESET, "web1", AnsweredBy.BACKEND),
        ({"status": "400"}, "400", False, FailureKind.STATUS, "web1", AnsweredBy.BACKEND),
        ({"status": "503", "server": "<NOSRV>"}, "503", False, FailureKind.STATUS, "", AnsweredBy.BALANCER),
        ({"status": "-1", "ended": "CD--"}, "", False, FailureKind.RESET, "", AnsweredBy.NONE),
        ({"ended": "SD--"}, "200", False, FailureKind.TRUNCATED, "web1", AnsweredBy.BACKEND),
        ({"ended": "CD--"}, "200", False, FailureKind.GENERATOR, "web1", AnsweredBy.BACKEND),
        ({"ended": "cD--"}, "200", False, FailureKind.GENERATOR, "web1", AnsweredBy.BACKEND),
        ({"status": "503", "ended": "sC--"}, "503", False, FailureKind.STATUS, "", AnsweredBy.BALANCER),
        ({"status": "502", "ended": "SH--"}, "502", False, FailureKind.STATUS, "", AnsweredBy.BALANCER),
        ({"status": "504", "ended": "sHVN"}, "504", False, FailureKind.STATUS, "", AnsweredBy.BALANCER),
        ({"status": "503", "ended": "sQ--"}, "503", False, FailureKind.STATUS, "", AnsweredBy.BALANCER),
        ({"status": "503", "ended": "--VN"}, "503", False, FailureKind.STATUS, "web1", AnsweredBy.BACKEND),
    ],
)
def test_a_request_is_good_with_a_status_from_200_to_399_and_a_whole_answer(
    fields: dict[str, str],
    code: str,
    success: bool,
    kind: FailureKind | None,
    server: str,
    answered_by: AnsweredBy,
) -> None:
    found = parsed(HTTP, **fields)
    assert (found.code, found.success, None if success else found.error) == (code, success, kind)
    assert (found.identity.backend, found.identity.answered_by) == (server, answered_by)


def test_what_a_line_leaves_out_or_cannot_say_is_empty() -> None:
    bare = "x [01/Jan/2026:00:00:00] f b/web1 0/0/0/0/-1 200 5 "
    assert parse_haproxy(bare.encode()) == LoggedRequest(
        start_us=AT_US - 250_000,
        took_us=0,
        zoned=False,
        code="200",
        nbytes=5,
        identity=Identity("web1", "", AnsweredBy.BACKEND),
        error=FailureKind.RESET,
    )
    found = parsed(HTTP, request="GET /caf\xe9", server="caf\xe9", took="+109", ended="cD--")
    assert (found.url, found.identity.backend, found.took_us) == ("/caf\ufffd", "caf\ufffd", 109_000)
    assert found.message == "termination state cD--"


@pytest.mark.parametrize(
    ("fields", "success", "kind"),
    [
        ({"ended": "--"}, True, None),
        ({"ended": "CD"}, True, None),
        ({"ended": "cD", "size": "1"}, True, None),
        ({"ended": "CD", "size": "0"}, False, FailureKind.RESET),
        ({"ended": "CC"}, False, FailureKind.RESET),
        ({"ended": "XD"}, False, FailureKind.RESET),
        ({"ended": "SD"}, False, FailureKind.RESET),
        ({"ended": "SC"}, False, FailureKind.REFUSED),
        ({"ended": "sC"}, False, FailureKind.CONNECT_TIMEOUT),
        ({"ended": "sD"}, False, FailureKind.RESET),
    ],
)
def test_a_session_is_good_where_it_ended_well_or_the_client_had_got_something(
    fields: dict[str, str], success: bool, kind: FailureKind | None
) -> None:
    found = parsed(TCP, **fields)
    assert found == LoggedRequest(
        start_us=AT_US,
        took_us=109_000,
        zoned=False,
        success=success,
        label="fnt",
        message="" if fields["ended"] == "--" else f"termination state {fields['ended']}",
        nbytes=int(fields.get("size", "212")),
        identity=Identity("web1", "lb1", AnsweredBy.BACKEND) if success else Identity("", "lb1", AnsweredBy.NONE),
        error=kind or FailureKind.RESET,
    )


def test_a_session_without_a_server_has_no_answer_and_odd_names_are_read() -> None:
    odd = line(TCP, server="<NOSRV>").replace("fnt", "caf\xe9").replace(".250]", "]").replace(" lb1 ", " caf\xe9 ")
    found = parse_haproxy(odd.encode("latin-1"))
    assert found is not None and (found.label, found.start_us) == ("caf\ufffd", AT_US - 250_000)
    assert found.identity == Identity("", "caf\ufffd", AnsweredBy.NONE)
    assert parsed(TCP, server="caf\xe9").identity.backend == "caf\ufffd"


def test_the_parts_of_a_line_are_read_as_the_manual_tells() -> None:
    assert [state for state in ("SD", "sD", "PD", "DD", "KD", "RD", "ID", "UD", "CD", "cD", "SH", "S", "") if
            is_cut(state)] == ["SD", "sD", "PD", "DD", "KD", "RD", "ID", "UD", "CD", "cD"]  # fmt: skip
    assert [name_server(name) for name in ("web1", "<NOSRV>", "-", "-a")] == ["web1", "", "", "-a"]
    assert [path_asked(one) for one in ("GET /a?b HTTP/1.1", "GET /a b HTTP/1.1", "GET /a", "<BADREQ>", "")] == [
        "/a?b",
        "/a",
        "/a",
        "<BADREQ>",
        "",
    ]
    assert [ended_text(state) for state in ("----", "--", "")] == [""] * 3
    assert [ended_text(state) for state in ("cD--", "X-")] == ["termination state cD--", "termination state X-"]
    assert why_failed("400", "SD--") is FailureKind.STATUS
    assert [why_failed(code, "SD--") for code in ("399", "")] == [FailureKind.TRUNCATED, FailureKind.RESET]


@pytest.mark.parametrize(
    ("header", "host"),
    [
        (b"Jan  1 00:00:00 lb1 haproxy[7]: ", "lb1"),
        (b"<134>Jan 11 00:00:00 lb1 haproxy[7]: ", "lb1"),
        (b"<134>1 2026-01-01T00:00:00Z lb1 haproxy 7 - - ", "lb1"),
        (b"2026-01-01T00:00:00.250+00:00 caf\xe9 haproxy[7]: ", "caf\ufffd"),
        (b"haproxy[7]: ", ""),
    ],
)
def test_the_balancer_is_the_host_of_the_header_of_syslog(header: bytes, host: str) -> None:
    assert host_of(header + b"10.0.1.2:33317 ") == host


@pytest.mark.parametrize(
    "said",
    [
        "Server web/web1 is DOWN, reason: Layer4 connection problem.",
        "web/web1 changed its IP from 10.0.0.1 to 10.0.0.2 by mydns/ns1.",
        "Server web/web1 administratively READY thanks to valid DNS answer.",
        "10.0.1.2:33317 [01/Jan/2026:00:00:00.250] http-in~/1: Connection closed during SSL handshake",
        "10.0.1.2:33317 [01/Jan/2026:00:00:00.250] http-in/http: Received something which does not look like a PROXY "
        "protocol header",
    ],
)
def test_a_line_of_servers_workers_and_connections_without_a_request_is_an_event(said: str) -> None:
    told = f"Jan  1 00:00:00 lb1 haproxy[14389]: {said}".encode()
    assert is_haproxy_event(told) and parse_haproxy(told) is None


@pytest.mark.parametrize(
    ("fields", "is_event"),
    [
        ({"status": "400", "ended": "CR--", "request": "<BADREQ>", "server": "<NOSRV>"}, True),
        ({"status": "408", "ended": "cRNN", "request": "<BADREQ>", "server": "<NOSRV>"}, True),
        ({"status": "400", "ended": "PR--", "request": "<BADREQ>", "server": "<NOSRV>"}, False),
        ({"status": "408", "ended": "cR--", "server": "<NOSRV>"}, False),
    ],
)
def test_a_connection_that_never_asked_is_an_event(fields: dict[str, str], is_event: bool) -> None:
    told = line(HTTP, **fields).encode()
    assert is_haproxy_event(told) is is_event and (parse_haproxy(told) is None) is is_event


@pytest.mark.parametrize(
    ("requests", "events", "others", "claimed"),
    [(1, 0, 0, True), (1, 0, 1, True), (1, 0, 2, False), (1, 1, 2, True), (0, 3, 0, False), (50, 0, 51, True)],
)
def test_a_log_is_haproxys_where_half_of_its_first_hundred_lines_are(
    requests: int, events: int, others: int, *, claimed: bool
) -> None:
    lines = [line(HTTP)] * requests + [EVENT] * events + ["other"] * others
    assert is_claimed(FORMAT, *lines) is claimed
