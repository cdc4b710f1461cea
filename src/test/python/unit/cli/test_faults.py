import argparse
from pathlib import Path

import pytest

from switchover.cli import faults
from switchover.faults.catalogue import CATALOGUE
from switchover.model.errors import SwitchoverError

TARGET = """
[target]
url = "http://192.0.2.50/"
[[node]]
name = "lb1"
role = "balancer"
keepalived = { priority = 90 }
[[node]]
name = "lb2"
role = "balancer"
keepalived = { priority = 150 }
[fault.node-down]
kill = ["true"]
[fault.pull-the-plug]
kill = ["true"]
predict = { low = 1.5, high = 2.5 }
"""


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def switchover(*statuses: str) -> int:
    parser = argparse.ArgumentParser()
    faults.register(parser.add_subparsers())
    arguments = parser.parse_args(statuses)
    return int(arguments.handler(arguments))


def test_the_catalogue_is_printed_with_the_labs_windows(capsys: pytest.CaptureFixture[str]) -> None:
    assert switchover("faults") == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in CATALOGUE)
    assert "2.61–3.61 s" in printed
    assert "SPLIT BRAIN" in printed
    assert "\x1b" not in printed


def test_the_window_of_a_dead_backend_is_that_of_a_drill_in_the_lab(capsys: pytest.CaptureFixture[str]) -> None:
    switchover("faults", "backend-kill")
    assert "outage      ≤ 3.00 s" in capsys.readouterr().out


def test_settings_of_the_lab_change_the_windows(capsys: pytest.CaptureFixture[str]) -> None:
    switchover("faults", "--keepalived", "version=3,advert_int=0.1")
    assert "261–361 ms" in capsys.readouterr().out


def test_one_fault_tells_its_whole_story(capsys: pytest.CaptureFixture[str]) -> None:
    switchover("faults", "haproxy-hang")
    printed = capsys.readouterr().out
    for title in ("action", "proof", "heal", "expected", "outage", "failback"):
        assert f"\n  {title} " in printed


def test_a_target_shows_its_own_faults_and_predictions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "target.toml"
    path.write_text(TARGET)
    switchover("faults", "--target", str(path))
    printed = capsys.readouterr().out
    assert "1.50–2.50 s" in printed
    assert "2.65–3.65 s" in printed, "the backup is the node with priority 90"
    assert "haproxy-kill" not in printed


@pytest.mark.parametrize(
    "statuses",
    [
        ("faults", "haproxy-kil"),
        ("faults", "--keepalived", "advert=1"),
        ("faults", "--target", "/does/not/exist"),
    ],
)
def test_wrong_words_are_one_line(statuses: tuple[str, ...]) -> None:
    with pytest.raises(SwitchoverError) as caught:
        switchover(*statuses)
    assert "\n" not in str(caught.value)
