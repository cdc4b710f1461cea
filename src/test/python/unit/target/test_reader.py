from pathlib import Path

import pytest

from support.checkout import CHECKOUT
from switchover.model.errors import TargetError
from switchover.model.vrrp import KeepalivedSettings
from switchover.target.model import Target
from switchover.target.reader import load_target
from switchover.target.telemetry_sources import Command, Fifo, HttpPage, LogFile, TcpSocket, UnixSocket

MINIMAL = '[target]\nurl = "http://198.18.0.50/"\n'


def load(tmp_path: Path, text: str) -> Target:
    path = tmp_path / "target.toml"
    path.write_text(text, encoding="utf-8")
    return load_target(path)


def refusal(tmp_path: Path, text: str) -> str:
    with pytest.raises(TargetError) as caught:
        load(tmp_path, text)
    message = str(caught.value)
    assert "\n" not in message
    assert str(tmp_path / "target.toml") in message
    return message


@pytest.mark.parametrize("path", sorted((CHECKOUT / "testplans/targets").glob("*.toml")), ids=lambda path: path.stem)
def test_a_sample_target_can_be_drilled(path: Path) -> None:
    target = load_target(path)
    assert len(target.balancers) == 2
    assert target.faults
    for fault in target.faults.values():
        assert fault.heal and fault.verify_down and fault.verify_healed and fault.ready, fault.name
        assert (fault.deadman is None) == (fault.disarm is None), fault.name
    assert all(change.verify_down for change in target.changes.values())


def test_a_url_is_enough(tmp_path: Path) -> None:
    target = load(tmp_path, MINIMAL)
    assert target.endpoint.host == "198.18.0.50"
    assert target.endpoint.port == 80
    assert 204 in target.endpoint.expect
    assert 503 not in target.endpoint.expect
    assert not target.endpoint.dedicated
    assert target.lab is None


def test_every_kind_of_source_is_understood(tmp_path: Path) -> None:
    target = load(
        tmp_path,
        MINIMAL
        + """
        [[node]]
        name = "lb1"
        role = "balancer"
        haproxy = "unix:/run/haproxy/admin.sock"
        nginx = "http://lb1:8080/status"
        vip_owner = ["fifo:/run/notify.fifo", ["ssh", "lb1", "ip", "-ts", "monitor", "address"]]
        clock = "shared"
        keepalived = {priority = 101, advert_int = 0.5, version = 3, check = {interval = 2, fall = 3}}
        [[node]]
        name = "lb2"
        role = "balancer"
        haproxy = "tcp://lb2:9999"
        vip_owner = ["ssh", "lb2", "ip", "-ts", "monitor", "address"]
        [[node]]
        name = "lb3"
        role = "balancer"
        haproxy = ["ssh", "lb3", "socat", "-", "/run/haproxy/admin.sock"]
        [[node]]
        name = "web1"
        role = "backend"
        access_log = "/var/log/nginx/access.log"
        """,
    )
    lb1, lb2, lb3, web1 = target.nodes
    assert lb1.haproxy == UnixSocket("/run/haproxy/admin.sock")
    assert lb1.nginx == HttpPage("http://lb1:8080/status")
    assert lb1.vip_owner == (
        Fifo("/run/notify.fifo"),
        Command(("ssh", "lb1", "ip", "-ts", "monitor", "address")),
    )
    assert lb1.shared_clock
    assert isinstance(lb1.keepalived, KeepalivedSettings)
    assert lb1.keepalived.check is not None
    assert lb1.keepalived.check.timeout_s == 2, "Keepalived's own default: the interval"
    assert lb2.haproxy == TcpSocket("lb2", 9999)
    assert lb2.vip_owner == (Command(("ssh", "lb2", "ip", "-ts", "monitor", "address")),)
    assert isinstance(lb3.haproxy, Command)
    assert web1.access_log == LogFile("/var/log/nginx/access.log")
    assert [node.name for node in target.backends] == ["web1"]


