import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from switchover.faults.catalogue import CATALOGUE
from switchover.model.errors import TargetError
from switchover.model.vrrp import CheckScript, KeepalivedSettings
from switchover.predict.keepalived import read_conf
from switchover.predict.prediction import Pair

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


def test_a_script_beside_the_configuration_says_what_it_looks_at(tmp_path: Path) -> None:
    (tmp_path / "check.sh").write_text("#!/bin/sh\n# no pidof here\ncurl -sf -m 3 http://localhost/ || exit 1\n")
    text = 'vrrp_script c {\nscript "/bin/sh /etc/keepalived/check.sh"\n}\n' + instance("track_script { c }")
    found = read(tmp_path, text)
    assert found.check is not None and found.check.by == "http"


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


SYNCED = "vrrp_sync_group G {\ngroup {\nVI_1\n}\n%s}\nvrrp_script c {\nscript haproxy\nweight -5\n}\n"


def test_a_sync_group_ignores_the_weighted_scripts_of_its_members(tmp_path: Path) -> None:
    assert read(tmp_path, SYNCED % "" + instance("track_script { c }")).check is None


def test_a_sync_group_may_keep_the_weights(tmp_path: Path) -> None:
    found = read(tmp_path, SYNCED % "sync_group_tracking_weight\n" + instance("track_script { c }"))
    assert found.check is not None and found.check.weight == -5


def test_what_the_group_itself_tracks_keeps_its_weight(tmp_path: Path) -> None:
    found = read(tmp_path, SYNCED % "track_script {\nc\n}\n" + instance())
    assert found.check is not None and found.check.weight == -5


def test_a_member_that_fails_takes_its_group_along(tmp_path: Path) -> None:
    text = "vrrp_sync_group G {\ngroup {\nVI_1\nVI_2\n}\n}\nvrrp_script c {\nscript haproxy\n}\n"
    found = read(tmp_path, text + instance() + "\nvrrp_instance VI_2 {\ntrack_script {\nc\n}\n}")
    assert found.check is not None and found.check.weight == 0


def test_a_sync_group_waits_for_its_slowest_member(tmp_path: Path) -> None:
    text = "vrrp_sync_group G {\ngroup {\nVI_1\nVI_2\n}\n}\n"
    other = "\nvrrp_instance VI_2 {\nadvert_int 2\npriority 50\n}"
    node = read(tmp_path, text + instance("priority 100") + other)
    pair = Pair(node, node)
    assert pair.silence == (6 + 206 / 256 - 2, 6 + 206 / 256)
    assert pair.resignation_s == 206 / 256
    assert not CATALOGUE["node-down"].predict(node, node).uniform


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
        ("{\n}\n", ":1: a '{' with nothing before it"),
        ('vrrp_instance "A {\n}', ":1: a quote that is never closed"),
        ("@lb1 vrrp_instance A {\n}", ":1: '@lb1' holds for one node only"),
        ("vrrp_instance {{ name }} {\n}", ":1: a template's braces"),
        ("$A=$A x\n$A\n", "fill in one another without end"),
        ("~SEQ(N, 1, 3) vrrp_instance VI_$N {\n}\n", ":1: ~SEQ is not read: write out the lines that it makes"),
        ("~LST(N, a, b) x $N\n", ":1: ~LST is not read: write out the lines that it makes"),
        (
            "".join(f"$A{n}= \\\n$A{n - 1} \\\n$A{n - 1}\n" for n in range(1, 20)) + "$A19\n",
            "more than 200,000 lines",
        ),
        ("vrrp_instance A {\nunicast_src_ip\n}", ":2: 'unicast_src_ip' has no value: Keepalived stops"),
        ("vrrp_instance A {\nstate\n}", ":2: 'state' has no value: Keepalived stops"),
        ("include keepalived.conf\n", "includes more than 64 files, or itself"),
        ("include\n", "needs one file name"),
        ("vrrp_instance {\n" * 50, "more than 16 blocks in one another"),
        ("priority \0 10", "holds binary data"),
        ("# " + "x" * (1 << 20), "larger than 1,048,576 bytes"),
    ],
)
def test_what_has_no_meaning_is_one_line_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(TargetError) as caught:
        read(tmp_path, text)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "keepalived.conf" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("}\nvrrp_instance A {\n}", ":1 a '}' that closes nothing"),
        ("vrrp_instance A {\nstate SLAVE\n}", "'state SLAVE' is no state: Keepalived takes BACKUP"),
        ("vrrp_instance A {\nvirtual_ipaddress {\nVIP\n}\n}", "'VIP' in virtual_ipaddress is no address"),
        ("vrrp_instance A {\ntrack_script {\nc\n}\n}", ":3 'c' is tracked, but there is no vrrp_script"),
        ("vrrp_instance A {\nauthentication {\nauth_type SIMPLE\n}\n}", "unknown authentication type 'SIMPLE'"),
        ("vrrp_instance A {\nauthentication {\nauth_type PASS\n}\n}", "authentication without auth_pass"),
        ("include missing.conf\nvrrp_instance A {\n}", ":1 'include missing.conf' finds no file here"),
        ("vrrp_instance A {\nstate MASTER\npreempt_delay 5\n}", "state MASTER clears preempt_delay"),
        ("vrrp_instance A {\nnopreempt\npreempt_delay 5\n}", "nopreempt clears preempt_delay"),
        ("vrrp_instance A {\npriorty 5\n}", ":2 unknown word 'priorty': Keepalived ignores it. Is it 'priority'?"),
    ],
)
def test_what_keepalived_ignores_is_said_with_its_place(tmp_path: Path, text: str, remark: str) -> None:
    path = tmp_path / "keepalived.conf"
    path.write_text(text)
    conf = read_conf(path)
    said = [re.sub(r"(.*) \[.*(:\d+)\]$", r"\2 \1", found) for found in (*conf.remarks, *conf.instance().remarks)]
    assert any(remark in line for line in said), said


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


