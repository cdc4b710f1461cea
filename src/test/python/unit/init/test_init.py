"""`switchover init` on recorded surveys of two Debian 13 nodes, each case with one thing changed."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support.checkout import CHECKOUT
from switchover.init.pair import SurveyedPair, read_pair
from switchover.init.recipes import write_changes, write_faults
from switchover.init.survey import SCRIPT, Survey, read_answers, take_survey
from switchover.init.target_text import Choices, write_target
from switchover.model.errors import TargetError
from switchover.target.reader import load_target

RECORDED = CHECKOUT / "src/test/resources/recorded"
PASSWORD = "s3cret"
Change = Callable[[str], str]


def survey(node: str, change: Change = str) -> Survey:
    text = (RECORDED / f"survey-{node}.txt").read_text(encoding="utf-8")
    return Survey(node, read_answers(change(text)))


def pair(change: Change = str) -> SurveyedPair:
    return read_pair([survey("lb1", change), survey("lb2", change)], [])


def replaced(*pairs: str) -> Change:
    def change(text: str) -> str:
        for old, new in zip(pairs[::2], pairs[1::2], strict=True):
            assert old in text
            text = text.replace(old, new)
        return text

    return change


def written(found: SurveyedPair, folder: Path) -> Path:
    path = folder / "site.toml"
    write_target(found, Choices(found.url(), False, write_faults(found)[0]), path)
    return path


def test_a_debian_pair_gives_a_target_file_that_is_read(tmp_path: Path) -> None:
    path = written(pair(), tmp_path)
    target = load_target(path)
    assert target.endpoint.url == "http://198.18.0.50/"
    assert target.endpoint.algorithm == "roundrobin"
    assert [(node.name, node.host) for node in target.balancers] == [("lb1", "198.18.0.11"), ("lb2", "198.18.0.12")]
    assert [node.name for node in target.backends] == ["web1", "web2", "web3"]
    assert all(node.haproxy and node.vip_owner and node.clock and node.machine_id for node in target.balancers)
    assert set(target.faults) == {
        "haproxy-stop",
        "haproxy-kill",
        "haproxy-hang",
        "keepalived-stop",
        "haproxy-crash",
        "node-down",
    }
    assert set(target.changes) == {"haproxy-reload"}
    for name, fault in target.faults.items():
        assert fault.verify_down and fault.ready, name
        assert (fault.deadman is None) == (fault.disarm is None)
        assert fault.disarm is None or "; ! systemctl is-active" in fault.disarm[-1], "holds also after it went off"
    assert target.faults["haproxy-crash"].heal is None
    assert not target.connections, "no POST request where others' traffic is"


def test_a_pair_of_our_own_gets_held_connections(tmp_path: Path) -> None:
    write_target(pair(), Choices("http://198.18.0.50/", True, {}), tmp_path / "site.toml")
    assert set(load_target(tmp_path / "site.toml").connections.values()) == {"http://198.18.0.50/"}


def test_no_password_is_written(tmp_path: Path) -> None:
    assert PASSWORD in (RECORDED / "survey-lb1.txt").read_text(encoding="utf-8")
    written(pair(), tmp_path)
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()]
    assert len(texts) == 3
    assert not any(PASSWORD in text for text in texts)


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "site-lb1-keepalived.conf").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError):
        written(pair(), tmp_path)
    assert (tmp_path / "site-lb1-keepalived.conf").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        pytest.param(replaced("@@ sudo\nyes", "@@ sudo\nrefused"), "NOPASSWD", id="a sudo that asks"),
        pytest.param(
            replaced("LoadState=loaded", "LoadState=not-found"),
            "only haproxy-hang and keepalived-hang",
            id="no systemd",
        ),
        pytest.param(
            replaced("ping\n", ""), "the target file gets no fault node-down, because this fault needs", id="no ping"
        ),
    ],
)
def test_missing_faults_are_explained(change: Change, text: str, tmp_path: Path) -> None:
    found = pair(change)
    _, missing = write_faults(found)
    assert any(text in line for line in missing)
    load_target(written(found, tmp_path))


def test_without_a_restart_there_is_no_crash() -> None:
    found = pair(replaced("Restart=always", "Restart=no"))
    assert "haproxy-crash" not in write_faults(found)[0]
    assert "haproxy-reload" in write_changes(found)


def test_a_slow_restart_is_not_predicted() -> None:
    """A check with interval 1 and fall 2 notices a balancer that is away for 5 s."""
    quick = pair()
    slow = pair(replaced("RestartUSec=100ms", "RestartUSec=5s"))
    assert write_faults(quick)[0]["haproxy-crash"]["predict"] == {"low": 0.1, "high": 1.1}
    assert "predict" not in write_faults(slow)[0]["haproxy-crash"]


def test_a_dead_link_comes_back_by_the_node_itself() -> None:
    """The timer goes off after the heal began (master down interval 3.6 s) and before the last try of the heal."""
    table = write_faults(pair())[0]["node-down"]
    assert "--on-active=25" in table["deadman"][-1]
    assert "ip link set eth0 down" in table["kill"][-1]
    assert table["verify_down"][1] == table["verify_healed"][1] == "{backup}"
    assert "\\\\" not in table["deadman"][-1], "fish reads two backslashes as one"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        pytest.param(
            replaced("socat\npython3\n", "", "@@ socket ", "@@ socket_refused "),
            "no answer from a stats socket (/run/haproxy/admin.sock)",
            id="no socat",
        ),
        pytest.param(
            replaced("@@ file haproxy", "@@ unreadable haproxy", "@@ socket ", "@@ other "),
            "no answer from a stats socket (/etc/haproxy/haproxy.cfg",
            id="a hidden file",
        ),
        pytest.param(
            replaced("vrrp_instance VI_1 {", "include conf.d/*.conf\nvrrp_instance VI_1 {"),
            "'include conf.d/*.conf' matches no readable file",
            id="an unreadable include",
        ),
        pytest.param(
            replaced(
                "backend app\n",
                "backend big\n" + "".join(f" server s{n} 192.0.2.1:{n}\n" for n in range(1, 9999)) + "backend app\n",
            ),
            "more than 100: the target file has only the servers given by --backend",
            id="10,000 lines",
        ),
    ],
)
def test_a_hostile_node_gives_a_clear_line_and_a_target(change: Change, text: str, tmp_path: Path) -> None:
    found = pair(change)
    assert any(text in f"{one.subject} {one.text}" for one in found.findings)
    assert written(found, tmp_path).stat().st_size < 20_000
    load_target(tmp_path / "site.toml")


SECOND = """vrrp_instance VI_6 {
  interface eth0
  virtual_router_id 52
  virtual_ipaddress {
    2001:DB8:0::60/64
  }
}
"""


@pytest.mark.parametrize(
    ("url", "instance", "others"),
    [("", "VI_1", "2001:db8::60"), ("http://[2001:db8:0::60]/", "VI_6", "198.18.0.50")],
)
def test_the_url_decides_between_two_instances(url: str, instance: str, others: str) -> None:
    """Of several shared addresses the first is taken. An address of another instance is not the node's own."""
    address = "2: eth0    inet6 2001:db8::60/64\n2: eth0    inet6 2001:db8::11/64\n2: eth0    inet6 fe80"
    change = replaced("@@ processes haproxy", f"{SECOND}\n@@ processes haproxy", "2: eth0    inet6 fe80", address)
    found = read_pair([survey(node, change) for node in ("lb1", "lb2")], [], url)
    assert [balancer.instance and balancer.instance.name for balancer in found.balancers] == [instance] * 2
    assert any(one.text == f"the nodes also share {others}" for one in found.findings)
    assert found.balancers[0].host == ("2001:db8::11" if url else "198.18.0.11")


