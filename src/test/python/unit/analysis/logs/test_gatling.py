"""Gatling's simulation.log: its requests, wherever a version has their columns, and none of its other records."""

from pathlib import Path

import pytest

from support.foreign_logs import count_unread, is_claimed, requests_of
from switchover.analysis.logs.account import Account
from switchover.analysis.logs.gatling import FORMAT
from switchover.analysis.logs.logged_request import LoggedRequest

OTHERS = [
    "RUN\tcomputerdatabase.Basic\tbasic\t1767225600250\t \t3.9.5",
    "USER\tVisitors\tSTART\t1767225600250",
    "GROUP\tcheckout\t1767225600250\t1767225600270\t20\tOK",
    "ASSERTION\tAAECAA",
    "ERROR\tno attribute named 'id' is defined\t1767225600250",
]
VERSIONS = {
    "2.3": "REQUEST\tVisitors\t1\tcheckout\t{name}\t1767225600250\t1767225600270\t{end}",
    "3.0": "REQUEST\t1\tcheckout\t{name}\t1767225600250\t1767225600270\t{end}",
    "3.4": "REQUEST\tcheckout\t{name}\t1767225600250\t1767225600270\t{end}",
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["home", "OK"])
def test_a_request_has_its_name_and_times_wherever_they_stand(version: str, name: str, tmp_path: Path) -> None:
    found = requests_of(FORMAT, tmp_path, *OTHERS, VERSIONS[version].format(name=name, end="OK\t "))
    assert found == [LoggedRequest(start_us=1_767_225_600_250_000, took_us=20_000, code="200", label=name)]


@pytest.mark.parametrize(
    ("end", "code", "success", "message"),
    [
        ("OK", "200", True, ""),
        ("OK\t\r", "200", True, ""),
        ("OK\r", "200", True, ""),
        ("KO\tstatus.find.is(200), but actually found 503 ", "503", False,
         "status.find.is(200), but actually found 503"),
        ("KO\tstatus.find.in(200,304), found 404", "404", False, "status.find.in(200,304), found 404"),
        ("KO\tj.n.ConnectException: Connection refused", "", False, "j.n.ConnectException: Connection refused"),
    ],
)  # fmt: skip
def test_the_status_of_a_failed_request_is_the_one_that_was_found(
    end: str, code: str, success: bool, message: str, tmp_path: Path
) -> None:
    (found,) = requests_of(FORMAT, tmp_path, VERSIONS["3.4"].format(name="home", end=end))
    assert (found.code, found.success, found.message) == (code, success, message)


def test_a_name_that_is_no_utf_8_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "simulation.log"
    path.write_bytes(VERSIONS["3.4"].format(name="caf\xe9", end="OK\t\n").encode("latin-1"))
    assert [request.label for request in FORMAT.read(path, Account())] == ["caf\ufffd"]


@pytest.mark.parametrize(
    "line",
    [
        "OTHER\tcheckout\thome\t1767225600250\t1767225600270\tOK\t",
        "REQUEST\tcheckout\thome\t1767225600250\t1767225600270\tPERHAPS\t",
        "REQUEST\tcheckout\thome\t1767225600250\t1767225600270\tOK\tKO",
        "REQUEST\tcheckout\thome\t1767225600250\t1767225600270\tOK\tof two\tparts",
        "REQUEST\tcheckout\thome\tbegin\tend\tOK\t",
    ],
)
def test_a_line_that_is_no_record_is_not_understood(line: str, tmp_path: Path) -> None:
    assert count_unread(FORMAT, tmp_path, *OTHERS, line) == 1


def test_a_log_is_gatlings_where_it_names_its_run() -> None:
    assert is_claimed(FORMAT, OTHERS[3], OTHERS[0])
    assert not is_claimed(FORMAT, OTHERS[3], OTHERS[1])
