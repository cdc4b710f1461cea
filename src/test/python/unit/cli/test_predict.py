"""`switchover predict` of the configurations of a pair, and `switchover faults`, which prints the catalogue."""

import json
import os
import re
from pathlib import Path

import pytest

from switchover.cli.main import build_parser
from switchover.faults.catalogue import CATALOGUE
from switchover.model.errors import SwitchoverError
from switchover.predict.keepalived import read_conf
from switchover.predict.mistakes import TEXTS as MISTAKES

NODE = """
vrrp_script chk {{
    script "killall -0 haproxy"
    weight {weight}
}}
vrrp_instance VI_1 {{
    state BACKUP
    interface eth0
    virtual_router_id {router_id}
    priority {priority}
    virtual_ipaddress {{
        192.0.2.50
    }}
    track_script {{
        chk
    }}
}}
"""


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def switchover(*statuses: object, command: str = "predict") -> int:
    arguments = build_parser(command).parse_args([command, *map(str, statuses)])
    return int(arguments.handler(arguments))


def node(place: Path, name: str, priority: int, *, weight: int = -20, router_id: int = 51, more: str = "") -> Path:
    path = place / f"{name}.conf"
    path.write_text(NODE.format(priority=priority, weight=weight, router_id=router_id) + more)
    return path


def row(printed: str, fault: str) -> list[str]:
    """The cells of a fault: without service, then served by, at the heal."""
    line = next(line for line in printed.splitlines() if line.strip("✗ ").startswith(f"{fault} "))
    return re.split(r" {2,}", line.partition(fault)[2].strip())


