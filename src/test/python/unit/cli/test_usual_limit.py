"""A limit of what is usual, from the command line to the word: the runs beside the judged one give its limit."""

import json
from pathlib import Path

import pytest

from support.kept_runs import kept_run
from support.many_runs import make_run, real_run
from switchover.cli.main import main


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return kept_run("node-down", tmp_path)


def make_past(folder: Path, *outages_ms: float) -> None:
    for number, outage_ms in enumerate(outages_ms):
        make_run(folder, number, *real_run(), outage_ms=outage_ms)


def reported(run: Path, capsys: pytest.CaptureFixture[str], limit: str = "outage=usual") -> dict[str, object]:
    main(["report", str(run), "--limit", limit, "--json"])
    verdict = json.loads(capsys.readouterr().out)
    (found,) = [one for one in verdict["limits"] if one["name"] == "outage"]
    return {"verdict": verdict["verdict"], "limit": found["limit"], "note": found["note"]}


def test_without_a_past_it_is_inconclusive_and_says_what_is_missing(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_past(run.parent, 3000, 3100, 3200)
    assert reported(run, capsys) == {
        "verdict": "INCONCLUSIVE",
        "limit": None,
        "note": "3 earlier runs that can be compared; what is usual needs 8",
    }


def test_a_run_within_what_was_usual_passes(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_past(run.parent, 3100, 2700, 3400, 2900, 3300, 2800, 3200, 3000)
    found = reported(run, capsys)
    assert (found["verdict"], found["limit"]) == ("PASSED", 3400)


def test_one_run_above_what_was_usual_is_inconclusive(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_past(run.parent, 2910, 2700, 2920, 2900, 2850, 2800, 2750, 2820)
    found = reported(run, capsys)
    assert (found["verdict"], found["limit"]) == ("INCONCLUSIVE", 2920)
    assert found["note"] == "usual: the longest of 8 runs; one run above it may be chance"


def test_after_others_that_were_longer_too_it_is_broken(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_past(run.parent, *[2910, 2700, 2920, 2900, 2850, 2800, 2750, 2820] * 2, 2950, 3050)
    found = reported(run, capsys)
    assert (found["verdict"], found["limit"]) == ("FAILED", 2920)


def test_a_run_of_another_setting_says_nothing_of_what_is_usual(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_values, verdict = real_run()
    run_values["settings"] |= {"probe_rate": 7.0}
    for number in range(8):
        make_run(run.parent, number, run_values, verdict)
    assert reported(run, capsys)["limit"] is None


@pytest.mark.parametrize(("low_ms", "limit"), [(2609.375, 3000), (1609.375, None)])
def test_a_run_whose_window_is_in_its_verdict_only_is_compared_by_that(
    run: Path, low_ms: float, limit: float | None, capsys: pytest.CaptureFixture[str]
) -> None:
    run_values, verdict = real_run()
    for end in ("predict_low_ms", "predict_high_ms"):
        run_values["fault"][end] = None
    verdict["prediction"] |= {"low_ms": low_ms}
    for number in range(8):
        make_run(run.parent, number, run_values, verdict)
    assert reported(run, capsys)["limit"] == limit
