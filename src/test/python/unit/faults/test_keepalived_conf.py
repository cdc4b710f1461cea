from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from switchover.faults.keepalived.conf import read_keepalived_conf
from switchover.model.errors import TargetError
from switchover.model.vrrp import CheckScript, KeepalivedSettings

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
    state MASTER
    interface eth0
    virtual_router_id 51
    priority 101
    advert_int 0.5
    nopreempt
    preempt_delay 2.5
    authentication { auth_type PASS auth_pass "se{cr}et # no comment" }
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
    return read_keepalived_conf(path, instance)


def instance(*lines: str) -> str:
    return "\n".join(["vrrp_instance VI_1 {", *lines, "}"])


def test_everything_that_decides_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, FULL) == KeepalivedSettings(
        priority=101,
        advert_int_s=0.5,
        version=3,
        preempt=False,
        preempt_delay_s=2.5,
        down_timer_adverts=4,
        unicast=True,
        instance="VI_1",
        check=CheckScript(interval_s=2, timeout_s=1, fall=3, rise=2, weight=-20, by="process"),
    )


def test_what_is_not_said_is_keepaliveds_default(tmp_path: Path) -> None:
    assert read(tmp_path, "vrrp_instance VI_1 { }") == KeepalivedSettings()


def test_the_instance_overrides_the_globals(tmp_path: Path) -> None:
    text = "global_defs { vrrp_version 3 \n vrrp_down_timer_adverts 4 }\n" + instance(
        "version 2", "down_timer_adverts 5"
    )
    found = read(tmp_path, text)
    assert (found.version, found.down_timer_adverts) == (2, 5)


def test_the_first_instance_or_the_named_one(tmp_path: Path) -> None:
    text = "vrrp_instance A { priority 10 }\nvrrp_instance B { priority 20 }"
    assert read(tmp_path, text).priority == 10
    assert read(tmp_path, text, "B").priority == 20
    with pytest.raises(TargetError, match="no vrrp_instance C; it has: A, B"):
        read(tmp_path, text, "C")


def test_a_tracked_script_may_override_its_weight(tmp_path: Path) -> None:
    script = "vrrp_script chk { script pidof \n weight -2 }\n"
    found = read(tmp_path, script + instance("track_script {", "chk weight -30", "}"))
    assert found.check is not None and found.check.weight == -30


def test_weight_0_is_the_default_and_the_timeout_one_interval(tmp_path: Path) -> None:
    found = read(tmp_path, "vrrp_script c {\nscript x\ninterval 4\n}\n" + instance("track_script { c }"))
    assert found.check == CheckScript(interval_s=4, timeout_s=4, weight=0, by="unknown")


@pytest.mark.parametrize(
    ("script", "by"),
    [
        ("/bin/pidof haproxy", "process"),
        ("killall -0 haproxy", "process"),
        ("/usr/bin/pgrep -x nginx", "process"),
        ("/usr/bin/systemctl is-active haproxy", "process"),
        ("curl -sf http://localhost/health", "http"),
        ("/usr/bin/python3 /etc/check_http.py 80", "http"),
        ("/etc/keepalived/check.sh", "unknown"),
    ],
)
def test_what_a_script_looks_at_is_told_by_its_command(tmp_path: Path, script: str, by: str) -> None:
    text = f'vrrp_script c {{\nscript "{script}"\n}}\n' + instance("track_script { c }")
    found = read(tmp_path, text)
    assert found.check is not None and found.check.by == by


def test_of_several_scripts_the_one_about_the_balancer_counts(tmp_path: Path) -> None:
    text = "vrrp_script a { script pidof_ntpd }\nvrrp_script b {\nscript haproxy_alive\nweight -5\n}\n"
    found = read(tmp_path, text + instance("track_script {", "a", "b", "}"))
    assert found.check is not None and found.check.weight == -5


def test_a_reversed_check_does_not_count(tmp_path: Path) -> None:
    text = "vrrp_script c {\nscript haproxy\nweight -5 reverse\n}\n" + instance("track_script { c }")
    assert read(tmp_path, text).check is None


def test_a_script_that_nobody_tracks_does_not_count(tmp_path: Path) -> None:
    assert read(tmp_path, "vrrp_script c { script haproxy }\n" + instance()).check is None


def test_a_tracked_process_is_known_at_once(tmp_path: Path) -> None:
    text = "vrrp_track_process p {\nprocess haproxy\nweight -10\n}\n" + instance("track_process { p }")
    found = read(tmp_path, text)
    assert found.check is not None
    assert (found.check.soonest_s, found.check.latest_s, found.check.weight) == (0.0, 0.0, -10)


