"""Traefik's access log in JSON: who answered, and what of it reached the client."""

import pytest

from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.analysis.logs.traefik import is_of_traefik, traefik_request
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity

AT_US = 1_767_225_600_250_000
"""2026-01-01 00:00:00.250 UTC."""
SERVER, URL = "10.0.0.1:80", "http://10.0.0.1:80"
LINE = {
    "startutc": "2026-01-01T00:00:00.250Z",
    "startlocal": "2026-01-01T09:00:00.250+01:00",
    "time": "2026-01-01T00:00:01Z",
    "duration": "1999999",
    "downstreamstatus": "200",
    "downstreamcontentsize": "5",
    "originstatus": "200",
    "requestpath": "/a?b=1?2",
    "serviceaddr": SERVER,
}


def request_of(**fields: str | None) -> LoggedRequest:
    """Of the line with other fields; without those that are None."""
    return traefik_request({name: value for name, value in (LINE | fields).items() if value is not None})


def test_a_line_has_the_begin_the_duration_and_the_server_that_answered() -> None:
    assert request_of() == LoggedRequest(
        start_us=AT_US,
        took_us=1999,
        logged_us=AT_US,
        code="200",
        label="/a",
        url="/a?b=1?2",
        nbytes=5,
        identity=Identity(SERVER, "", AnsweredBy.BACKEND),
        error=FailureKind.RESET,
    )


@pytest.mark.parametrize(
    ("status", "code", "success", "kind", "message"),
    [
        ("200", "200", True, None, ""),
        ("399", "399", True, None, ""),
        ("199", "199", False, FailureKind.RESET, ""),
        ("400", "400", False, FailureKind.STATUS, ""),
        ("499", "", False, FailureKind.RESET, "closed by the client (499)"),
        ("0", "", False, FailureKind.RESET, ""),
    ],
)
def test_a_client_that_had_gone_got_no_status(
    status: str, code: str, success: bool, kind: FailureKind | None, message: str
) -> None:
    found = request_of(downstreamstatus=status)
    assert (found.code, found.success, found.kind, found.message) == (code, success, kind, message)


@pytest.mark.parametrize(
    ("fields", "server", "answered_by"),
    [
        ({"serviceurl": "http://other"}, SERVER, AnsweredBy.BACKEND),
        ({"serviceaddr": None, "serviceurl": URL}, SERVER, AnsweredBy.BACKEND),
        ({"serviceaddr": "", "serviceurl": URL}, SERVER, AnsweredBy.BACKEND),
        ({"serviceaddr": None, "serviceurl": "a://b://c"}, "b://c", AnsweredBy.BACKEND),
        ({"serviceaddr": None}, "", AnsweredBy.BALANCER),
        ({"originstatus": "0"}, "", AnsweredBy.BALANCER),
        ({"originstatus": ""}, "", AnsweredBy.BALANCER),
        ({"originstatus": None}, "", AnsweredBy.UNKNOWN),
        ({"downstreamstatus": "0"}, "", AnsweredBy.NONE),
    ],
)
def test_traefik_itself_answered_where_no_server_did(
    fields: dict[str, str | None], server: str, answered_by: AnsweredBy
) -> None:
    assert request_of(**fields).identity == Identity(server, "", answered_by)


def test_what_a_line_leaves_out_is_empty() -> None:
    found = request_of(requestpath=None, downstreamcontentsize=None)
    assert (found.label, found.url, found.nbytes) == ("", "", 0)


def test_a_local_time_counts_where_none_of_utc_is_there_and_needs_its_zone() -> None:
    assert request_of(startutc=None).start_us == AT_US + 8 * 3_600_000_000
    with pytest.raises(ValueError, match=r"^a time without a zone$"):
        request_of(startutc="2026-01-01T00:00:00")


@pytest.mark.parametrize(
    ("without", "claimed"),
    [((), True), (("startutc",), True), (("startlocal",), True), (("startutc", "startlocal"), True),
     (("startutc", "startlocal", "time"), False), (("duration",), True), (("downstreamstatus",), False)],
)  # fmt: skip
def test_a_line_is_traefiks_by_the_fields_that_it_always_has(without: tuple[str, ...], *, claimed: bool) -> None:
    assert is_of_traefik({name: value for name, value in LINE.items() if name not in without}) is claimed


def test_dropped_fields_leave_what_the_others_tell() -> None:
    no_start = request_of(startutc=None, startlocal=None, duration="400000000")
    assert (no_start.start_us, no_start.took_us) == (AT_US + 350_000, 400_000)
    no_duration = request_of(duration=None)
    assert (no_duration.start_us, no_duration.took_us, no_duration.is_timed) == (AT_US, 0, False)
