import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.faults.keepalived.proposal import propose
from switchover.lab.keepalived_options import parse_keepalived
from switchover.model.errors import UsageError
from switchover.model.vrrp import BY_PROCESS, CheckScript, KeepalivedSettings

CHECK = CheckScript(by=BY_PROCESS)
MASTER, BACKUP = KeepalivedSettings(priority=101, check=CHECK), KeepalivedSettings(priority=100, check=CHECK)


def test_300_ms_need_version_3_and_fractions_of_a_second() -> None:
    found = propose(MASTER, BACKUP, 0.3)
    assert (found.master.version, found.master.advert_int_s) == (3, 0.07)
    assert found.master.check is not None and found.master.check.interval_s == pytest.approx(0.11)
    assert any("needs Keepalived 2.3.2" in cost for cost in found.costs)
    assert any(cost.startswith("False takeovers") for cost in found.costs)


def test_5_s_need_no_more_than_weight_0() -> None:
    found = propose(MASTER, BACKUP, 5.0)
    assert (found.master.version, found.master.advert_int_s) == (2, 1.0)
    assert found.master.check == CheckScript(interval_s=1, timeout_s=1, fall=2, rise=2, weight=0, by=BY_PROCESS)


def test_what_no_timer_reaches_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot promise less than"):
        propose(MASTER, BACKUP, 0.05)


@pytest.mark.parametrize("target_s", [0.3, 1.0, 2.5, 5.0])
def test_the_lab_takes_what_is_proposed(target_s: float) -> None:
    proposal = propose(MASTER, BACKUP, target_s)
    pair = parse_keepalived(proposal.lab_options)
    assert pair.lb2.master_down_interval_s == pytest.approx(proposal.backup.master_down_interval_s)
    assert (pair.lb1.priority, pair.lb2.priority) == (101, 100)


@given(
    st.floats(0.12, 60.0),
    st.integers(1, 254),
    st.integers(1, 254),
    st.sampled_from([2, 3]),
    st.sampled_from([0.05, 1.0, 5.0]),
    st.one_of(
        st.none(), st.builds(CheckScript, interval_s=st.sampled_from([0.2, 1, 2, 10]), weight=st.integers(-50, 50))
    ),
)
def test_every_proposal_keeps_its_promise(
    target_s: float, high: int, low: int, version: int, advert: float, check: CheckScript | None
) -> None:
    master = KeepalivedSettings(priority=high, version=version, advert_int_s=advert, check=check)
    found = propose(
        master, KeepalivedSettings(priority=low, version=version, advert_int_s=advert, check=check), target_s
    )
    for window in (found.node_lost, found.balancer_dead):
        assert window.high_s is not None and window.high_s < target_s
    assert found.lines and found.costs
