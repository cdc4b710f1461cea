from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.faults.catalogue import CATALOGUE
from switchover.model.vrrp import BY_HTTP, BY_PROCESS, BY_UNKNOWN, CheckScript, KeepalivedSettings
from switchover.predict.prediction import (
    BACKLOG_S,
    HANDOVER_S,
    RESIGNING_S,
    Pair,
    Prediction,
    comes_back,
    drained,
    proxy_back,
    proxy_silent,
)

SKEW = 0.609375
MDI = 3 + SKEW
CHECK = CheckScript(by=BY_PROCESS)
HTTP = CheckScript(by=BY_HTTP)
UNKNOWN = CheckScript(by=BY_UNKNOWN)
RESIGNING = replace(HTTP, weight=0)
TOO_LITTLE = replace(HTTP, weight=-1)
"""101 - 1 = 100: the backup accepts adverts that equal its own priority."""
MASTER = KeepalivedSettings(priority=101, check=CHECK)
BACKUP = KeepalivedSettings(priority=100, check=CHECK)
MASTER_FAULTS = [name for name, fault in CATALOGUE.items() if fault.kind == "master"]


OF_THE_LAB: dict[str, tuple[float | None, float | None]] = {
    "haproxy-kill": (MDI - 1, 1 + MDI),
    "haproxy-stop": (MDI - 1, 1 + MDI),
    "haproxy-hang": (2 + MDI, None),
    "haproxy-reload": (0.0, 0.0),
    "haproxy-drain": (0.0, 0.0),
    "keepalived-stop": (SKEW, SKEW + RESIGNING_S),
    "keepalived-kill": (0.0, HANDOVER_S),
    "keepalived-hang": (0.0, HANDOVER_S),
    "node-down": (MDI - 1, MDI),
    "partition": (0.0, HANDOVER_S),
    "backend-kill": (0.0, 7.0),
    "backend-slow": (0.0, 0.0),
}
"""The window of each fault with the lab's settings, in seconds."""


def predict(name: str, check: CheckScript | None = CHECK, **changes: object) -> Prediction:
    master = replace(MASTER, check=check, **changes)  # type: ignore[arg-type]
    return CATALOGUE[name].predict(master, replace(BACKUP, check=check, **changes))  # type: ignore[arg-type]


def window(prediction: Prediction) -> tuple[float | None, float | None]:
    return prediction.low_s, prediction.high_s


def pair_with(*checks: CheckScript) -> Pair:
    """The master's balancer is looked at by these."""
    return Pair(replace(MASTER, check=None, further_checks=checks), BACKUP)


def test_each_fault_has_its_window_with_the_settings_of_the_lab() -> None:
    assert {name: window(predict(name)) for name in CATALOGUE} == OF_THE_LAB


WINDOWS: dict[str, tuple[str, CheckScript | None, dict[str, float], tuple[float, float | None]]] = {
    "silence, at most an advert after the last": ("node-down", CHECK, {}, (MDI - 1, MDI)),
    "version 3 with its adverts": ("node-down", CHECK, {"version": 3, "advert_int_s": 0.1}, (0.261, 0.361)),
    "more adverts to miss": ("node-down", CHECK, {"down_timer_adverts": 5}, (MDI + 1, MDI + 2)),
    "version 2 rounds below a second to one": ("node-down", CHECK, {"advert_int_s": 0.4}, (MDI - 1, MDI)),
    "version 2 rounds to whole seconds": ("node-down", CHECK, {"advert_int_s": 1.5}, (4.609, 6.609)),
    "version 3 rounds to hundredths": ("node-down", CHECK, {"version": 3, "advert_int_s": 0.125}, (0.339, 0.469)),
    "a check that fails three times": ("haproxy-kill", replace(CHECK, interval_s=2, fall=3), {}, (MDI + 3, MDI + 6)),
    "weight 0 resigns": ("haproxy-kill", replace(CHECK, weight=0, fall=2), {}, (1 + SKEW, 2 + SKEW)),
    "a weight that is just enough": ("haproxy-kill", replace(CHECK, weight=-2), {}, (MDI - 1, 1 + MDI)),
    "a check of unknown kind may not see a hang": ("haproxy-hang", UNKNOWN, {}, (MDI - 1, None)),
    "a check that asks sees a hang": ("haproxy-hang", HTTP, {}, (MDI - 1, 2 + MDI)),
    "a check that asks sees a drain": ("haproxy-drain", HTTP, {}, (0.0, HANDOVER_S)),
    "a drain with weight 0": ("haproxy-drain", RESIGNING, {}, (SKEW, SKEW + RESIGNING_S)),
}


