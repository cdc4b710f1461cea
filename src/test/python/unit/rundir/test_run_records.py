"""Records of run.json: known fields by name, the rest as it was written."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.rundir.run_records import ProbeAccount, RunSettings, TargetFacts

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
names = st.sampled_from(["probe_rate", "limits", "load", "weights", "algorithm", "of another version"])


@given(st.dictionaries(names, anything))
def test_what_was_written_is_kept_whatever_it_was(written: dict[str, Any]) -> None:
    settings = RunSettings.of(written)
    assert settings.written == written
    assert (settings | {"late_ms": 5.0}).written == {**written, "late_ms": 5.0}


@pytest.mark.parametrize("value", ["fast", True, [1.0], {"a": 1}, None])
def test_a_value_of_another_type_is_unknown(value: object) -> None:
    assert RunSettings.of({"probe_rate": value}).probe_rate is None


def test_records_within_a_record_are_read_too() -> None:
    settings = RunSettings.of({"load": {"state": "ended", "clients": {"A": {"timeout_read_s": 5}, "B": 7}}})
    assert settings.load is not None and settings.load.state == "ended"
    assert {name: client.timeout_read_s for name, client in settings.load.clients.items()} == {"A": 5}
    target = TargetFacts.of({"nodes": [{"name": "lb1", "role": "balancer", "vip_owner": True}, 3]})
    assert [(node.name, node.vip_owner, node.nginx) for node in target.nodes] == [("lb1", True, False)]


def test_a_stream_without_an_account_sent_an_unknown_number() -> None:
    account = ProbeAccount.of({"scheduled": 9, "unsent": 2, "kept": {"scheduled": 3}})
    assert account.kept is not None and (account.sent, account.kept.sent) == (7, None)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_without_a_size_is_unknown(value: float) -> None:
    assert RunSettings.of({"late_ms": value}).late_ms is None
