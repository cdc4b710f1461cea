from pathlib import Path

import pytest

from support.checkout import CHECKOUT
from switchover.model.errors import TargetError
from switchover.target.model import Target
from switchover.target.reader import load_target
from switchover.target.telemetry_sources import HttpPage

MINIMAL = '[target]\nurl = "http://198.18.0.50/"\n'


def load(tmp_path: Path, text: str) -> Target:
    path = tmp_path / "target.toml"
    path.write_text(text, encoding="utf-8")
    return load_target(path)


def refusal(tmp_path: Path, text: str) -> str:
    with pytest.raises(TargetError) as caught:
        load(tmp_path, text)
    message = str(caught.value)
    assert "\n" not in message
    assert str(tmp_path / "target.toml") in message
    return message


@pytest.mark.parametrize("path", sorted((CHECKOUT / "testplans/targets").glob("*.toml")), ids=lambda path: path.stem)
def test_a_sample_target_can_be_drilled(path: Path) -> None:
    target = load_target(path)
    assert len(target.balancers) == 2
    assert target.faults
    for fault in target.faults.values():
        assert fault.heal and fault.verify_down and fault.verify_healed and fault.ready, fault.name
        assert (fault.deadman is None) == (fault.disarm is None), fault.name
    assert all(change.verify_down for change in target.changes.values())


def test_secrets_come_from_the_environment_and_are_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRILL_TOKEN", "s3cret")
    text = MINIMAL + 'headers = {Authorization = "env:DRILL_TOKEN"}\n'
    target = load(tmp_path, text + '[influx]\nurl = "http://127.0.0.1:8086"\ntoken = "env:DRILL_TOKEN"\n')
    assert target.endpoint.headers["Authorization"] == "s3cret"
    assert target.influx is not None
    assert target.influx.token == "s3cret"
    assert "s3cret" not in repr(target)


def test_credentials_in_a_statistics_url_are_not_shown() -> None:
    assert "pass" not in f"{HttpPage('http://user:pass@lb1:8404/stats')!r}"


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="No such file"):
        load_target(tmp_path / "none.toml")
    with pytest.raises(TargetError, match="Is a directory"):
        load_target(tmp_path)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TargetError, match="not UTF-8"):
        load_target(binary)


def test_a_held_connection_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    assert "[connections] pooled must be /path" in refusal(tmp_path, MINIMAL + '[connections]\npooled = "//["\n')