def test_state_master_clears_nopreempt(tmp_path: Path) -> None:
    assert read(tmp_path, instance("state MASTER", "priority 101", "nopreempt")).preempt


def test_state_master_without_priority_is_the_owner(tmp_path: Path) -> None:
    assert read(tmp_path, instance("state MASTER")).priority == 255
    assert read(tmp_path, instance("state BACKUP")).priority == 100


@pytest.mark.parametrize(
    ("lines", "delay_s"),
    [
        (("priority 255",), 0.0),
        (("priority 255", "state BACKUP"), 5.0),
        (("priority 101", "state MASTER"), 0.0),
        (("priority 101", "state SLAVE"), 5.0),
    ],
)
def test_the_first_master_waits_for_nobody(tmp_path: Path, lines: tuple[str, ...], delay_s: float) -> None:
    assert read(tmp_path, instance(*lines, "preempt_delay 5")).preempt_delay_s == delay_s


def test_strict_mode_makes_a_master_of_the_owner_alone(tmp_path: Path) -> None:
    found = read(tmp_path, instance("strict_mode", "state MASTER", "priority 101", "nopreempt"))
    assert not found.preempt


def test_the_names_in_a_tracked_list_of_files_are_read(tmp_path: Path) -> None:
    text = "track_file drain {\nfile /tmp/f\nweight 5\n}\n"
    read(tmp_path, text + instance("track_file {", "drain weight -30", "}"))
    (tracker,) = read_conf(tmp_path / "keepalived.conf").instance().trackers
    assert (tracker.name, tracker.check.weight) == ("drain", -30)


def test_the_owner_knows_no_weights(tmp_path: Path) -> None:
    script = "vrrp_script c {\nscript haproxy\nweight -50\n}\n"
    found = read(tmp_path, script + instance("priority 255", "track_script {", "c", "}"))
    assert (found.effective_priority, found.check) == (255, None)


def test_an_ipv6_address_means_version_3(tmp_path: Path) -> None:
    text = "global_defs {\nvrrp_version 2\n}\n" + instance("virtual_ipaddress {", "2001:db8::50/64", "}")
    assert read(tmp_path, text).version == 3


@pytest.mark.parametrize(("weight", "effective"), [(50, 150), (-50, 100), (200, 254)])
def test_a_positive_weight_counts_while_the_check_passes(tmp_path: Path, weight: int, effective: int) -> None:
    script = f"vrrp_script c {{\nscript haproxy\nweight {weight}\n}}\n"
    found = read(tmp_path, script + instance("track_script {", "c", "}"))
    assert found.effective_priority == effective
    assert found.skew_s == (256 - effective) / 256


def test_interfaces_and_processes_add_their_weight_while_all_is_well(tmp_path: Path) -> None:
    text = "vrrp_track_process p {\nprocess ntpd\nweight 7\n}\ntrack_file f {\nfile /tmp/f\nweight 9\n}\n"
    lines = ("track_interface {", "eth1 weight 5", "}", "track_process {", "p", "}", "track_file {", "f", "}")
    found = read(tmp_path, text + instance(*lines))
    assert (found.other_weights, found.effective_priority, found.check) == (12, 112, None)


def test_every_script_about_the_balancer_counts(tmp_path: Path) -> None:
    text = "vrrp_script a {\nscript pidof_haproxy\nweight -3\n}\nvrrp_script b {\nscript curl\nweight -5\n}\n"
    found = read(tmp_path, text + instance("track_script {", "a", "b", "}"))
    assert [check.weight for check in found.checks] == [-3, -5]


def test_a_script_may_run_every_fraction_of_a_second(tmp_path: Path) -> None:
    script = "vrrp_script c {\nscript haproxy\ninterval 0.2\ntimeout 0.5\n}\n"
    found = read(tmp_path, script + instance("track_script {", "c", "}")).check
    assert found is not None and (found.interval_s, found.timeout_s, found.latest_s) == (0.2, 0.5, 0.2)


def test_a_process_that_may_come_back_is_waited_for(tmp_path: Path) -> None:
    text = "vrrp_track_process p {\nprocess haproxy\nterminate_delay 0.5\n}\n"
    found = read(tmp_path, text + instance("track_process {", "p", "}")).check
    assert found is not None and (found.soonest_s, found.latest_s) == (0.5, 0.5)


def test_the_password_is_in_no_text(tmp_path: Path) -> None:
    path = tmp_path / "keepalived.conf"
    path.write_text(instance("authentication {", "auth_type PASS", "auth_pass hush", "}"))
    found = read_conf(path).instance()
    assert found.password == "hush"
    assert "hush" not in repr(found)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match=r"cannot read .*No such file"):
        read_conf(tmp_path / "none.conf")


def test_a_directory_is_said(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="Is a directory"):
        read_conf(tmp_path)


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
        found = read_conf(path).instance().settings
    except TargetError as error:
        assert str(error).count("\n") == 0
    else:
        assert 1 <= found.priority <= 255
