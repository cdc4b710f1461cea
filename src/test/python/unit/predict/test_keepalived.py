"""What Keepalived does to the lines of its file, and the settings that a node has by them."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support.examples import examples
from switchover.model.errors import TargetError
from switchover.model.vrrp import CheckScript, KeepalivedSettings
from switchover.predict.keepalived import read_conf
from switchover.predict.keepalived_syntax import read_syntax


def lines(place: Path, text: str, config_id: str | None = None) -> list[str]:
    """The statements that are left, one text each."""
    path = place / "keepalived.conf"
    path.write_text(text)
    return [" ".join(statement.words) for statement in read_syntax(path, config_id=config_id).statements]


def test_a_comment_begins_outside_of_quotes(tmp_path: Path) -> None:
    text = '! all of it\nscript "a # b ! c" # comment\npriority 10!old\n'
    assert lines(tmp_path, text) == ["script a # b ! c", "priority 10"]


@pytest.mark.parametrize(("config_id", "left"), [("lb1", ["priority 101", "other lb1"]), ("lb2", ["priority 100"])])
def test_a_condition_chooses_lines_for_a_node(tmp_path: Path, config_id: str, left: list[str]) -> None:
    text = "@lb1 priority 101\n@lb2 priority 100\n@^lb2 other ${_INSTANCE}\n@lb3\n"
    assert lines(tmp_path, text, config_id) == left


def test_a_condition_may_choose_a_definition(tmp_path: Path) -> None:
    text = "@lb1 $PRIO=101\n@lb2 $PRIO=100\npriority $PRIO\n"
    assert lines(tmp_path, text, "lb2") == ["priority 100"]


def test_an_id_that_no_condition_names_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "keepalived.conf"
    path.write_text("vrrp_instance A {\n@lb1 priority 101\n@lb2 priority 100\n}\n")
    with pytest.raises(TargetError, match="no '@' line names 'lb9'; the file has '@' lines for: lb1, lb2"):
        read_conf(path, config_id="lb9")


def test_definitions_are_filled_in_at_their_use(tmp_path: Path) -> None:
    text = "$BASE=10.2.${SUB}\n$SUB=0\n${BASE}.100\n$SUB=10\n${BASE}.100\n$UNKNOWN $BASEX"
    assert lines(tmp_path, text) == ["10.2.0.100", "10.2.10.100", "$UNKNOWN $BASEX"]


def test_includes_are_followed(tmp_path: Path) -> None:
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d" / "a.conf").write_text("priority 42\nweight -7")
    assert lines(tmp_path, "include conf.d/*.conf\ninclude conf.d/*.none\n") == ["priority 42", "weight -7"]


FULL = """
! Configuration File for keepalived
global_defs {
    router_id lb1            # the node
    vrrp_version 3
    vrrp_down_timer_adverts 4
}
vrrp_script chk_haproxy {
    script "/usr/bin/killall -0 haproxy"   # cheaper than pidof
    interval 2
    timeout 1
    fall 3
    rise 2
    weight -20
}
vrrp_instance VI_1
{
    state BACKUP
    interface eth0
    virtual_router_id 51
    priority 101
    advert_int 0.5
    nopreempt
    preempt_delay 2.5
    authentication {
        auth_type PASS
        auth_pass "se{cr}et # no comment"
    }
    unicast_peer {
        192.0.2.2
    }
    virtual_ipaddress { 192.0.2.50/24 dev eth0 }
    track_script { chk_haproxy }
}
"""


def read(place: Path, text: str, instance: str | None = None) -> KeepalivedSettings:
    path = place / "keepalived.conf"
    path.write_text(text)
    return read_conf(path).instance(instance).settings


def instance(*lines: str) -> str:
    return "\n".join(["vrrp_instance VI_1 {", *lines, "}"])


def test_everything_that_decides_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, FULL) == KeepalivedSettings(
        priority=101,
        advert_int_s=0.5,
        version=3,
        preempt=False,
        preempt_delay_s=0.0,
        down_timer_adverts=4,
        unicast=True,
        instance="VI_1",
        check=CheckScript(interval_s=2, timeout_s=1, fall=3, rise=2, weight=-20, by="process"),
    )


def test_the_first_instance_or_the_named_one(tmp_path: Path) -> None:
    text = "vrrp_instance A { priority 10 }\nvrrp_instance B { priority 20 }"
    assert read(tmp_path, text).priority == 10
    assert read(tmp_path, text, "B").priority == 20
    with pytest.raises(TargetError, match="no vrrp_instance C; it has: A, B"):
        read(tmp_path, text, "C")


@pytest.mark.parametrize(
    ("script", "by"),
    [
        ("/bin/pidof haproxy", "process"),
        ("killall -0 haproxy", "process"),
        ("/usr/bin/pgrep -x nginx", "process"),
        ("/usr/bin/systemctl is-active haproxy", "process"),
        ("pidof httpd", "process"),
        ("/bin/sh -c 'pidof nginx && curl -s localhost'", "http"),
        ("curl -sf http://localhost/health", "http"),
        ("/bin/bash -c '</dev/tcp/127.0.0.1/80'", "process"),
        ("/bin/bash -c ': > /dev/tcp/127.0.0.1/80'", "process"),
        ("/bin/bash -c 'exec 3<>/dev/tcp/127.0.0.1/80; echo GET / >&3; grep 200 <&3'", "http"),
        ("nc -w 2 -z 127.0.0.1 80", "process"),
        ("nc -zv 127.0.0.1 80", "process"),
        ("/usr/lib/nagios/plugins/check_tcp -p 80", "process"),
        ("/bin/sh -c 'nc -z localhost 80 && curl -s localhost'", "http"),
        ("/bin/sh -c 'printf x | nc localhost 80 | grep 200'", "http"),
        ("/usr/bin/python3 /etc/check_http.py 80", "http"),
        ("/etc/keepalived/check.sh", "unknown"),
    ],
)
def test_what_a_script_looks_at_is_told_by_its_command(tmp_path: Path, script: str, by: str) -> None:
    text = f'vrrp_script c {{\nscript "{script}"\n}}\n' + instance("track_script { c }")
    found = read(tmp_path, text)
    assert found.check is not None and found.check.by == by


def script(*lines: str, name: str = "c", about: str = "haproxy") -> str:
    return "\n".join([f"vrrp_script {name} {{", f"script {about}", *lines, "}\n"])


def tracks(*names: str, kind: str = "track_script") -> str:
    return "\n".join([f"{kind} {{", *names, "}"])


SETTINGS: dict[str, tuple[str, dict[str, object]]] = {
    "the instance overrides the globals": (
        "global_defs { vrrp_version 3 \n vrrp_down_timer_adverts 4 }\n"
        + instance("version 2", "down_timer_adverts 5"),
        {"version": 2, "down_timer_adverts": 5},
    ),
    "a later line wins": (instance("priority 10", "priority 20"), {"priority": 20}),
    "windows line ends": (instance("priority 20").replace("\n", "\r\n"), {"priority": 20}),
    "an IPv6 address means version 3": (
        "global_defs {\nvrrp_version 2\n}\n" + instance("virtual_ipaddress {", "2001:db8::50/64", "}"),
        {"version": 3},
    ),
    "state MASTER clears nopreempt": (instance("state MASTER", "priority 101", "nopreempt"), {"preempt": True}),
    "state MASTER without priority is the owner": (instance("state MASTER"), {"priority": 255}),
    "state BACKUP is not": (instance("state BACKUP"), {"priority": 100}),
    "strict mode makes a master of the owner alone": (
        instance("strict_mode", "state MASTER", "priority 101", "nopreempt"),
        {"preempt": False},
    ),
    "the owner waits for nobody": (instance("priority 255", "preempt_delay 5"), {"preempt_delay_s": 0.0}),
    "an owner that is BACKUP waits": (
        instance("priority 255", "state BACKUP", "preempt_delay 5"),
        {"preempt_delay_s": 5.0},
    ),
    "a first MASTER waits for nobody": (
        instance("priority 101", "state MASTER", "preempt_delay 5"),
        {"preempt_delay_s": 0.0},
    ),
    "the owner knows no weights": (
        script("weight -50") + instance("priority 255", tracks("c")),
        {"effective_priority": 255},
    ),
    "a positive weight counts while the check passes": (
        script("weight 50") + instance(tracks("c")),
        {"effective_priority": 150, "skew_s": 106 / 256},
    ),
    "a negative one does not": (script("weight -50") + instance(tracks("c")), {"effective_priority": 100}),
    "interfaces and processes add their weight, files do not": (
        "vrrp_track_process p {\nprocess ntpd\nweight 7\n}\ntrack_file f {\nfile /tmp/f\nweight 9\n}\n"
        + instance(
            tracks("eth1 weight 5", kind="track_interface"),
            tracks("p", kind="track_process"),
            tracks("f", kind="track_file"),
        ),
        {"effective_priority": 112},
    ),
}
CHECKS: dict[str, tuple[str, list[CheckScript]]] = {
    "weight 0 is the default, and the timeout one interval": (
        script("interval 4", about="x") + instance(tracks("c")),
        [CheckScript(interval_s=4, timeout_s=4, weight=0, by="unknown")],
    ),
    "every fraction of a second": (
        script("interval 0.2", "timeout 0.5", about="pidof_haproxy") + instance(tracks("c")),
        [CheckScript(interval_s=0.2, timeout_s=0.5, weight=0, by="process")],
    ),
    "a tracked script may override its weight": (
        script("weight -2", about="pidof") + instance(tracks("c weight -30")),
        [CheckScript(weight=-30, by="process")],
    ),
    "of several scripts those about the balancer": (
        script(name="a", about="pidof_ntpd")
        + script("weight -5", name="b", about="curl")
        + instance(tracks("a", "b")),
        [CheckScript(weight=-5, by="http")],
    ),
    "a script that nobody tracks does not count": (script() + instance(), []),
    "a tracked process is known after its delay": (
        "vrrp_track_process p {\nprocess haproxy\nweight -10\nterminate_delay 0.5\n}\n"
        + instance(tracks("p", kind="track_process")),
        [CheckScript(interval_s=0, timeout_s=0, weight=-10, by="process", delay_s=0.5)],
    ),
}


@pytest.mark.parametrize(("text", "expected"), SETTINGS.values(), ids=SETTINGS)
def test_settings_are_those_that_keepalived_runs_with(tmp_path: Path, text: str, expected: dict[str, object]) -> None:
    found = read(tmp_path, text)
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(("text", "expected"), CHECKS.values(), ids=CHECKS)
def test_checks_are_those_that_notice_a_dead_balancer(tmp_path: Path, text: str, expected: list[CheckScript]) -> None:
    assert list(read(tmp_path, text).checks) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "has no vrrp_instance"),
        ("vrrp_instance {\n}", ":1: 'vrrp_instance' has no name"),
        ("{\n}\n", ":1: a '{' without a name before it"),
        ('vrrp_instance "A {\n}', ":1: a quote that is never closed"),
        ("@lb1 vrrp_instance A {\n}", ":1: '@lb1' applies to one node only"),
        ("vrrp_instance {{ name }} {\n}", ":1: the file contains template braces"),
        (
            "$A = x \\\n",
            ":1: a definition over several lines is not supported: write its lines in place of its name",
        ),
        ("$A=${B}\n$B=${A} x\n$A\n", ":3: definitions that refer to each other without end"),
        ("~LST(N, a, b) x $N\n", ":1: ~LST is not supported: replace it with the lines that it generates"),
        (script("weight -5 reverse") + instance(tracks("c")), ":7: 'c' has a reversed weight"),
        ("}\n", ":1: a '}' that closes no block"),
        ("vrrp_instance A {\n", ":1: 'vrrp_instance A' opens a block that is never closed"),
        ("vrrp_instance A {\nstate SLAVE\n}", ":1: 'state SLAVE' is neither MASTER nor BACKUP"),
        ("vrrp_instance A {\nunicast_src_ip\n}", ":2: 'unicast_src_ip' has no value: Keepalived refuses"),
        ("vrrp_instance A {\nstate\n}", ":2: 'state' has no value: Keepalived refuses"),
        ("include keepalived.conf\n", "includes more than 64 files, or itself"),
        ("include\n", "needs one file name"),
        ("vrrp_instance {\n" * 50, "more than 16 nested blocks"),
        ("priority \0 10", "contains binary data"),
        ("# " + "x" * (1 << 20), "larger than 1,048,576 bytes"),
    ],
)
def test_what_has_no_meaning_is_one_line_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(TargetError) as caught:
        read(tmp_path, text)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "keepalived.conf" in str(caught.value)


def test_words_without_a_meaning_are_skipped_as_in_keepalived(tmp_path: Path) -> None:
    path = tmp_path / "keepalived.conf"
    path.write_text(
        "include missing.conf\nvrrp_instance A {\nvirtual_ipaddress {\nVIP\n192.0.2.50\n}\ntrack_script {\nc\n}\n"
        "authentication {\nauth_type SIMPLE\nauth_pass x\n}\n}\n"
    )
    conf = read_conf(path)
    found = conf.instance()
    assert (found.addresses, found.trackers, found.authentication) == (("192.0.2.50",), (), "")
    assert conf.not_included == (f"{path}:1: 'include missing.conf'",)


@pytest.mark.parametrize(
    ("line", "bounds"),
    [
        *(
            (f"priority {text}", "a whole number from 1 to 255")
            for text in ("high", "256", "²", "0x10", "10.5", "-1")
        ),
        ("advert_int nan", "a plain number from 0.01 to 255"),
        ("advert_int 1e1", "a plain number from 0.01 to 255"),
        ("advert_int 1s", "a plain number from 0.01 to 255"),
        ("advert_int", "a plain number from 0.01 to 255"),
        ("version 4", "a whole number from 2 to 3"),
        ("virtual_router_id 999", "a whole number from 1 to 255"),
        ("preempt_delay 1001", "a plain number from 0 to 1000"),
    ],
)
def test_a_number_that_is_no_plain_decimal_within_its_bounds_is_refused(
    tmp_path: Path, line: str, bounds: str
) -> None:
    with pytest.raises(TargetError, match=rf"keepalived.conf:2: {line!r} must have {bounds}$"):
        read(tmp_path, instance(line))


def test_the_password_is_in_no_text(tmp_path: Path) -> None:
    path = tmp_path / "keepalived.conf"
    path.write_text(instance("authentication {", "auth_type PASS", "auth_pass hush", "}"))
    found = read_conf(path).instance()
    assert found.password == "hush"
    assert "hush" not in repr(found)


BLOCKS = ("vrrp_instance", "vrrp_script", "vrrp_sync_group", "group", "track_script", "track_process", "{", "}", "\n")
VALUES = ("VI_1", "priority", "10", "weight", "-20", "reverse", "advert_int", "0.5", "nan", "-1", "99999999999")
MARKS = ("include", "*", "..", "/", "$A", "$A=", "${A}", '"', "\\", "#", "!", "@", "~", "\t", "\x0b", "\x1b")
WORDS = st.sampled_from((*BLOCKS, *VALUES, *MARKS))


@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.lists(WORDS, max_size=40).map(" ".join), st.text(max_size=200)))
@example("vrrp_instance A {\n" + "priority 1\n" * 1000 + "}")
@example("include /\n")
@example("include \x85\n")
def test_garbage_is_settings_or_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "keepalived.conf"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        found = read_conf(path).instance().settings
    except TargetError as error:
        assert str(error).count("\n") == 0
    else:
        assert 1 <= found.priority <= 255
