import pytest

from switchover.cli.main import build_parser
from switchover.faults.catalogue import CATALOGUE
from switchover.model.errors import SwitchoverError


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def switchover(*statuses: str) -> int:
    arguments = build_parser("faults").parse_args(statuses)
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


def test_one_fault_tells_its_whole_story(capsys: pytest.CaptureFixture[str]) -> None:
    switchover("faults", "haproxy-hang")
    printed = capsys.readouterr().out
    for title in ("action", "proof", "heal", "expected", "outage", "failback"):
        assert f"\n  {title} " in printed


def test_an_unknown_fault_is_refused_in_one_line() -> None:
    with pytest.raises(SwitchoverError, match="no fault is named 'haproxy-kil'; known: ") as caught:
        switchover("faults", "haproxy-kil")
    assert "\n" not in str(caught.value)