def test_in_a_sync_group_weights_are_zero(tmp_path: Path) -> None:
    text = "vrrp_sync_group G { group {\nVI_1\n} }\nvrrp_script c {\nscript haproxy\nweight -5\n}\n"
    found = read(tmp_path, text + instance("track_script { c }"))
    assert found.check is not None and found.check.weight == 0


def test_definitions_are_filled_in(tmp_path: Path) -> None:
    assert read(tmp_path, "$PRIO=77\n" + instance("priority ${PRIO}")).priority == 77


def test_includes_are_followed(tmp_path: Path) -> None:
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d" / "a.conf").write_text("vrrp_script c { script haproxy \n weight -7 }")
    (tmp_path / "inner").write_text("priority 42\ntrack_script { c }")
    found = read(tmp_path, "include conf.d/*.conf\ninclude conf.d/*.none\n" + instance("include inner"))
    assert found.priority == 42
    assert found.check is not None and found.check.weight == -7


def test_a_later_line_wins(tmp_path: Path) -> None:
    assert read(tmp_path, instance("priority 10", "priority 20")).priority == 20


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "has no vrrp_instance"),
        ("vrrp_instance {\n}", ":1: 'vrrp_instance' has no name"),
        ("vrrp_instance A {\npriority 10\n", ":1: 'vrrp_instance A' opens a block that is never closed"),
        ("}\n", ":1: a '}' that closes nothing"),
        ("{\n}\n", ":1: a '{' with nothing before it"),
        ("vrrp_instance A {\npriority high\n}", ":2: 'priority high' must have a whole number from 1 to 255"),
        ("vrrp_instance A {\npriority 256\n}", "from 1 to 255"),
        ("vrrp_instance A {\npriority ²\n}", "from 1 to 255"),
        ("vrrp_instance A {\npriority\n}", "from 1 to 255"),
        ("vrrp_instance A {\nadvert_int nan\n}", ":2: 'advert_int nan' must have a number from 0.01 to 255"),
        ("vrrp_instance A {\nadvert_int 1e9\n}", "must have a number"),
        ("vrrp_instance A {\nversion 4\n}", "from 2 to 3"),
        ("vrrp_instance A {\ntrack_script {\nc\n}\n}", ":3: 'c' is tracked, but there is no vrrp_script"),
        ('vrrp_instance "A {\n}', ":1: a quote that is never closed"),
        ("@lb1 vrrp_instance A {\n}", ":1: '@lb1 vrrp_instance A {' depends on how Keepalived is started"),
        ("$A=b \\\nc\n", ":1: a definition over several lines"),
        ("include missing.conf\n", ":1: 'include missing.conf' is not here"),
        ("include keepalived.conf\n", "includes more than 64 files, or itself"),
        ("include\n", "needs one file name"),
        ("a {\n" * 50, "more than 16 blocks in one another"),
        ("priority \0 10", "holds binary data"),
        ("# " + "x" * (1 << 20), "larger than 1,048,576 bytes"),
    ],
)
def test_what_is_wrong_is_one_line_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(TargetError) as caught:
        read(tmp_path, text)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "keepalived.conf" in str(caught.value)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match=r"cannot read .*No such file"):
        read_keepalived_conf(tmp_path / "none.conf")


def test_a_directory_is_said(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="Is a directory"):
        read_keepalived_conf(tmp_path)


BLOCKS = ("vrrp_instance", "vrrp_script", "vrrp_sync_group", "group", "track_script", "track_process", "{", "}", "\n")
VALUES = ("VI_1", "priority", "10", "weight", "-20", "reverse", "advert_int", "0.5", "nan", "-1", "99999999999")
MARKS = ("include", "*", "..", "/", "$A", "$A=", "${A}", '"', "\\", "#", "!", "@", "~", "\t", "\x0b", "\x1b")
WORDS = st.sampled_from((*BLOCKS, *VALUES, *MARKS))


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.lists(WORDS, max_size=40).map(" ".join), st.text(max_size=200)))
@example("vrrp_instance A {\n" + "priority 1\n" * 1000 + "}")
@example("$A=$A$A$A\n$A")
@example("include /\n")
@example("include \x85\n")
def test_garbage_is_settings_or_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "keepalived.conf"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        found = read_keepalived_conf(path)
    except TargetError as error:
        assert str(error).count("\n") == 0
    else:
        assert 1 <= found.priority <= 255
