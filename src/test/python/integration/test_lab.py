"""What a running lab is, and what its services do under the verbs that faults are made of."""

import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.waiting import wait_for
from switchover.lab.lab import Lab
from switchover.lab.options import parse_keepalived
from switchover.lab.service import running_pid
from switchover.lab.spec import LabSpec
from switchover.model.errors import LabError
from switchover.target.lab_directory import LabDirectory
from switchover.target.reader import load_target

PATIENCE_S = 30.0
FAST = "version=3,advert_int=100ms"
"""Elections in 0.4 s instead of 3.6 s."""
GET = """
import http.client, sys
for number in range(int(sys.argv[1])):
    connection = http.client.HTTPConnection("198.18.0.50", timeout=5)
    connection.request("GET", "/")
    answer = connection.getresponse()
    answer.read()
    print(answer.status, answer.getheader("X-Backend"), answer.getheader("X-Balancer"), flush=True)
    connection.close()
"""
GIVE_UP = """
import socket, subprocess, time
FIN_WAIT_1 = "04"
def waiting():
    with open("/proc/net/tcp") as table:
        return any(line.split()[3] == FIN_WAIT_1 for line in table)
connection = socket.create_connection(("198.18.0.21", 80), timeout=5)
neighbour = ["ip", "neighbour", "replace", "198.18.0.21", "dev", "eth0", "lladdr"]
subprocess.run([*neighbour, "02:00:00:00:00:99"], check=True)
try:
    connection.sendall(b"GET / HTTP/1.1\\r\\nHost: www\\r\\n\\r\\n")
    connection.close()
    print(waiting())
    until = time.monotonic() + 15
    while waiting() and time.monotonic() < until:
        time.sleep(0.1)
    print(waiting())
finally:
    subprocess.run(["ip", "neighbour", "delete", "198.18.0.21", "dev", "eth0"], check=True)
"""
"""Nobody has that hardware address: what is sent there is lost."""


@pytest.fixture(scope="module")
def fast() -> Iterator[Lab]:
    """A lab of this module's own; each test leaves lb1 the master and everything running."""
    with Lab(LabSpec(keepalived=parse_keepalived(FAST))) as lab:
        yield lab


def get(lab: Lab, count: int = 1) -> list[list[str]]:
    done = run(lab, "client", "python3", "-c", GET, str(count))
    return [line.split() for line in done.splitlines()]


def run(lab: Lab, host: str, *command: str) -> str:
    return subprocess.run(lab.exec_argv(host, command), capture_output=True, text=True, check=True).stdout


def owners(lab: Lab) -> list[str]:
    return [node for node in ("lb1", "lb2") if "198.18.0.50/" in run(lab, node, "ip", "address")]


def counter(lab: Lab, node: str, proxy: str, server: str, column: str) -> int:
    """A cell of HAProxy's own table."""
    text = run(lab, node, "python3", "-c", SHOW_STAT, str(lab.layout.runtime_socket(node)))
    lines = [line.split(",") for line in text.splitlines() if line]
    (row,) = (line for line in lines if line[:2] == [proxy, server])
    return int(row[lines[0].index(column)])


SHOW_STAT = """
import socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.sendall(b"show stat\\n")
while piece := connection.recv(65536):
    sys.stdout.write(piece.decode())
"""


def test_the_pair_answers_in_turn_and_says_who_answered(lab: Lab) -> None:
    answers = get(lab, 9)
    assert {(status, balancer) for status, _, balancer in answers} == {("200", "lb1")}
    assert Counter(backend for _, backend, _ in answers) == {"web1": 3, "web2": 3, "web3": 3}


def test_each_host_has_its_own_name_processes_and_network(lab: Lab) -> None:
    assert run(lab, "lb2", "hostname") == "lb2\n"
    assert run(lab, "lb1", "pidof", "haproxy").split() == [str(running_pid(str(lab.layout.runtime_socket("lb1"))))]
    assert "198.18.0.21/24" in run(lab, "web1", "ip", "address")
    ports = run(lab, "bridge", "bridge", "link", "show")
    assert all(f"br-{host}" in ports for host in ("client", "lb1", "lb2", "web1", "web2", "web3"))


def test_the_hosts_share_a_folder_of_locks_that_is_not_the_machines(lab: Lab, tmp_path: Path) -> None:
    name = f"/run/lock/{tmp_path.name}"
    assert subprocess.run(lab.exec_argv("client", ["touch", name]), check=False).returncode == 0
    assert subprocess.run(lab.exec_argv("lb1", ["test", "-e", name]), check=False).returncode == 0
    assert not Path(name).exists()


