import pytest

from switchover.lab.options import parse_keepalived
from switchover.lab.spec import CheckKind, KeepalivedPair
from switchover.model.errors import UsageError
from switchover.model.vrrp import BY_HTTP, CheckScript


def test_nothing_said_keeps_the_defaults() -> None:
    assert parse_keepalived("") == KeepalivedPair()
    assert parse_keepalived("").first_election_s == pytest.approx(3 + (256 - 101) / 256)


def test_settings_hold_for_both_nodes() -> None:
    pair = parse_keepalived(
        "advert_int=100ms, version=3, preempt=no, unicast=yes, down_timer_adverts=5, preempt_delay=2s"
    )
    for node in ("lb1", "lb2"):
        settings = pair.of(node)
        assert (settings.advert_int_s, settings.version, settings.preempt, settings.unicast) == (0.1, 3, False, True)
        assert (settings.down_timer_adverts, settings.preempt_delay_s) == (5, 2.0)


def test_the_second_priority_follows_the_first_unless_it_is_said() -> None:
    assert [parse_keepalived("priority=150").of(node).priority for node in ("lb1", "lb2")] == [150, 149]
    assert [parse_keepalived("priority=150/90").of(node).priority for node in ("lb1", "lb2")] == [150, 90]


def test_a_check_keeps_to_its_interval_unless_its_timeout_is_said() -> None:
    given = CheckScript(by=BY_HTTP, interval_s=3, timeout_s=3, fall=2, rise=4, weight=0)
    assert parse_keepalived("check=http,interval=3,fall=2,rise=4,weight=0").lb1.check == given
    other = parse_keepalived("timeout=1,interval=3").lb2.check
    assert other is not None and other.timeout_s == 1
    assert parse_keepalived("check=none").check is CheckKind.NONE


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("adver_int=1", "adver_int is unknown; known: advert_int, "),
        ("advert_int", "write KEY=VALUE"),
        ("advert_int=soon", "must be a duration"),
        ("advert_int=50", "from 0.01 to 40.95"),
        ("advert_int=0.5", "VRRP version 2 allows only whole seconds; add version=3"),
        ("version=4", "version must be a whole number from 2 to 3"),
        ("priority=100/101", "HIGH/LOW from 1 to 254"),
        ("priority=255", "HIGH/LOW from 1 to 254"),
        ("priority=x", "HIGH/LOW from 1 to 254"),
        ("preempt=maybe", "must be true or false"),
        ("check=tcp", "choose process, http, none"),
        ("interval=0.5", "whole seconds"),
        ("fall=0", "from 1 to 1000"),
        ("weight=254", "from -253 to 253"),
    ],
)
def test_a_wrong_setting_is_one_line_that_names_it(text: str, complaint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_keepalived(text)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
