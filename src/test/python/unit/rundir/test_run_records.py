"""Records of run.json: known fields by name, the rest as it was written."""

import pytest
from msgspec import ValidationError

from switchover.rundir.run_records import ProbeAccount, RunSettings


def test_what_was_written_is_kept() -> None:
    settings = RunSettings.of({"late_ms": 3, "of another version": [5], "load": {"state": "ended", "more": 1}})
    assert settings.written == {"late_ms": 3, "of another version": [5], "load": {"state": "ended", "more": 1}}
    assert (settings | {"late_ms": 5.0}).written == {**settings.written, "late_ms": 5.0}
    assert settings.late_us == 3000 and settings.load is not None and settings.load.state == "ended"


@pytest.mark.parametrize("value", ["fast", True, [1.0], {"a": 1}, float("nan"), float("inf"), 1e17])
def test_a_value_of_another_type_is_refused(value: object) -> None:
    with pytest.raises(ValidationError):
        RunSettings.of({"probe_rate": value})


def test_a_stream_without_an_account_sent_an_unknown_number() -> None:
    account = ProbeAccount.of({"scheduled": 9, "unsent": 2, "kept": {"scheduled": 3}})
    assert account.kept is not None and (account.sent, account.kept.sent) == (7, None)