@pytest.mark.parametrize(
    ("bind", "url"),
    [
        ("bind *:8080", "http://198.18.0.50:8080/"),
        ("bind :443 ssl crt /etc/ssl/site.pem", "https://198.18.0.50/"),
        ("bind 198.18.0.50:80,198.18.0.50:81", "http://198.18.0.50/"),
    ],
)
def test_the_url_is_where_a_frontend_listens_on_the_address(bind: str, url: str) -> None:
    assert pair(replaced("bind 198.18.0.50:80 transparent", bind)).url() == url


def test_an_ipv6_address_stands_in_brackets() -> None:
    found = pair(replaced("198.18.0.50", "2001:db8::50"))
    assert found.vip == "2001:db8::50"
    assert found.url() == "http://[2001:db8::50]/"


def test_included_files_stand_in_the_copy() -> None:
    whole = "vrrp_instance VI_1 {"
    parts = replaced(whole, f"include conf.d/*.conf\n\n@@ file keepalived /etc/keepalived/conf.d/vrrp.conf\n{whole}")
    copy = pair(parts).balancers[0].keepalived_copy
    assert "include" not in copy
    assert "vrrp_instance VI_1" in copy and "vrrp_script chk_haproxy" in copy


def test_clones_are_refused() -> None:
    ids = [survey(node).text("machine_id") for node in ("lb1", "lb2")]
    with pytest.raises(TargetError, match=rf"lb1 and lb2 have the same machine id {ids[0]}"):
        read_pair([survey("lb1"), survey("lb2", replaced(ids[1], ids[0]))], [])