@pytest.mark.parametrize(("name", "check", "changes", "expected"), WINDOWS.values(), ids=WINDOWS)
def test_a_takeover_has_its_window_and_moves_the_address(
    name: str, check: CheckScript | None, changes: dict[str, float], expected: tuple[float, float | None]
) -> None:
    found = predict(name, check, **changes)
    assert window(found) == pytest.approx(expected, abs=0.001)
    assert found.moves and not found.for_ever
    assert found.uniform is (name == "node-down")


@pytest.mark.parametrize(
    ("name", "check", "low_s"),
    [
        ("haproxy-kill", None, MDI),
        ("haproxy-kill", replace(CHECK, weight=-1), 2 + MDI),
        ("haproxy-hang", CHECK, 2 + MDI),
        ("haproxy-drain", CHECK, 0.0),
        ("haproxy-drain", None, 0.0),
        ("haproxy-drain", TOO_LITTLE, 0.0),
    ],
)
def test_what_keepalived_does_not_act_on_moves_nothing(name: str, check: CheckScript | None, low_s: float) -> None:
    found = predict(name, check)
    assert found.low_s == low_s and not found.moves
    assert found.for_ever is (low_s > 0)


def test_a_drain_is_settled_when_its_takeover_is_over() -> None:
    assert predict("haproxy-drain", HTTP).settled_s == 1 + MDI
    assert predict("haproxy-drain", RESIGNING).settled_s == RESIGNING.latest_s + SKEW


def test_a_version_3_backup_follows_the_masters_interval() -> None:
    master = replace(MASTER, version=3, advert_int_s=2.0)
    backup = replace(BACKUP, version=3, advert_int_s=1.0)
    assert CATALOGUE["node-down"].predict(master, backup).high_s == pytest.approx(2 * MDI)


@pytest.mark.parametrize("name", ["keepalived-kill", "keepalived-hang", "partition"])
def test_two_owners_cost_nothing_and_are_said(name: str) -> None:
    prediction = predict(name)
    assert window(prediction) == (0.0, HANDOVER_S)
    assert prediction.split_brain
    assert prediction.settled_s == MDI


@pytest.mark.parametrize(("backup", "for_ever"), [(100, False), (90, True)])
def test_a_positive_weight_is_lost_by_the_master_and_kept_by_the_backup(backup: int, for_ever: bool) -> None:
    check = replace(CHECK, weight=5)
    found = CATALOGUE["haproxy-kill"].predict(
        replace(MASTER, check=check), replace(BACKUP, priority=backup, check=check)
    )
    assert found.for_ever is for_ever


def test_a_backup_with_nopreempt_goes_on_accepting_lower_adverts() -> None:
    found = CATALOGUE["haproxy-kill"].predict(MASTER, replace(BACKUP, preempt=False))
    assert found.for_ever
    assert "nopreempt" in found.reason


def test_nopreempt_does_not_matter_where_the_master_resigns() -> None:
    check = replace(CHECK, weight=0)
    found = CATALOGUE["haproxy-kill"].predict(replace(MASTER, check=check), replace(BACKUP, preempt=False))
    assert window(found) == (SKEW, 1 + SKEW)


@pytest.mark.parametrize("name", MASTER_FAULTS)
def test_unknown_settings_predict_nothing_and_say_why(name: str) -> None:
    prediction = CATALOGUE[name].predict(None, BACKUP)
    assert window(prediction) == (None, None)
    assert "master's Keepalived settings are not known" in prediction.reason


def test_the_old_master_comes_back_after_its_own_down_interval() -> None:
    back = CATALOGUE["node-down"].failback(MASTER, BACKUP)
    assert window(back) == (0.0, HANDOVER_S)
    assert back.settled_s == pytest.approx(3 + 155 / 256 + HANDOVER_S)


def test_what_never_moved_does_not_fail_back() -> None:
    back = CATALOGUE["haproxy-kill"].failback(replace(MASTER, check=None), BACKUP)
    assert not back.moves
    assert window(back) == (0.0, BACKLOG_S)
    assert window(CATALOGUE["haproxy-drain"].failback(MASTER, BACKUP)) == (0.0, 0.0)


@given(
    st.sampled_from(sorted(CATALOGUE)),
    st.integers(1, 254),
    st.integers(1, 254),
    st.sampled_from([2, 3]),
    st.integers(1, 10),
    st.booleans(),
    st.one_of(
        st.none(),
        st.builds(
            CheckScript,
            interval_s=st.integers(1, 5),
            timeout_s=st.integers(1, 5),
            fall=st.integers(1, 5),
            weight=st.integers(-253, 253),
            by=st.sampled_from([BY_PROCESS, BY_HTTP, BY_UNKNOWN]),
        ),
    ),
)
def test_every_window_is_ordered_and_reasoned(
    name: str, high: int, low: int, version: int, advert: int, preempt: bool, check: CheckScript | None
) -> None:
    master = KeepalivedSettings(high, advert, version, preempt, check=check)
    backup = KeepalivedSettings(low, advert, version, preempt, check=check)
    if OF_THE_LAB[name] == (None, None):
        return  # theory knows nothing of it, and says why
    for prediction in (CATALOGUE[name].predict(master, backup), CATALOGUE[name].failback(master, backup)):
        assert prediction.reason
        assert prediction.low_s is not None and prediction.low_s >= 0
        if prediction.high_s is None:
            continue
        assert prediction.low_s <= prediction.high_s
        assert prediction.settled_s is not None and prediction.settled_s >= prediction.low_s
        assert not prediction.for_ever


