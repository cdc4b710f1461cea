"""What doctor says of a target's access logs and of its HAProxys."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from support.servers import answers_page, tcp_server
from switchover.cli import doctor
from switchover.cli.doctor import check_target, print_checks
from switchover.lab.capability import MachineCheck
from switchover.model.held_kind import HeldKind
from switchover.target.model import ChangeRecipe, Endpoint, FaultRecipe, Node, Target
from switchover.target.telemetry_sources import Command, LogFile

COMBINED = '10.0.1.2 - - [01/Jan/2026:00:00:01 +0000] "GET / HTTP/1.1" 200 5 "-" "curl"\n'
JSON = '{"msec": 1767225601.0, "status": 200, "uri": "/"}\n'


def checked(node: Node, what: str) -> MachineCheck:
    """At a target that nothing listens at."""
    return of_target(what, node)[0]


def of_target(what: str, *nodes: Node, **parts: Any) -> list[MachineCheck]:
    found = check_target(Target(Endpoint("http://127.0.0.1:9/"), nodes=nodes, **parts))
    return [check for check in found if check.subject == what]


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
        assert (check.result == f"{len(text):,} bytes") is is_known
        assert is_known or "bytes; none of its last 20 lines has the combined log format" in check.result


def test_what_is_no_regular_file_is_not_read_as_a_log(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    for name, found in (
        ("fifo", "is not a regular file"),
        ("folder", "is not a regular file"),
        ("none", "does not exist yet"),
    ):
        path = tmp_path / name
        check = checked(Node("web1", "backend", access_log=LogFile(str(path))), "web1 access_log")
        assert check.good and check.result.startswith(f"{path} {found}")
    below_a_file = tmp_path / "file" / "access.log"
    below_a_file.parent.touch()
    check = checked(Node("web1", "backend", access_log=LogFile(str(below_a_file))), "web1 access_log")
    assert not check.good and check.result == f"{below_a_file}: Not a directory"


def test_a_haproxy_of_several_processes_tells_of_one_alone(tmp_path: Path) -> None:
    path = tmp_path / "stats"
    table = "# pxname,svname,status,type,req_tot\nwww,FRONTEND,OPEN,0,7\nwww,web1,UP,2,\n\n"
    path.write_text(f"Nbproc: 4\nPid: 7\nStart_time_sec: 70\n\n{table}", encoding="utf-8")
    check = checked(Node("lb1", "balancer", haproxy=Command(("cat", str(path)))), "lb1 haproxy")
    assert check.result == "1 servers, 7 requests so far; only of this process, one of 4 (nbproc)"


LB1, LB2 = Node("lb1", "balancer"), Node("lb2", "balancer")


def shell(script: str) -> tuple[str, ...]:
    return ("sh", "-c", script)


@pytest.mark.parametrize(
    ("down", "healed", "found"),
    [
        ("exit 1", "exit 0", "no fault is in force now, according to verify_down"),
        ("exit 0", "exit 0", "mine does not fire: its verify_down succeeds before the kill"),
        ("exit 1", "exit 3", "mine does not fire: its verify_healed fails before the kill"),
    ],
)
def test_the_proofs_of_a_fault_are_run(down: str, healed: str, found: str) -> None:
    recipe = FaultRecipe("mine", ("true",), ("true",), shell(down), shell(healed))
    (check,) = of_target("fault mine commands", LB1, LB2, faults={"mine": recipe})
    assert check.result.startswith(found) and check.good is found.startswith("no fault")


def test_the_proof_of_a_change_is_run_and_a_master_that_is_not_known_is_said() -> None:
    changes = {"a": ChangeRecipe("a", ("true",), verify_down=("true",)), "b": ChangeRecipe("b", ("./x", "{master}"))}
    (check,) = of_target("change a commands", LB1, changes=changes)
    assert not check.good and "its verify succeeds before the change" in check.result
    (check,) = of_target("change b commands", LB1, changes=changes)
    assert check.good and check.result.startswith("not tried: the master")


@pytest.mark.parametrize(
    ("script", "good", "found"),
    [
        ("true", True, "`true` succeeds"),
        ("false", False, "`false` fails"),
        ("/no/such", False, "`/no/such` fails"),
        ("./mine 'a b'", None, ""),
    ],
)
def test_a_check_script_is_run_where_keepalived_runs_it(
    script: str, good: bool | None, found: str, tmp_path: Path
) -> None:
    conf = tmp_path / "keepalived.conf"
    conf.write_text(
        f'vrrp_script chk {{\n script "{script}"\n}}\nvrrp_instance V {{\n virtual_ipaddress {{\n 127.0.0.1\n }}\n'
        " track_script {\n  chk\n }\n}\n",
        encoding="utf-8",
    )
    node = Node("lb1", "balancer", keepalived=conf, clock=Command(("sh", "-c", "date +%s.%N")))
    checks = of_target("lb1 chk", node)
    assert [check.good for check in checks] == ([] if good is None else [good])
    assert all(check.result.startswith(found) for check in checks)


def test_ready_is_run_for_the_backup() -> None:
    with tcp_server(answers_page(b"", "200 OK\r\nX-Balancer: lb1")) as port:
        for name, is_fit in (("lb1", False), ("lb2", True)):
            recipe = FaultRecipe("mine", ("true",), ready=("test", "{backup}", "=", name))
            endpoint = Endpoint(f"http://127.0.0.1:{port}/")
            checks = check_target(Target(endpoint, nodes=(LB1, LB2), faults={"mine": recipe}))
            (check,) = (check for check in checks if check.subject == "fault mine ready")
            assert check.good is is_fit
            assert check.result == ("lb2 can take over" if is_fit else "lb2: `test …`: exit status 1")


def test_an_uncertain_clock_has_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    node = Node("lb1", "balancer", clock=Command(("date", "+%s.%N")))
    monkeypatch.setattr(doctor, "CLOCK_BOUND_US", 10**9)
    assert "ControlMaster" not in checked(node, "lb1 clock").result
    monkeypatch.setattr(doctor, "CLOCK_BOUND_US", 0)
    check = checked(node, "lb1 clock")
    assert check.good and "ControlMaster auto" in check.result


def test_where_held_connections_lead_is_tried() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        urls = {
            HeldKind.POOLED: f"http://127.0.0.1:{server.getsockname()[1]}/",
            HeldKind.TCP: "tcp://127.0.0.1:9",
        }
        checks = [of_target(f"held {kind}", connections=urls)[0] for kind in urls]
    assert [check.good for check in checks] == [True, False]


def test_real_time_scheduling_that_is_not_allowed_has_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    check = doctor.check_realtime()
    assert check.good and "rtprio 1" in check.result


def test_an_address_in_brackets_is_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    print_checks([MachineCheck("http://[fd00::50]/", "answers")], Console(width=80, force_terminal=True))
    assert "http://[fd00::50]/" in capsys.readouterr().out


def test_a_check_is_one_line_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    found = "answers " * 20 + "[whole]"
    warning = MachineCheck("e", "f", warns=True)
    assert not print_checks(
        [MachineCheck("http://[fd00::50]/", found), MachineCheck("b", "c", "d " * 50), warning], Console(width=80)
    )
    first, second, advice, third = capsys.readouterr().out.splitlines()
    assert third.split() == ["!", "e", "f"] and print_checks([warning], Console(width=80))
    assert first == f"ok  http://[fd00::50]/  {found}"
    assert second.split() == ["NO", "b", "c"] and advice.split() == ["->", *["d"] * 50]


def test_missing_identity_headers_are_lines_to_copy_below_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    lb2 = Node("lb2", "balancer", nginx=Command(("true",)))
    envoy = Node("lb3", "balancer", metrics=Command(("true",)))
    with tcp_server(answers_page(b"", "200 OK")) as port:
        target = Target(Endpoint(f"http://127.0.0.1:{port}/"), nodes=(LB1, lb2, envoy))
        check = next(check for check in check_target(target) if check.blocks)
    assert check.good and check.result.endswith("an unknown balancer: identity headers are missing")
    print_checks([check], Console(width=40))
    assert capsys.readouterr().out.splitlines()[1:] == [
        "",
        "Add to the frontend in haproxy.cfg of lb1:",
        "    http-response set-header X-Backend %s",
        "    http-after-response set-header X-Balancer lb1",
        "",
        "Add to the server block in nginx.conf of lb2:",
        "    add_header X-Backend $upstream_addr always;",
        "    add_header X-Upstream-Time $upstream_header_time always;",
        "    add_header X-Balancer lb2 always;",
    ]