def test_only_the_load_counts_in_the_service(lab: Lab) -> None:
    before = counter(lab, "lb1", "www", "FRONTEND", "req_tot")
    for path in ("health", "stats;csv"):
        fetch = f"import urllib.request as u; print(u.urlopen('http://198.18.0.11:8404/{path}').status)"
        assert run(lab, "client", "python3", "-c", fetch) == "200\n"
    assert counter(lab, "lb1", "www", "FRONTEND", "req_tot") == before
    get(lab, 2)
    assert counter(lab, "lb1", "www", "FRONTEND", "req_tot") == before + 2


def test_a_request_that_its_client_gave_up_is_not_sent_for_long(lab: Lab) -> None:
    """Eight times, for up to a minute, is what Linux does elsewhere: into the next drill."""
    assert run(lab, "client", "python3", "-c", GIVE_UP).split() == ["True", "False"]


def test_a_web_server_logs_its_requests_and_not_its_checks(lab: Lab) -> None:
    logs = [lab.layout.access_log(name) for name in ("web1", "web2", "web3")]

    def lines() -> list[str]:
        return [line for log in logs for line in log.read_text(encoding="utf-8").splitlines()]

    before = len(lines())
    get(lab, 6)
    wait_for(lambda: len(lines()) == before + 6)
    seconds, address, _, _ = lines()[-1].split(" ", 3)
    assert abs(float(seconds) - time.time()) < PATIENCE_S
    assert address == "198.18.0.11"
    assert not any("/health" in line for line in lines())


def test_the_target_file_and_the_configs_can_be_kept(lab: Lab, tmp_path: Path) -> None:
    assert load_target(lab.target_file).lab == lab.directory
    LabDirectory(lab.directory).copy_config(tmp_path)
    kept = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {"target.toml", "lb1/haproxy.cfg", "lb2/keepalived.conf", "lb1/check.sh", "web3/nginx.conf"} <= kept


def test_the_check_notices_a_killed_balancer_and_the_fifo_tells_every_step(fast: Lab) -> None:
    with (
        fast.layout.notify_fifo("lb1").open(encoding="ascii") as first,
        fast.layout.notify_fifo("lb2").open(encoding="ascii") as second,
    ):
        assert fast.service("lb1", "balancer", "kill")[0] == 0
        assert fast.service("lb1", "balancer", "status")[0] == 3
        wait_for(lambda: owners(fast) == ["lb2"])
        assert get(fast)[0][2] == "lb2"
        assert fast.service("lb1", "balancer", "start")[0] == 0
        wait_for(lambda: owners(fast) == ["lb1"])
        lines = [first.readline() for _ in range(6)]
        assert second.readline() == 'INSTANCE "VI_1" BACKUP 100\n'
    states = [line.removeprefix('INSTANCE "VI_1" ').strip() for line in lines]
    assert states == [
        "BACKUP 101",
        "MASTER 101",
        "MASTER_PRIORITY 81",
        "BACKUP 81",
        "BACKUP_PRIORITY 101",
        "MASTER 101",
    ]


def test_an_nginx_pair_before_apps_with_an_http_check() -> None:
    spec = LabSpec(
        keepalived=parse_keepalived(f"{FAST},check=http,unicast=yes"),
        balancer="nginx",
        backend_kind="app",
        backends=2,
        supervised=True,
        keepalive=False,
    )
    with Lab(spec) as lab:
        answers = get(lab, 4)
        assert Counter(backend for _, backend, _ in answers) == {"198.18.0.21:80": 2, "198.18.0.22:80": 2}
        assert {balancer for _, _, balancer in answers} == {"lb1"}
        assert lab.service("lb1", "nginx", "kill")[0] == 0
        wait_for(lambda: lab.service("lb1", "nginx", "status")[0] == 0)
        assert lab.service("lb1", "nginx", "stop")[0] == 0
        wait_for(lambda: owners(lab) == ["lb2"])
        assert get(lab)[0][2] == "lb2"


def test_a_node_without_a_check_keeps_the_address_though_its_balancer_is_dead() -> None:
    with Lab(LabSpec(backends=1, keepalived=parse_keepalived("check=none,preempt=no"))) as lab:
        (master,) = owners(lab)
        assert lab.service(master, "haproxy", "stop")[0] == 0
        with pytest.raises(subprocess.CalledProcessError):
            get(lab)
        assert owners(lab) == [master]


def test_a_lab_that_cannot_start_says_the_line_that_matters_and_leaves_nothing(
    short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("switchover.lab.blueprint.balancer_config", lambda *a, **k: "frontend www\n  bind nonsense\n")
    base = short_folder / "labs"
    with pytest.raises(LabError) as caught, Lab(LabSpec(), directory=base):
        pass
    assert str(caught.value).startswith("lb")
    assert "haproxy ended at once" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert [path.name for path in base.iterdir()] == [".lock"]
