"""Target files: every one is read as Java reads it, or refused with the same line."""

import dataclasses
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from support.checkout import CHECKOUT
from support.contract import named
from switchover.drill.conduct import target_facts
from switchover.model.errors import TargetError
from switchover.model.vrrp import CheckScript, KeepalivedSettings
from switchover.target.model import Node, StatusRanges, Target
from switchover.target.reader import load_target
from switchover.target.telemetry_sources import Command, Fifo, HttpPage, LogFile, TcpSocket, UnixSocket

OF_PYTHON = frozenset({"source", "claim", "release", "variables", "disarm", "metrics", "connections", "changes"})
"""What a target file may say to the command line and to Locust only."""
ONLY_FROM_A_FILE = ("further_checks", "other_weights", "group", "delay_s")
"""Settings that a table in a target file cannot have."""

KINDS = (UnixSocket, TcpSocket, HttpPage, Command, Fifo, LogFile)


def plain(value: Any) -> Any:
    """A model as JSON holds it."""
    match value:
        case StatusRanges() | Path():
            return str(value)
        case Node():
            return _fields(value) | _keepalived(value)
        case Target():
            return _fields(value)
        case KeepalivedSettings() | CheckScript():
            return {name: part for name, part in _fields(value).items() if name not in ONLY_FROM_A_FILE}
        case tuple() as window if len(window) == 2 and all(isinstance(edge, float) for edge in window):
            return {"low": window[0], "high": window[1]}
        case tuple() | list():
            return [plain(entry) for entry in value]
        case Mapping():
            return {name: plain(entry) for name, entry in value.items()}
    if isinstance(value, KINDS):
        return {"kind": type(value).__name__, **_fields(value)}
    return _fields(value) if dataclasses.is_dataclass(value) else value


def _fields(value: Any) -> dict[str, Any]:
    return {
        field.name: plain(getattr(value, field.name))
        for field in dataclasses.fields(value)
        if field.name not in OF_PYTHON
    }


def _keepalived(node: Node) -> dict[str, Any]:
    """A copy of keepalived.conf and a table of settings are two things in Java."""
    copy = isinstance(node.keepalived, Path)
    return {
        "keepalived_copy": plain(node.keepalived) if copy else None,
        "keepalived": None if copy else plain(node.keepalived),
    }


def outcome_of(text: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """The model and its facts, or the line that refuses the text."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "secret").write_text("hush\nsecond\n")
        (folder / "empty").touch()
        path = folder / "target.toml"
        path.write_bytes(text.replace("{folder}", name).encode())
        with mock.patch.dict(os.environ, environment):
            try:
                target = load_target(path)
            except TargetError as error:
                return {"error": str(error).replace(str(path), "FILE").replace(name, "{folder}")}
    found = {"model": plain(target), "facts": target_facts(target)}
    return dict(json.loads(json.dumps(found).replace(name, "{folder}")))


@pytest.mark.parametrize("case", named("target.json", "cases"))
def test_target_file_is_read_as_agreed(case: dict[str, Any]) -> None:
    found = outcome_of(case["text"], case.get("environment", {}))
    if "begins" in case:
        assert found["error"].startswith(case["begins"]) and "\n" not in found["error"]
    else:
        assert found == {key: case[key] for key in ("error", "model", "facts") if key in case}


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