def test_secrets_come_from_the_environment_and_are_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRILL_TOKEN", "s3cret")
    text = MINIMAL + 'headers = {Authorization = "env:DRILL_TOKEN"}\n'
    target = load(tmp_path, text + '[influx]\nurl = "http://127.0.0.1:8086"\ntoken = "env:DRILL_TOKEN"\n')
    assert target.endpoint.headers["Authorization"] == "s3cret"
    assert target.influx is not None
    assert target.influx.token == "s3cret"
    assert "s3cret" not in repr(target)


def test_credentials_in_a_statistics_url_are_not_shown() -> None:
    assert "pass" not in f"{HttpPage('http://user:pass@lb1:8404/stats')!r}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "[target]"),
        ("[target]\n", "url is missing"),
        ('[target]\nurl = "ftp://x/"\n', "must be http://"),
        ('[target]\nurl = "http://x:99999/"\n', "no valid port"),
        ("[target]\nurl = 5\n", "must be a string"),
        (MINIMAL + 'tiemout_read = "1s"\n', "did you mean 'timeout_read'"),
        (MINIMAL + 'timeout_read = "soon"\n', "is no duration"),
        (MINIMAL + 'timeout_read = "soon"\n', "timeout_read"),
        (MINIMAL + "timeout_read = -1\n", "must be a duration"),
        (MINIMAL + 'expect = "good"\n', "status ranges"),
        (MINIMAL + 'dedicated = "yes"\n', "true or false"),
        (MINIMAL + 'headers = {A = "b\\r\\nC: d"}\n', "control character"),
        (MINIMAL + 'headers = {A = "env:SURELY_NOT_SET_HERE"}\n', "SURELY_NOT_SET_HERE"),
        (MINIMAL + 'headers = {A = "file:/no/such/file"}\n', "/no/such/file"),
        (MINIMAL + "[nodes]\n", "did you mean 'node'"),
        (MINIMAL + "[node]\n", "[[node]]"),
        (MINIMAL + '[[node]]\nrole = "balancer"\n', "name is missing"),
        (MINIMAL + '[[node]]\nname = "lb1"\nrole = "router"\n', "one of balancer, backend"),
        (MINIMAL + 2 * '[[node]]\nname = "lb1"\nrole = "balancer"\n', "used twice"),
        (MINIMAL + '[[node]]\nname = "lb1"\nrole = "balancer"\nhaproxy = "admin.sock"\n', "unix:/run"),
        (
            MINIMAL + '[[node]]\nname = "lb1"\nrole = "balancer"\nnginx = "unix:/x"\n',
            "[node lb1] nginx must be",
        ),
        (MINIMAL + '[[node]]\nname = "lb1"\nrole = "balancer"\nhaproxy = []\n', "non-empty list"),
        (MINIMAL + '[[node]]\nname = "lb1"\nrole = "balancer"\nkeepalived = {priority = 300}\n', "1 to 255"),
        (MINIMAL + '[[node]]\nname = "lb1"\nrole = "balancer"\nkeepalived = {advert = 1}\n', "'advert_int'"),
        (MINIMAL + "[fault.mine]\n", "kill is missing"),
        (MINIMAL + '[fault.mine]\nkill = "rm -rf"\n', "argument list"),
        (MINIMAL + '[fault.mine]\nkill = ["true"]\npredict = {low = 3, high = 1}\n', "low <= high"),
        (MINIMAL + '[fault.mine]\nkill = ["true"]\nheel = ["true"]\n', "did you mean 'heal'"),
        ("[target\n", "not valid TOML"),
        (MINIMAL + f"timeout_read = {'9' * 5000}\n", "not valid TOML"),
        (MINIMAL + f"timeout_read = {'[' * 2000}{']' * 2000}\n", "not valid TOML"),
        (MINIMAL + '[connections]\npooled = "//["\n', "[connections] pooled must be /path"),
    ],
)
def test_a_wrong_target_file_is_one_line_with_the_place(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in refusal(tmp_path, text)


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="No such file"):
        load_target(tmp_path / "none.toml")
    with pytest.raises(TargetError, match="Is a directory"):
        load_target(tmp_path)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TargetError, match="not UTF-8"):
        load_target(binary)