def test_where_nothing_fails_back_the_pair_is_settled_when_the_old_master_is_fit() -> None:
    fit, equal = Pair(replace(MASTER, preempt=False), BACKUP), Pair(replace(MASTER, priority=100), BACKUP)
    for pair, why in ((fit, "nopreempt"), (equal, "no higher priority")):
        back = comes_back(pair, ready_s=7.0, moved=True)
        assert (back.settled_s, back.moves) == (7.0, False)
        assert why in back.reason


def test_what_has_not_moved_is_settled_when_it_is_fit_and_its_backlog_is_worked_off() -> None:
    pair = Pair(MASTER, BACKUP)
    assert comes_back(pair, ready_s=0.0, moved=False).settled_s == BACKLOG_S
    assert comes_back(pair, ready_s=BACKLOG_S + 1, moved=False).settled_s == BACKLOG_S + 1


@pytest.mark.parametrize(
    ("checks", "expected"),
    [
        ((CHECK, HTTP), (MDI - 1, 2 + MDI)),
        ((HTTP, UNKNOWN), (MDI - 1, 2 + MDI)),
        ((TOO_LITTLE, UNKNOWN), (MDI - 1, None)),
        ((TOO_LITTLE, replace(UNKNOWN, weight=0)), (SKEW, None)),
        ((RESIGNING,), (SKEW, 2 + SKEW)),
    ],
)
def test_of_several_checks_those_count_that_see_a_hanging_balancer(
    checks: tuple[CheckScript, ...], expected: tuple[float, float | None]
) -> None:
    found = proxy_silent(pair_with(*checks), hanging=True, process_remains=True)
    assert window(found) == expected
    assert not found.for_ever


@pytest.mark.parametrize("checks", [(TOO_LITTLE, CHECK), (TOO_LITTLE,), (replace(UNKNOWN, weight=-1),)])
def test_what_no_check_ends_lasts_longer_than_the_slowest_takeover(checks: tuple[CheckScript, ...]) -> None:
    found = proxy_silent(pair_with(*checks), hanging=True, process_remains=True)
    assert found.for_ever
    assert window(found) == (MDI + 2, None)


@pytest.mark.parametrize(
    ("checks", "expected"),
    [
        ((replace(HTTP, weight=0, fall=3), replace(HTTP, weight=0, fall=2)), (1 + SKEW, 2 + SKEW)),
        ((replace(HTTP, weight=0, fall=9), HTTP), (MDI - 1, 1 + MDI)),
        ((RESIGNING, HTTP), (SKEW, 1 + SKEW)),
        # Both at most MDI + 1 s, since the silence is three adverts longer than the skew.
        ((replace(HTTP, weight=0, fall=4), HTTP), (3 + SKEW, 4 + SKEW)),
        ((replace(HTTP, weight=-1, fall=3), TOO_LITTLE), (2 + MDI - 1, 3 + MDI)),
        ((replace(HTTP, weight=-2, fall=3), TOO_LITTLE), (2 + MDI - 1, 3 + MDI)),
        ((replace(HTTP, weight=-2, fall=3), replace(HTTP, weight=-2)), (MDI - 1, 1 + MDI)),
    ],
)
def test_of_several_checks_that_fail_the_first_that_suffice_decide(
    checks: tuple[CheckScript, ...], expected: tuple[float, float]
) -> None:
    assert window(proxy_silent(pair_with(*checks), hanging=False, process_remains=False)) == expected


def test_a_balancer_is_fit_again_when_the_slowest_check_says_so() -> None:
    pair = pair_with(replace(HTTP, interval_s=2, rise=3), HTTP)
    settled = proxy_back(pair, moved=True, start_s=5.0).settled_s
    assert settled == pytest.approx(5 + 6 + pair.master.master_down_interval_s + HANDOVER_S)
    assert proxy_back(pair_with(), moved=False, start_s=5.0).settled_s == 5.0


def test_a_drain_is_seen_by_the_checks_that_may_ask_for_the_page() -> None:
    assert "priority 101 becomes 81" in drained(pair_with(CHECK, HTTP)).reason
    assert "priority 101 becomes 61" in drained(pair_with(UNKNOWN, HTTP)).reason
    first_of_two = drained(pair_with(replace(RESIGNING, fall=3), RESIGNING))
    assert first_of_two.settled_s == 1 + SKEW
    assert first_of_two.moves
