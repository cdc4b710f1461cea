"""Every number that a prediction reads, held against the installed Keepalived: its own dump of what it runs with."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.keepalived_dump import KEEPALIVED, Dump, dump
from support.number_rules import RULES
from switchover.faults.keepalived import number_rules
from switchover.faults.keepalived.block import Block
from switchover.faults.keepalived.conf import read_conf
from switchover.faults.keepalived.instance import VrrpInstance
from switchover.faults.keepalived.number_rules import NumberRule

pytestmark = [
    pytest.mark.integration,
    pytest.mark.beside,
    pytest.mark.skipif(KEEPALIVED is None, reason="Keepalived is not installed"),
]

OF_INSTANCE = {
    "version": "VRRP Version",
    "virtual_router_id": "Virtual Router ID",
    "priority": "Priority",
    "advert_int": "Advert interval",
    "preempt_delay": "Preempt delay",
    "down_timer_adverts": "Down timer adverts",
}
OF_SCRIPT = {"interval": "Interval", "timeout": "Timeout", "rise": "Rise", "fall": "Fall", "weight": "Weight"}
UNSENDABLE = range(40_955_000, 40_960_000)
"""Microseconds of advert_int that Keepalived before 2.3.2 rounds to 40.96 s, which its adverts cannot say."""


def texts(rule: NumberRule) -> list[str]:
    """Numbers at the bounds, beside them, between them; with signs, decimals, and something behind them."""
    places = max(rule.places, 1)
    low, high = f"{rule.low:.{places}f}".rstrip("0").rstrip("."), f"{rule.high:g}".replace("e+09", "000000000")
    middle = "2" if rule.high < 1000 else "77"
    decimals = ["0.125", "0.015", "1.5", "1.4999999", "2.0000005", "0.0100049", "3.7", "41", "40.95", "40.954"]
    odd = [
        f"{middle}s",
        f"+{middle}",
        "0x10",
        "1e1",
        "abc",
        "-1",
        "-0",
        "99999999999999999999",
        f" {middle}",
        "1.2.3",
    ]
    beside = [str(int(rule.low) - 1), str(int(rule.high) + 1), f"0{middle}", "0", "1", middle]
    return [low, high, *beside, *decimals, *odd]


def instance(name: str, router_id: int | None, *lines: str) -> str:
    head = [] if router_id is None else [f"virtual_router_id {router_id}"]
    body = "\n  ".join(["interface d0", *head, *lines, f"virtual_ipaddress {{ 192.0.2.{router_id or 1} }}"])
    return f"vrrp_instance {name} {{\n  {body}\n}}\n"


def seconds(value: str) -> float:
    number, _, unit = value.partition(" ")
    return float(number) / (1000 if unit.startswith("milli") else 1)


def of_instance(instance: VrrpInstance, keyword: str) -> float:
    values = instance.settings
    return {
        "version": values.version,
        "virtual_router_id": instance.router_id or 0,
        "priority": values.priority,
        "advert_int": values.advert_int_s,
        "preempt_delay": values.preempt_delay_s,
        "down_timer_adverts": values.down_timer_adverts,
    }[keyword]


def assert_instances_agree(conf: Path, found: Dump) -> None:
    """Every number of every instance that runs."""
    ours = {one.name: one for one in read_conf(conf).instances}
    assert set(found.instances) == {name for name, one in ours.items() if one.router_id is not None}
    for name, values in found.instances.items():
        for keyword, said in OF_INSTANCE.items():
            theirs = seconds(values.get(said, "0"))
            assert of_instance(ours[name], keyword) == pytest.approx(theirs, rel=1e-5), (name, keyword, values)


RULES_OF_INSTANCE = [rule for rule in RULES if rule.block == "vrrp_instance" and rule.keyword in OF_INSTANCE]


@pytest.mark.parametrize("rule", RULES_OF_INSTANCE, ids=lambda rule: str(rule.keyword))
@pytest.mark.parametrize("version", [2, 3])
def test_a_number_of_an_instance(rule: NumberRule, version: int, tmp_path: Path) -> None:
    conf = tmp_path / "keepalived.conf"
    free = iter(range(20, 250))
    lines = [f"global_defs {{\nvrrp_version {version}\n}}\n"]
    for number, text in enumerate(texts(rule)):
        line = f'{rule.keyword} "{text}"'
        before = "advert_int 7" if rule is number_rules.ADVERT_INT else "preempt_delay 7"
        if rule is not number_rules.ROUTER_ID:
            lines += [instance(f"A{number}", next(free), line), instance(f"B{number}", next(free), before, line)]
    if rule is number_rules.ROUTER_ID:
        for text in ("1", "255", "77", "+78"):
            conf.write_text("".join(lines) + instance("A", None, f'{rule.keyword} "{text}"'))
            assert_instances_agree(conf, dump(conf))
        refused = ["0", "256", "5x", "-1", "", "5.0"]
        lines += [instance(f"A{text}", next(free), f'{rule.keyword} "{text}"') for text in refused]
    conf.write_text("".join(lines))
    assert_instances_agree(conf, dump(conf))


@pytest.mark.parametrize("rule", [number_rules.VRRP_VERSION, number_rules.GLOBAL_DOWN_TIMER], ids=lambda r: r.keyword)
@pytest.mark.parametrize("text", ["1", "2", "3", "4", "3x", "100", "101", "abc"])
def test_a_number_of_the_globals(rule: NumberRule, text: str, tmp_path: Path) -> None:
    conf = tmp_path / "keepalived.conf"
    conf.write_text(f"global_defs {{\n{rule.keyword} {text}\n}}\n" + instance("A", 20))
    assert_instances_agree(conf, dump(conf))


@pytest.mark.parametrize("text", ["0", "0.0005", "0.001", "1.5", "2s", "30", "4294.967295", "4295"])
def test_the_delay_after_a_start(text: str, tmp_path: Path) -> None:
    conf = tmp_path / "keepalived.conf"
    conf.write_text(f"global_defs {{\nvrrp_startup_delay {text}\n}}\n" + instance("A", 20))
    ours = number_rules.STARTUP_DELAY.read(text) or 0.0
    assert ours == pytest.approx(float(dump(conf).globals.get("vrrp_startup_delay", "0")), rel=1e-5)


RULES_OF_SCRIPT = [
    number_rules.WHOLE_INTERVAL,
    number_rules.WHOLE_TIMEOUT,
    number_rules.RISE,
    number_rules.FALL,
    number_rules.SCRIPT_WEIGHT,
]


@pytest.mark.parametrize("rule", RULES_OF_SCRIPT, ids=lambda rule: str(rule.keyword))
def test_a_number_of_a_script(rule: NumberRule, tmp_path: Path) -> None:
    """Keepalived 2.2.7 reads whole seconds; the rule for fractions is that of 2.3.2 and later."""
    conf = tmp_path / "keepalived.conf"
    cases = dict(enumerate(texts(rule)))
    scripts = [
        f'vrrp_script s{number} {{\nscript /bin/true\n{rule.keyword} "{text}"\n}}\n' for number, text in cases.items()
    ]
    tracked = "\n".join(f"s{number}" for number in cases)
    head = "global_defs {\nscript_user root\n}\n"
    conf.write_text(head + "".join(scripts) + instance("A", 20, f"track_script {{\n{tracked}\n}}"))
    found = dump(conf)
    assert len(found.scripts) == len(cases)
    for number, text in cases.items():
        ours = rule.read(text)
        ours = rule.after_refusal(text, rule.default) if ours is None else ours
        assert float(ours or 0) == seconds(found.scripts[f"s{number}"][OF_SCRIPT[rule.keyword]]), text


@pytest.mark.parametrize("kind", ["track_script", "track_interface", "track_file"])
def test_a_weight_behind_a_tracked_name(kind: str, tmp_path: Path) -> None:
    conf = tmp_path / "keepalived.conf"
    cases = texts(number_rules.TRACKED_SCRIPT)
    text = "global_defs {\nscript_user root\n}\nvrrp_script t {\nscript /bin/true\nweight 5\n}\n"
    text += "track_file t {\nfile /dev/null\nweight 5\n}\n"
    name = "d1" if kind == "track_interface" else "t"
    for number, weight in enumerate(cases):
        text += instance(f"A{number}", 20 + number, f'{kind} {{\n{name} weight "{weight}"\n}}')
    conf.write_text(text)
    found = dump(conf)
    assert len(found.instances) == len(cases)
    for one in read_conf(conf).instances:
        (tracker,) = one.trackers
        assert tracker.check.weight == int(found.instances[one.name][f"weight of {name}"]), (one.name, cases)


@pytest.mark.parametrize(
    ("rule", "body", "complaint"),
    [
        (number_rules.PROCESS_WEIGHT, "process p", "Weight "),
        (number_rules.PROCESS_DELAY, "process p", "delay "),
        (number_rules.TERMINATE_DELAY, "process p", "terminate_delay "),
        (number_rules.FILE_WEIGHT, "file /dev/null", "Weight "),
        (number_rules.BFD_WEIGHT, "neighbor_ip 192.0.2.251", "not valid"),
    ],
    ids=lambda value: f"{value.block} {value.keyword}" if isinstance(value, NumberRule) else "",
)
def test_a_number_is_refused_where_keepalived_refuses_it(
    rule: NumberRule, body: str, complaint: str, tmp_path: Path
) -> None:
    """Where the dump shows nothing (not every kernel tells process events), the lines of its complaints do."""
    conf = tmp_path / "keepalived.conf"
    cases = [text for text in texts(rule) if re.fullmatch(r"-?\d+(?:\.\d{1,6})?" if rule.places else r"-?\d+", text)]
    text = "".join(
        f'{rule.block} n{number} {{\n{body}\n{rule.keyword} "{case}"\n}}\n' for number, case in enumerate(cases)
    )
    conf.write_text(text)
    said = subprocess.run(
        [str(KEEPALIVED), "--config-test", "-f", str(conf)], capture_output=True, text=True, check=False, timeout=30
    ).stderr
    refused = {int(n) for n, what in re.findall(r"Line (\d+)\) (.*)", said) if complaint in what}
    assert refused == {4 * number + 3 for number, case in enumerate(cases) if rule.read(case) is None}, said


def test_an_advert_that_2_2_7_cannot_say_is_noted(tmp_path: Path) -> None:
    """Rounding 40.955 s makes 40.96, whose twelve bits are 0; Keepalived 2.3.2 and later take 40.95."""
    conf = tmp_path / "keepalived.conf"
    conf.write_text("global_defs {\nvrrp_version 3\n}\n" + instance("A", 20, "advert_int 40.955"))
    found = dump(conf).instances["A"]["Advert interval"]
    assert found in ("40960 milli-sec", "40950 milli-sec")
    ours = read_conf(conf).instance()
    assert ours.settings.advert_int_s == 40.95
    assert any("before 2.3.2 its adverts say 0" in remark.text for remark in ours.remarks)


@pytest.mark.parametrize("keyword", ["priority", "advert_int", "preempt_delay", "version"])
def test_keepalived_stops_at_a_keyword_without_its_number(keyword: str, tmp_path: Path) -> None:
    conf = tmp_path / "keepalived.conf"
    conf.write_text(instance("A", 20, keyword))
    assert "missing a parameter" in dump(conf).said


def numbers() -> st.SearchStrategy[str]:
    """Any text that may stand where a number should: mostly numbers, some of them odd."""
    whole = st.integers(-5, 300).map(str)
    any_whole = st.integers(-(2**70), 2**70).map(str)
    decimals = st.decimals(0, 260, places=8, allow_nan=False).map(lambda d: f"{d:f}".rstrip("0"))
    hundredths = st.integers(0, 4200).map(lambda n: f"{n / 100:g}")
    odd = st.text("0123456789.+-exs ", min_size=1, max_size=9)
    return st.one_of(whole, any_whole, decimals, hundredths, odd)


ANY_INSTANCE = st.fixed_dictionaries(
    {},
    optional={
        "version": st.sampled_from(["2", "3", "3x", "1"]),
        "priority": numbers(),
        "advert_int": numbers(),
        "preempt_delay": numbers(),
        "down_timer_adverts": numbers(),
    },
)


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(ANY_INSTANCE, min_size=60, max_size=200), st.sampled_from([2, 3]))
def test_any_number_is_read_as_keepalived_reads_it(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[dict[str, str]], version: int
) -> None:
    conf = tmp_path_factory.mktemp("any") / "keepalived.conf"
    text = f"global_defs {{\nvrrp_version {version}\n}}\n"
    for number, lines in enumerate(_sendable(drawn)):
        text += instance(f"A{number}", 20 + number, *(f'{name} "{value}"' for name, value in lines.items()))
    conf.write_text(text)
    assert_instances_agree(conf, dump(conf))


def _sendable(drawn: list[dict[str, str]]) -> Iterator[dict[str, str]]:
    """Without the adverts that versions round differently, which have a test of their own."""
    for lines in drawn:
        advert = number_rules.ADVERT_INT.read(lines.get("advert_int", "1"))
        if round((advert or 0) * 1e6) not in UNSENDABLE:
            yield lines


def test_without_a_line_the_default_of_each_rule_counts(tmp_path: Path) -> None:
    conf = tmp_path / "keepalived.conf"
    conf.write_text(instance("A", 20))
    assert_instances_agree(conf, dump(conf))
    nothing = Block(())
    assert all(nothing.number(rule) == rule.default for rule in RULES)
