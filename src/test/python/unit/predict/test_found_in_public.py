"""Constructs found in 43 keepalived.conf files of 36 public repositories, rebuilt small, and facts about them."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from switchover.faults.catalogue import CATALOGUE
from switchover.predict.keepalived import KeepalivedConf, read_conf
from switchover.predict.mistakes import find_mistakes


def instance(*lines: str, name: str = "VI_1", address: str = "192.0.2.50") -> str:
    body = "\n".join(f"    {line}" for line in lines)
    head = f"vrrp_instance {name} {{\n    interface lo0\n    virtual_router_id 51\n"
    return f"{head}{body}\n    virtual_ipaddress {{\n        {address}\n    }}\n}}\n"


def script(*lines: str, command: str = '"killall -0 haproxy"', name: str = "chk") -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f"vrrp_script {name} {{\n    script {command}\n{body}\n}}\n"


TRACKED = ("track_script {", "    chk", "}")


@dataclass(frozen=True)
class Facts:
    """What is true of a file: priorities, the window of haproxy-kill, unknown words, mistakes, remarks."""

    priority: int
    window: tuple[float, float] | None
    unknown: frozenset[str] = frozenset()
    mistakes: frozenset[str] = frozenset()
    remark: str = ""


NO_CHECK = frozenset({"no-check"})
FOUND: dict[str, tuple[str, Facts]] = {
    "a weight of 2 that is added while HAProxy lives": (
        script("interval 2", "weight 2") + instance("state MASTER", "priority 101", *TRACKED),
        Facts(103, (2.598, 5.598)),
    ),
    "a check of Kubernetes' API server, slower than its interval": (
        script("interval 3", "timeout 10", "fall 5", "rise 2", "weight -2", command='"/etc/check_apiserver.sh"')
        + instance("state BACKUP", "priority 100", "advert_int 5", *TRACKED),
        Facts(100, (22.609, 30.609), mistakes=frozenset({"slow-check"})),
    ),
    "a check once in 30 s": (
        script("interval 30", "weight 10", command='"/bin/pidof traefik"') + instance("priority 120", *TRACKED),
        Facts(130, (2.492, 33.492), mistakes=frozenset({"pidof"})),
    ),
    "a word with a letter missing": (
        instance("state MASTER", "priority 100", "advert_in 5"),
        Facts(100, None, frozenset({"advert_in"}), NO_CHECK),
    ),
    "a weight on the owner's script": (
        script("interval 3", "weight -2", command="/etc/keepalived/check_apiserver.sh")
        + instance("state MASTER", "priority 255", *TRACKED),
        Facts(255, None, mistakes=NO_CHECK, remark="priority 255: chk has a weight, so Keepalived ignores it"),
    ),
    "a brace too many before the virtual server's body": (
        instance("priority 100") + "virtual_server 192.0.2.50 80 {\n}\n    delay_loop 6\n    lb_algo rr\n}\n",
        Facts(100, None, frozenset({"}"})),
    ),
    "a first MASTER with nopreempt": (
        script("interval 2", "fall 2", command='"/usr/local/bin/check_alive"')
        + instance("state MASTER", "nopreempt", "priority 1", *TRACKED),
        Facts(1, (2.996, 4.996), mistakes=frozenset({"master-nopreempt"}), remark="clears nopreempt"),
    ),
    "a sync group without the word group": (
        "vrrp_sync_group G1 {\n    VI_1\n    VI_2\n}\n" + instance("state MASTER", "priority 150"),
        Facts(150, None, frozenset(), NO_CHECK),
    ),
    "a gateway that is pinged": (
        script("interval 2", command='"/bin/ping -c 1 -W 1 192.0.2.1"') + instance("priority 100", *TRACKED),
        Facts(100, None, mistakes=NO_CHECK),
    ),
    "notify scripts with arguments in quotes": (
        script("interval 2", "weight -20")
        + instance("priority 100", *TRACKED, "notify_master \"/etc/notify.sh 'a b' {x}\"", "smtp_alert"),
        Facts(100, (2.609, 5.609)),
    ),
    "comments of every kind": (
        "! Configuration File\n"
        + script("interval 2 # seconds", "weight -20!")
        + instance("priority 100 # higher than lb2", *TRACKED),
        Facts(100, (2.609, 5.609)),
    ),
    "includes of another machine": (
        script("interval 2", "weight -20")
        + instance("priority 50", *TRACKED)
        + "include /etc/rules-of-another/*.conf\n",
        Facts(50, (2.805, 5.805), remark="finds no file here"),
    ),
    "adverts every 3 s, two failures of a check every 5 s": (
        script("interval 5", "fall 2", "weight 2")
        + instance("state MASTER", "priority 101", "advert_int 3", *TRACKED),
        Facts(103, (11.598, 19.598)),
    ),
    "windows line ends": (
        (script("interval 2", "weight -20") + instance("priority 100", *TRACKED)).replace("\n", "\r\n"),
        Facts(100, (2.609, 5.609)),
    ),
    "no brace at the end of the file": (
        script("interval 2", "weight -20") + instance("priority 100", *TRACKED).rstrip().removesuffix("}"),
        Facts(100, (2.609, 5.609), remark="opens a block that is never closed"),
    ),
}


def conf_of(place: Path, name: str) -> KeepalivedConf:
    path = place / "keepalived.conf"
    path.write_bytes(FOUND[name][0].encode())
    return read_conf(path)


def unknown_words(conf: KeepalivedConf) -> set[str]:
    said = " ".join(conf.remarks)
    return set(re.findall(r"unknown word '([^']*)'", said)) | ({"}"} if "closes nothing" in said else set())


@pytest.mark.parametrize("name", FOUND)
def test_what_is_said_of_it_is_true(tmp_path: Path, name: str) -> None:
    conf, facts = conf_of(tmp_path, name), FOUND[name][1]
    found = conf.instance()
    assert found.settings.effective_priority == facts.priority
    assert unknown_words(conf) == facts.unknown
    assert {mistake.code for mistake in find_mistakes(conf, found)} == facts.mistakes
    assert facts.remark in " ".join((*conf.remarks, *found.remarks))


@pytest.mark.parametrize("name", FOUND)
def test_its_window_is_that_of_the_arithmetic(tmp_path: Path, name: str) -> None:
    """With a peer of the same settings, as `switchover predict FILE` takes it."""
    settings = conf_of(tmp_path, name).instance().settings
    predicted, window = CATALOGUE["haproxy-kill"].predict(settings, settings), FOUND[name][1].window
    if window is None:
        assert predicted.for_ever
    else:
        assert (predicted.low_s, predicted.high_s) == pytest.approx(window, abs=0.001)
