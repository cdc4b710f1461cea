"""What points tell of a verdict, beside the verdict.json that they were made of."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.kept_runs import NAMES, kept_run
from switchover.analysis.history.entry import entry_of
from switchover.report.stored_verdict import StoredRun
from switchover.report.verdict_points import verdict_lines
from switchover.rundir.journal import read_journal
from switchover.rundir.measurements import PROBES, VERDICT
from switchover.rundir.points import Point, parse_point
from switchover.rundir.run_directory import Run, read_run, run_json

COUNTED = ("total", "failed", "late", "unsent", "by_answered_by")


def stored(run: Run, verdict: dict[str, Any], directory: Path | None = None) -> StoredRun:
    found = StoredRun(run.id)
    for point in read_journal(sorted(directory.glob("journal*.lp"))) if directory else ():
        found.take(point)
    for line in verdict_lines(run, verdict):
        found.take(parse_point(line))
    return found


def judged(found: StoredRun) -> dict[str, Any]:
    verdict = found.judged()
    assert verdict is not None
    return verdict


@pytest.mark.parametrize("name", NAMES)
def test_word_outage_and_counts_of_a_real_run_are_those_of_its_own_report(name: str, tmp_path: Path) -> None:
    directory = kept_run(name, tmp_path)
    run, verdict = read_run(directory), json.loads((directory / "verdict.json").read_bytes())
    kept = judged(stored(run, verdict, directory))
    for key in ("run", "word", "exit_code", "trusted", "split_brain_ms"):
        assert kept.get(key) == verdict[key], key
    for key in ("outage", "failback"):
        for end in ("low_ms", "high_ms", "from_us", "to_us", "recovered", "censored"):
            assert (kept.get(key) or {}).get(end) == (verdict[key] or {}).get(end), (key, end)
    for key in ("probes", "samples"):
        assert (key in kept) is (verdict[key] is not None)
        for count in COUNTED if key in kept else ():
            assert kept[key][count] == verdict[key][count], (key, count)
    assert kept["probes"]["by_kind"] == verdict["probes"]["by_kind"]
    limits = {one["name"]: (one["state"], one["low"], one["high"]) for one in verdict["budgets"]}
    assert {one["name"]: (one["state"], one["low"], one["high"]) for one in kept["budgets"]} == limits


@pytest.mark.parametrize("name", ["node-down", "partition"])
def test_a_history_has_the_same_line_for_it(name: str, tmp_path: Path) -> None:
    directory = kept_run(name, tmp_path)
    run, verdict = read_run(directory), json.loads((directory / "verdict.json").read_bytes())
    found = stored(run, verdict, directory)
    own, fetched = entry_of("x", run_json(run), verdict), entry_of("x", run_json(found.described()), found.judged())
    for what in ("run", "start_us", "target", "what", "word", "trusted", "failed", "total", "predicted_high_ms"):
        assert getattr(fetched, what) == getattr(own, what), what


def test_counts_that_differ_from_the_verdict_tell_no_more_than_it(tmp_path: Path) -> None:
    directory = kept_run("node-down", tmp_path)
    run, verdict = read_run(directory), json.loads((directory / "verdict.json").read_bytes())
    found = stored(run, verdict, directory)
    found.take(Point(PROBES, {"outcome": "failed", "error": "reset"}, {"count": 1}, 1))
    assert judged(found)["probes"] == {"total": verdict["probes"]["total"], "failed": verdict["probes"]["failed"]}


def of_fields(**fields: Any) -> StoredRun:
    found = StoredRun("r")
    found.take(Point(VERDICT, {"run": "r"}, fields, 1))
    return found


def test_a_run_without_a_verdict_was_not_judged() -> None:
    assert StoredRun("r").judged() is None
    assert of_fields(exit_code=0).judged() is None


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"word": "FINE"}, "its word is 'FINE', and that is none"),
        ({"word": "PASSED", "outage_low_ms": 3.0, "outage_high_ms": 2.0}, "its outage goes from 3.0 to 2.0 ms"),
    ],
)
def test_a_verdict_that_no_run_can_have_is_none(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        of_fields(**fields).judged()


def test_the_exit_code_is_that_of_the_word() -> None:
    assert judged(of_fields(word="BROKEN", exit_code=0))["exit_code"] == 1


def test_an_outage_that_was_not_seen_to_end_has_no_end() -> None:
    outage = judged(of_fields(word="NOT RECOVERED", outage_low_ms=9000.0, recovered=False))["outage"]
    assert outage == {"low_ms": 9000.0, "censored": True, "recovered": False}


def test_which_of_two_did_not_recover_is_not_guessed() -> None:
    lengths = {"outage_low_ms": 5.0, "outage_high_ms": 9.0, "failback_low_ms": 5.0, "failback_high_ms": 9.0}
    verdict = judged(of_fields(word="NOT RECOVERED", recovered=False, **lengths))
    assert "recovered" not in verdict["outage"] and "recovered" not in verdict["failback"]
    alone = judged(of_fields(word="NOT RECOVERED", recovered=False, outage_low_ms=5.0, outage_high_ms=9.0))
    assert alone["outage"]["recovered"] is False


def test_values_of_another_type_are_unknown() -> None:
    verdict = judged(of_fields(word="PASSED", trusted="yes", probes=1.5, probes_failed=True, split_brain_ms="none"))
    assert verdict == {"schema": "fetched", "run": "r", "word": "PASSED", "exit_code": 0, "trusted": False} | {
        "budgets": []
    }
