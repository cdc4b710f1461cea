"""What doctor says of a target's access logs and of its HAProxys."""

import os
from pathlib import Path

import pytest

from switchover.cli.doctor_target import check_target
from switchover.lab.capability import MachineCheck
from switchover.target.model import Endpoint, Node, Target
from switchover.target.telemetry_sources import Command, LogFile

COMBINED = '10.0.1.2 - - [01/Jan/2026:00:00:01 +0000] "GET / HTTP/1.1" 200 5 "-" "curl"\n'
JSON = '{"msec": 1767225601.0, "status": 200, "uri": "/"}\n'


def checked(node: Node, what: str) -> MachineCheck:
    """At a target that nothing listens at."""
    found = check_target(Target(Endpoint("http://127.0.0.1:9/"), nodes=(node,)))
    return next(check for check in found if check.what == what)


@pytest.mark.parametrize(
    ("text", "is_known"),
    [(COMBINED, True), ("", True), (JSON * 25, False), (JSON * 25 + COMBINED, True), (COMBINED + JSON * 20, False)],
)
def test_a_log_whose_last_lines_are_of_another_form_is_said_and_refuses_no_drill(
    tmp_path: Path, text: str, is_known: bool
) -> None:
    path = tmp_path / "access.log"
    path.write_text(text, encoding="utf-8")
    for source in (LogFile(str(path)), Command(("cat", str(path)))):
        check = checked(Node("web1", "backend", access_log=source), "web1 access_log")
        assert check.good
        assert (check.found == f"{len(text):,} bytes") is is_known
        assert is_known or "bytes; none of its last 20 lines is in the combined form" in check.found


def test_what_is_no_regular_file_is_not_read_as_a_log(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    for name, found in (
        ("fifo", "is no regular file"),
        ("folder", "is no regular file"),
        ("none", "is not there yet"),
    ):
        path = tmp_path / name
        check = checked(Node("web1", "backend", access_log=LogFile(str(path))), "web1 access_log")
        assert check.good and check.found.startswith(f"{path} {found}")
    below_a_file = tmp_path / "file" / "access.log"
    below_a_file.parent.touch()
    check = checked(Node("web1", "backend", access_log=LogFile(str(below_a_file))), "web1 access_log")
    assert not check.good and check.found == f"{below_a_file}: Not a directory"


def test_a_haproxy_of_several_processes_tells_of_one_alone(tmp_path: Path) -> None:
    path = tmp_path / "stats"
    table = "# pxname,svname,status,type,req_tot\nwww,FRONTEND,OPEN,0,7\nwww,web1,UP,2,\n\n"
    path.write_text(f"Nbproc: 4\nPid: 7\nStart_time_sec: 70\n\n{table}", encoding="utf-8")
    check = checked(Node("lb1", "balancer", haproxy=Command(("cat", str(path)))), "lb1 haproxy")
    assert check.found == "1 servers, 7 requests so far; of this process, which is one of 4 (nbproc)"