def test_one_machine_under_two_names_is_refused() -> None:
    with pytest.raises(TargetError, match="are names of one machine"):
        read_pair([survey("lb1"), Survey("other", survey("lb1").answers)], [])


def test_nodes_of_two_pairs_are_refused() -> None:
    with pytest.raises(TargetError, match=r"lb1 has 198.18.0.50, lb2 has 198.18.0.99"):
        read_pair([survey("lb1"), survey("lb2", replaced("198.18.0.50/24\n", "198.18.0.99/24\n"))], [])


def test_an_unreadable_keepalived_conf_is_named() -> None:
    hidden = replaced("@@ file keepalived ", "@@ unreadable keepalived ")
    with pytest.raises(TargetError, match=r"lb2: /etc/keepalived/keepalived.conf cannot be read.*--url"):
        pair(hidden)
    found = read_pair([survey(node, hidden) for node in ("lb1", "lb2")], [], "http://198.18.0.50:8080/")
    assert any(one.text == "198.18.0.50, on lb1" for one in found.findings)


def test_both_nodes_hold_the_address() -> None:
    found = read_pair([survey("lb1"), survey("lb2", replaced("198.18.0.12/24 scope", "198.18.0.50/24 scope"))], [])
    assert any("198.18.0.50, on lb1 and lb2" in one.text and one.advice for one in found.findings)


def test_output_of_the_login_shell_is_ignored() -> None:
    banner = "Welcome!\n@@ user\nroot\n@@ looks like a mark\n"
    answers = read_answers(banner + (RECORDED / "survey-lb1.txt").read_text(encoding="utf-8"))
    assert answers["user"][0].text.strip() == "ops"


def test_a_survey_that_does_not_end_is_an_error() -> None:
    with pytest.raises(TargetError, match="lb1 true' runs without a prompt"):
        take_survey("lb1", ("sh", "-c", "echo hello; exit 255", "sh"))


def test_a_program_that_hangs_holds_no_survey_up(tmp_path: Path) -> None:
    """A sudo that asks and a file system that does not answer: each step has its time limit."""
    programs = dict.fromkeys(("sudo", "ip", "keepalived", "haproxy", "nginx", "systemctl"), "exec sleep 60")
    programs |= {"id": "echo 1000", "ssh": f"PATH={tmp_path}:/usr/bin:/bin exec sh -s -- 0.1"}
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    began_s = time.monotonic()
    assert take_survey("lb1", (str(tmp_path / "ssh"),)).text("sudo") == "refused"
    assert time.monotonic() - began_s < 30


def test_the_script_runs_without_a_program_and_writes_nothing(tmp_path: Path) -> None:
    """With an empty home and no ssh: every key is answered, and its last line is the end."""
    done = subprocess.run(
        ("sh", "-s", "--", "5"), input=SCRIPT.read_bytes(), cwd=tmp_path, capture_output=True, timeout=60, check=True
    )
    answers = read_answers(done.stdout.decode())
    assert {"user", "hostname", "address", "sudo", "keepalived_conf", "end"} <= set(answers)
    assert not list(tmp_path.iterdir())
