"""Numbers as Keepalived reads them; integration/test_keepalived_numbers.py holds the rules against the real one."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.checkout import CHECKOUT
from support.number_rules import RULES
from switchover.faults.keepalived import number_rules
from switchover.faults.keepalived.conf import read_conf
from switchover.faults.keepalived.instance import VrrpInstance
from switchover.faults.keepalived.number_rules import NumberRule
from switchover.model.errors import TargetError
from switchover.model.vrrp import round_advert_s


def read(place: Path, *lines: str, before: str = "") -> VrrpInstance:
    path = place / "keepalived.conf"
    path.write_text("\n".join([before, "vrrp_instance A {", *lines, "}"]))
    return read_conf(path).instance()


@pytest.mark.parametrize(
    ("version", "said", "sent_s"),
    [
        (3, "41", 40.95),
        (3, "0.125", 0.13),
        (3, "0.015", 0.02),
        (3, "0.0149999", 0.02),
        (3, "0.0100049", 0.01),
        (3, "40.955", 40.95),
        (3, "255", 40.95),
        (3, "256", 1.0),
        (3, "0.009", 1.0),
        (2, "0.4", 1.0),
        (2, "1.4", 1.0),
        (2, "1.5", 2.0),
        (2, "2s", 1.0),
    ],
)
def test_an_advert_interval_is_what_the_version_can_send(
    tmp_path: Path, version: int, said: str, sent_s: float
) -> None:
    assert read(tmp_path, f"version {version}", f"advert_int {said}").settings.advert_int_s == sent_s


@pytest.mark.parametrize(
    ("rule", "text", "value"),
    [
        (number_rules.PREEMPT_DELAY, "5s", 0.000005),
        (number_rules.PREEMPT_DELAY, "1.23456789", 1.234568),
        (number_rules.PREEMPT_DELAY, "1000", 1000.0),
        (number_rules.PREEMPT_DELAY, "1000.000001", None),
        (number_rules.PRIORITY, "100x", None),
        (number_rules.PRIORITY, "+100", 100),
        (number_rules.WHOLE_INTERVAL, "2.7", 2),
        (number_rules.WHOLE_INTERVAL, "0.5", 1),
        (number_rules.INTERVAL, "0.5", 0.5),
        (number_rules.INTERVAL, "2s", 0.002),
        (number_rules.INTERVAL, "0", 1.0),
        (number_rules.FALL, "3 times", 3),
        (number_rules.FALL, "0", None),
        (number_rules.TRACKED_SCRIPT, "-254", -253),
        (number_rules.TRACKED_FILE, "-254", -254),
        (number_rules.TRACKED_SCRIPT, "high", 0),
        (number_rules.DOWN_TIMER, "99999999999999999999999", None),
        (number_rules.DOWN_TIMER, "-18446744073709551611", 5),
    ],
)
def test_a_number_is_read_as_c_reads_it(rule: NumberRule, text: str, value: float | None) -> None:
    assert rule.read(text) == value


def test_a_script_keeps_a_weight_that_is_refused(tmp_path: Path) -> None:
    script = "vrrp_script c {\nscript haproxy\nweight 300\n}"
    found = read(tmp_path, "priority 100", "track_script {", "c", "}", before=script)
    assert found.settings.effective_priority == 254
    assert any("takes 300" in remark.text for remark in found.remarks)


def test_a_line_that_is_refused_leaves_the_earlier_one(tmp_path: Path) -> None:
    found = read(tmp_path, "version 3", "advert_int 0.5", "advert_int 0.001", "preempt_delay 4", "preempt_delay 4000")
    assert found.settings.advert_int_s == 0.5
    assert found.settings.preempt_delay_s == 0.0


def test_the_first_version_stands(tmp_path: Path) -> None:
    assert read(tmp_path, "version 3", "version 2").settings.version == 3


def test_version_2_behind_an_ipv6_address_is_ignored(tmp_path: Path) -> None:
    assert read(tmp_path, "virtual_ipaddress {", "fe80::1", "}", "version 2").settings.version == 3
    assert read(tmp_path, "version 2", "virtual_ipaddress {", "fe80::1", "}").settings.version == 2
    assert read(tmp_path, "strict_mode", "version 2", "virtual_ipaddress {", "fe80::1", "}").settings.version == 3


def test_the_later_line_about_a_process_counts(tmp_path: Path) -> None:
    process = "vrrp_track_process p {\nprocess haproxy\n%s\n}"
    for lines, delay_s in (("terminate_delay 2\ndelay 3", 3.0), ("delay 3\nterminate_delay 2", 2.0)):
        found = read(tmp_path, "track_process {", "p", "}", before=process % lines).settings.check
        assert found is not None and found.delay_s == delay_s


def test_what_older_versions_make_of_an_interval_is_said(tmp_path: Path) -> None:
    script = "vrrp_script c {\nscript haproxy\ninterval 2.7\n}"
    (remark,) = read(tmp_path, "track_script {", "c", "}", before=script).remarks
    assert remark.text == (
        "Keepalived before 2.3.2 reads interval 2 s, timeout 2 s; the windows take 2.7 s and 2.7 s"
    )


def test_a_delay_after_a_start_is_noted(tmp_path: Path) -> None:
    (remark,) = read(tmp_path, before="global_defs {\nvrrp_startup_delay 20\n}").remarks
    assert remark.text == "vrrp_startup_delay: a node that starts takes no part for 20 s, which is in no window"


def test_a_keyword_without_its_number_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match=r"keepalived.conf:3: 'priority' has no number: Keepalived stops"):
        read(tmp_path, "priority")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.block} {rule.keyword} {rule.since}")
@given(text=st.one_of(st.text(max_size=30), st.from_regex(r"[+-]?[0-9]{0,25}\.?[0-9]{0,9}[a-z]?", fullmatch=True)))
@example(text="")
@example(text="9" * 5000)
def test_any_text_is_a_number_within_the_bounds_or_none(rule: NumberRule, text: str) -> None:
    found = rule.read(text)
    if found is not None:
        assert rule.low <= found <= rule.high or found == rule.zero
        assert found == round(found, rule.places)
    rule.after_refusal(text, rule.default)


@given(st.floats(0.01, 255), st.sampled_from([2, 3]))
def test_an_interval_moves_by_half_of_what_the_version_counts_in(seconds: float, version: int) -> None:
    sent_s = round_advert_s(seconds, version)
    if version == 2:
        assert abs(sent_s - seconds) <= 0.5000005 or (sent_s == 1 and seconds < 1)
        assert sent_s == int(sent_s)
    else:
        assert abs(sent_s - seconds) <= 0.0050005 or (sent_s == 40.95 and seconds > 40.95)


def table_row(rule: NumberRule) -> str:
    unit = " s" if rule.is_time or rule.keyword in ("interval", "timeout") else ""
    low = f"{rule.low:.6f}".rstrip("0").rstrip(".")
    places = f"{rule.places} decimals" if rule.places else "whole"
    bounds = f"{low} to {rule.high:,.0f}{unit}, {places}"
    default = "" if rule.default is None else f"{rule.default:g}{unit}"
    refused = {"earlier": "the earlier one", "taken": "it counts"}.get(str(rule.refused), f"{rule.refused}{unit}")
    further = [rule.further] if rule.further else []
    if rule.zero is not None:
        further.append(f"0 is {rule.zero:g}{unit}")
    if rule.largest is not None:
        further.append(f"{rule.high:g} and {rule.low:g} are {rule.largest:g} and -{rule.largest:g}")
    if rule.first_stands:
        further.append("the first line stands")
    if not rule.lenient:
        further.append("nothing may stand behind it")
    cells = (f"`{rule.keyword}`", rule.block, bounds, default, refused, "; ".join(further), rule.since)
    return f"| {' | '.join(cells)} |".replace("  |", " |")


def test_the_table_of_numbers_is_the_documented_one() -> None:
    page = (CHECKOUT / "docs/proof/numbers.txt").read_text(encoding="utf-8")
    documented = page.partition("<!-- numbers -->\n")[2].partition("<!-- /numbers -->")[0].splitlines()[2:]
    assert documented == [table_row(rule) for rule in RULES]
