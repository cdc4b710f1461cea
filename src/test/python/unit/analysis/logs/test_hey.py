"""The CSV of hey and of oha: seconds since the test began, and nothing of what failed."""

from pathlib import Path

import pytest

from support.foreign_logs import is_claimed, read_log
from switchover.analysis.logs.format import UNREADABLE, Format
from switchover.analysis.logs.hey import HEY, OHA
from switchover.analysis.logs.logged_request import LoggedRequest

HEY_HEADER = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset"
HEY_ROW = "0.0100,0.0010,0.0002,0.0003,0.0089,0.0001,{},0.5000"
OHA_HEADER = "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status"
OHA_ROW = "0.5,0.0002,0.001,0.009,0.01,12,{}"
BOTH = [(HEY, "hey", HEY_HEADER, HEY_ROW, 0), (OHA, "oha", OHA_HEADER, OHA_ROW, 12)]


@pytest.mark.parametrize(("form", "tool", "header", "row", "nbytes"), BOTH)
def test_a_row_has_when_it_was_sent_how_long_it_took_and_how_long_connecting(
    form: Format, tool: str, header: str, row: str, nbytes: int, tmp_path: Path
) -> None:
    requests, account = read_log(form, tmp_path, header, row.format(200))
    assert requests == [
        LoggedRequest(start_us=500_000, took_us=10_000, code="200", label=tool, connect_us=1000, nbytes=nbytes)
    ]
    assert account.reasons == {} and account.damage == [
        f"result.out: {tool} does not write the requests that failed: failures are not known"
    ]
    assert account.notes == [f"result.out: {tool} writes no date: times count from the start of its test"]


@pytest.mark.parametrize(("form", "tool", "header", "row", "nbytes"), BOTH)
def test_a_status_from_200_to_399_is_a_success(
    form: Format, tool: str, header: str, row: str, nbytes: int, tmp_path: Path
) -> None:
    requests, account = read_log(form, tmp_path, header, *map(row.format, (199, 200, 399, 400, "200,1")))
    assert [request.success for request in requests] == [False, True, True, False]
    assert account.reasons == {UNREADABLE: 1}


def test_each_is_known_by_its_header() -> None:
    assert is_claimed(HEY, HEY_HEADER) and is_claimed(OHA, OHA_HEADER)
    assert not is_claimed(HEY, OHA_HEADER) and not is_claimed(OHA, HEY_HEADER)
