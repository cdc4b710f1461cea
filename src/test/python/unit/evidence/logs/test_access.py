"""Lines of an access log by hand, as Nginx and Apache document them: when, how long, and who answered."""

import pytest

from support.foreign_logs import is_claimed
from switchover.evidence.logs.access import FORMAT, parse_access
from switchover.evidence.logs.format import LoggedRequest
from switchover.model.identity import AnsweredBy, Identity

SECOND_US = 1_767_225_601_000_000
"""2026-01-01 00:00:01 UTC."""
STAMP = "01/Jan/2026:00:00:01 +0000"


def line(behind: str, status: int = 200, agent: str = '"-" "curl 8.0"') -> str:
    return f'10.0.1.2 - - [{STAMP}] "GET /a?b=1?2 HTTP/1.1" {status} 5 {agent}{behind}'


def parse(text: str) -> LoggedRequest:
    return parse_access(text.encode())


def test_a_line_has_all_of_its_request() -> None:
    assert parse(line(' "10.0.0.1:80" 0.500')) == LoggedRequest(
        start_us=SECOND_US - 500_000,
        took_us=500_000,
        code="200",
        label="/a",
        url="/a?b=1?2",
        nbytes=5,
        identity=Identity("10.0.0.1:80", "", AnsweredBy.BACKEND),
    )
    assert parse(line("")) == LoggedRequest(
        start_us=SECOND_US, is_timed=False, code="200", label="/a", url="/a?b=1?2", nbytes=5
    )


@pytest.mark.parametrize(
    ("behind", "took_us"),
    [
        (" 0.500", 500_000),
        (' "0.500"', 500_000),
        (" 0.100 0.500 0.001", 500_000),
        (" rt=0.500 9.000", 500_000),
        (' request_time:"0.500" uct=9.000', 500_000),
        (" 0.000", 0),
        (" 3600.000", 3_600_000_000),
        (" 12.3456", None),
        (" 12", None),
        (" x0.500", None),
        ("", None),
    ],
)
def test_nginx_writes_the_duration_with_three_decimals_and_logs_the_end(behind: str, took_us: int | None) -> None:
    found = parse(line(behind))
    assert (found.took_us, found.is_timed) == (took_us or 0, took_us is not None)
    assert found.end_us == SECOND_US


@pytest.mark.parametrize(
    ("status", "code", "success"),
    [
        (0, "", False),
        (199, "199", False),
        (200, "200", True),
        (399, "399", True),
        (400, "400", False),
        (499, "", False),
        (503, "503", False),
    ],
)
def test_good_is_what_got_an_answer_below_400(status: int, code: str, *, success: bool) -> None:
    found = parse(line(" 0.500").replace('" 200 ', f'" {status:03} '))
    assert (found.code, found.success, found.error) == (code, success, None)
    assert found.message == ("closed by the client (499)" if status == 499 else "")


@pytest.mark.parametrize(
    ("behind", "backend"),
    [
        (' "10.0.0.1:80"', "10.0.0.1:80"),
        (" 10.0.0.1:80, [fd00::2]:8080 0.500", "[fd00::2]:8080"),
        (" up=unix:/run/web.sock, 0.500", "unix:/run/web.sock"),
        (' "unix:/run/a.sock : 10.0.0.2:80" 0.500', "10.0.0.2:80"),
        (" 10.0.0.1:80 2026-01-01T00:00:01+00:00 length:512 www.example.org:443 0.500", "10.0.0.1:80"),
        (' 10.0.0.1:80, 10.0.0.2:80 uht="-, 0.001"', "10.0.0.2:80"),
        (" to: 10.0.0.1:80: 0.500", "10.0.0.1:80"),
        (" - [2026-01-01T00:00:01+02:00] 0.500", ""),
        (" - 0.500", ""),
        ("", ""),
    ],
)
def test_the_last_server_that_was_asked_answered(behind: str, backend: str) -> None:
    answered_by = AnsweredBy.BACKEND if backend else AnsweredBy.UNKNOWN
    assert parse(line(behind)).identity == Identity(backend, "", answered_by)


@pytest.mark.parametrize("status", [200, 502])
@pytest.mark.parametrize("times", ['uht="-, -"', 'uht="- "', "uht=- rt=0.500", "upstream_header_time:0.001, -"])
def test_an_answer_without_a_header_of_the_last_server_is_made_by_nginx(times: str, status: int) -> None:
    assert parse(line(f" 10.0.0.1:80 {times}", status)).identity == Identity("", "", AnsweredBy.BALANCER)


GOOD = line("")


@pytest.mark.parametrize(
    ("lines", "is_one"),
    [
        ([], False),
        (["x"], False),
        ([GOOD, "x"], True),
        ([GOOD, "x", "x"], False),
        (["x"] * 50 + [GOOD] * 50 + ["x"] * 50, True),
        (["x"] * 51 + [GOOD] * 60, False),
    ],
)
def test_a_file_is_an_access_log_where_half_of_its_first_lines_are(lines: list[str], *, is_one: bool) -> None:
    assert is_claimed(FORMAT, *lines) is is_one