def test_every_fault_has_a_window_and_a_node(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert switchover(node(tmp_path, "lb1", 101), node(tmp_path, "lb2", 100)) == 0
    printed = capsys.readouterr().out
    assert all(row(printed, name) for name in CATALOGUE)
    assert row(printed, "haproxy-kill") == ["2.61–4.61 s", "lb2", "≤ 100 ms"]
    assert row(printed, "haproxy-hang")[:2] == ["until healed", "no node"]
    assert row(printed, "keepalived-kill")[1] == "lb1 and lb2"
    assert row(printed, "haproxy-reload")[:2] == ["none", "lb1"]
    assert "✗ marks a fault with two masters, or with an outage until the heal." in printed


def test_the_master_is_the_node_with_the_higher_effective_priority(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """100 with a weight of +50 is more than 120, and its skew is that of 150."""
    switchover(node(tmp_path, "lb1", 120), node(tmp_path, "lb2", 100, weight=50))
    printed = capsys.readouterr().out
    assert "lb2: instance VI_1, effective priority 150, master down interval 3.414 s" in printed
    assert row(printed, "node-down")[1] == "lb1"


def test_mistakes_are_named_with_their_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    switchover(node(tmp_path, "lb1", 101), node(tmp_path, "lb2", 100, router_id=52))
    printed = capsys.readouterr().out
    text = MISTAKES["router-ids-differ"].format(value1=51, value2=52)
    line = f"{tmp_path}/lb2.conf:6: {text} [router-ids-differ]"
    assert "".join(line.split()) in "".join(printed.split())
    assert row(printed, "node-down")[0] == "unknown"


HAPROXY = "global\n    hard-stop-after 3s\nfrontend [web]\n    mode http\n    bind :80\nlisten plain\n    bind :81\n"
NGINX = "worker_shutdown_timeout 3s;\nhttp {\n    server {\n        server_name web;\n    }\n}\n"


def test_a_pair_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    switchover(node(tmp_path, "lb1", 101), node(tmp_path, "lb2", 100, router_id=52), "--json")
    found = json.loads(capsys.readouterr().out)
    assert (found["kind"], [one["node"] for one in found["nodes"]]) == ("keepalived", ["lb1", "lb2"])
    assert found["mistakes"][0]["code"] == "router-ids-differ"
    assert set(found["faults"]) == set(CATALOGUE)


def test_a_reload_of_haproxy_is_promised_with_the_line_that_decides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "haproxy.cfg"
    path.write_text(HAPROXY)
    assert switchover(path) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "A reload and the connections of [web]" in printed
    assert (
        "│ download │ cut after 3 s │ "
        f"hard-stop-after 3s: the old process then closes all open connections [{path}:2] │" in printed
    )
    assert "│ pooled │ may be lost │" in printed
    assert "Settings that would keep these connections" in printed
    assert "option idle-close-on-response" in printed


def test_a_unit_shows_how_haproxy_is_started(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, unit = tmp_path / "haproxy.cfg", tmp_path / "haproxy.service"
    path.write_text(HAPROXY)
    for command, fate in (("-Ws -f $CONFIG", "kept"), ("-D \\\n -f x", "may be lost")):
        unit.write_text(f"[Service]\nExecStart=/usr/sbin/haproxy {command}\n")
        switchover(path, "--unit", unit, "--json")
        found = json.loads(capsys.readouterr().out)
        assert found["services"][0]["loads"]["fresh"]["fate"] == fate


def test_a_reload_of_nginx_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "nginx.conf"
    path.write_text(NGINX)
    switchover(path, "--json")
    found = json.loads(capsys.readouterr().out)
    assert (found["kind"], found["files"]) == ("nginx", [str(path)])
    (service,) = found["services"]
    assert service["names"] == ["web"]
    assert service["loads"]["upload"] == {
        "fate": "cut",
        "cut_after_s": 3.0,
        "because": "worker_shutdown_timeout 3s: the old process then closes all open connections",
        "place": f"{path}:1",
        "setting": "remove worker_shutdown_timeout, or set it longer than your longest connection",
    }


def test_a_configuration_may_come_from_a_pipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reading, writing = os.pipe()
    os.write(writing, HAPROXY.encode())
    os.close(writing)
    try:
        switchover(f"/dev/fd/{reading}")
    finally:
        os.close(reading)
    assert "cut after 3 s" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("texts", "more", "complaint"),
    [
        (("[Service]\n",), (), "0.conf is not a keepalived.conf or haproxy.cfg or nginx.conf"),
        ((HAPROXY, NGINX), (), "predict needs files of only one kind"),
        ((NGINX, NGINX), (), "predict takes only one nginx.conf"),
        ((HAPROXY,), ("--instance", "V"), "--instance is for a keepalived.conf"),
        ((NGINX,), ("--unit", "x.service"), "--unit is for a haproxy.cfg"),
        ((HAPROXY,), ("--unit", "/does/not/exist"), "cannot read /does/not/exist"),
        (("global\n  hard-stop-after soon\nlisten a\n",), (), "0.conf:2: 'hard-stop-after soon' needs a time"),
    ],
)
def test_what_cannot_be_promised_is_one_line(
    tmp_path: Path, texts: tuple[str, ...], more: tuple[str, ...], complaint: str
) -> None:
    paths = [tmp_path / f"{number}.conf" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    with pytest.raises(SwitchoverError) as caught:
        switchover(*paths, *more)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "statuses",
    [
        ("/does/not/exist",),
        ("{file}", "--instance", "VI_9"),
        ("{file}", "{file}", "--config-id", "a"),
        ("{file}", "{file}", "{file}"),
    ],
)
def test_wrong_words_are_one_line(tmp_path: Path, statuses: tuple[str, ...]) -> None:
    path = node(tmp_path, "lb1", 101)
    with pytest.raises(SwitchoverError) as caught:
        switchover(*(status.replace("{file}", str(path)) for status in statuses))
    assert "\n" not in str(caught.value)


def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "keepalived.conf")
    with pytest.raises(SwitchoverError, match="is a named pipe"):
        read_conf(tmp_path / "keepalived.conf")


def test_a_name_is_no_markup_and_no_control_character(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / "lb1[x].conf", tmp_path / "lb2.conf"]
    for path, priority in zip(paths, (101, 100), strict=True):
        path.write_text(
            f"vrrp_instance [bold]V[/nope]\x1b[2J {{\ninterface eth0\nvirtual_router_id 51\npriority {priority}\n"
            "virtual_ipaddress {\n198.18.0.50\n}\n}\n"
        )
    switchover(*paths)
    out = capsys.readouterr().out
    assert "[bold]V[/nope]" in out and "lb1[x]" in out and "\x1b[2J" not in out


def test_the_catalogue_is_printed_with_the_labs_windows(capsys: pytest.CaptureFixture[str]) -> None:
    assert switchover(command="faults") == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in CATALOGUE)
    assert "2.61–3.61 s" in printed
    assert "SPLIT BRAIN" in printed
    assert "\x1b" not in printed


def test_the_window_of_a_dead_backend_is_that_of_a_drill_in_the_lab(capsys: pytest.CaptureFixture[str]) -> None:
    switchover("backend-kill", command="faults")
    assert "outage      ≤ 3.00 s" in capsys.readouterr().out


def test_one_fault_tells_its_whole_story(capsys: pytest.CaptureFixture[str]) -> None:
    switchover("haproxy-hang", command="faults")
    printed = capsys.readouterr().out
    for title in ("action", "proof", "heal", "expected", "outage", "failback"):
        assert f"\n  {title} " in printed


def test_an_unknown_fault_is_refused_in_one_line() -> None:
    with pytest.raises(SwitchoverError, match="no fault is named 'haproxy-kil'; known: ") as caught:
        switchover("haproxy-kil", command="faults")
    assert "\n" not in str(caught.value)
