"""Usual outages: the runs that count, the limit that they give, and the verdict on a run above it."""

import json
import random
import shutil
from pathlib import Path

import pytest

from support.kept_runs import kept_run
from support.many_runs import make_run, real_run
from switchover.cli.main import main
from switchover.report.history.entry import Entry, read_history
from switchover.report.history.usual import comparable, history_folder, lengths_of, usual_of, with_usual_limits
from switchover.rundir.run_directory import read_run
from switchover.verdict.limit import Limit, parse_limit
from switchover.verdict.record import LimitName

USUAL = parse_limit("outage=usual")


def mixed(count: int, first: int = 0) -> list[float]:
    """Numbers without an order in which later ones are longer."""
    found = list(map(float, range(first, first + count)))
    random.Random(5).shuffle(found)
    return found


@pytest.mark.parametrize(
    ("lengths", "margin", "limit_ms", "why"),
    [
        (mixed(7), 0, None, "usual needs 8 comparable earlier runs, but there are 7"),
        (mixed(12, 3001), 0, 3012, "usual: the longest of 12 runs; a single run above the limit may be chance"),
        (
            [3000.2] * 8,
            0.8,
            5401,
            "usual: the longest of 8 runs and 80 %; a single run above the limit may be chance",
        ),
        (mixed(46), 0, 44, "usual: outage 45 of 46 in ascending order; a single run above the limit may be chance"),
        (
            [9000, *mixed(100)],
            0,
            95,
            "usual: outage 96 of 100 in ascending order; a single run above the limit may be chance",
        ),
    ],
)
def test_the_limit_covers_the_90th_percentile_of_the_last_runs_or_is_the_longest(
    lengths: list[float], margin: float, limit_ms: float | None, why: str
) -> None:
    assert usual_of(lengths, margin) == (limit_ms, why)


def entry(number: int, **values: object) -> Entry:
    known: dict[str, object] = {"start_us": number, "target": "shop", "what": "node-down", "status": "PASSED"}
    return Entry(run=f"run-{number}", path=str(number), **{**known, "valid": True, "setting": "[1]", **values})  # type: ignore[arg-type]


def test_a_run_is_compared_with_trusted_earlier_runs_of_the_same_target_fault_and_setting() -> None:
    others = [
        entry(1),
        entry(2, valid=False),
        entry(3, target="other"),
        entry(4, what="partition"),
        entry(5, setting="[2]"),
        entry(11),
        entry(6, start_us=None),
        entry(7, start_us=10),
        entry(10),
        entry(0),
    ]
    assert [other.run for other in comparable(entry(10), others)] == ["run-0", "run-1"]
    assert comparable(entry(9, setting=""), [entry(number, setting="") for number in range(8)]) == []


def test_only_runs_that_recovered_have_a_length(tmp_path: Path) -> None:
    run, verdict = real_run()
    make_run(tmp_path, 0, run, verdict, outage_ms=3000)
    make_run(tmp_path, 1, run, verdict | {"outage": verdict["outage"] | {"recovered": False}})
    entries, _ = read_history(tmp_path)
    assert lengths_of(entries, LimitName.OUTAGE) == [3000]
    assert lengths_of(entries, LimitName.FAILBACK) == [verdict["failback"]["high_ms"]] * 2


@pytest.mark.parametrize(
    ("directory", "folder"),
    [
        ("runs/a", "runs"),
        ("runs/drain-x20/a", "runs"),
        ("runs/drain-x/a", "runs/drain-x"),
        ("runs/drain-x20-kept/a", "runs/drain-x20-kept"),
    ],
)
def test_earlier_runs_are_beside_a_run_and_for_repeats_beside_their_folder(
    directory: str, folder: str, tmp_path: Path
) -> None:
    assert history_folder(tmp_path / directory) == tmp_path / folder


def resolved(directory: Path, *limits: Limit) -> list[str]:
    return [limit.written for limit in with_usual_limits(limits, read_run(directory), directory)]


def test_limits_are_looked_up_once_and_written_with_their_origin(tmp_path: Path) -> None:
    run, verdict = real_run()
    latest = [make_run(tmp_path, number, run, verdict, outage_ms=3000.0 - number) for number in range(9)][-1]
    known = "outage=usual:3s (usual: the longest of 8 runs; a single run above the limit may be chance)"
    assert resolved(latest, parse_limit("failed=1%"), USUAL, parse_limit(known)) == ["failed=1%", known, known]
    shutil.copytree(latest.parent / "run-000000", latest.parent / "copy")
    shutil.rmtree(latest.parent / "run-000001")
    assert resolved(latest, USUAL) == ["outage=usual (usual needs 8 comparable earlier runs, but there are 7)"]
    gone = tmp_path / "gone" / latest.name
    (found,) = with_usual_limits([USUAL], read_run(latest), gone)
    assert found.written == f"outage=usual ({gone.parent} is not a directory: name a folder of runs)"
    assert not found.is_to_be_looked_up


ABOVE, WITHIN = (2910, 2700, 2920, 2900, 2850, 2800, 2750, 2820), (3100, 2700, 3400, 2900, 3300, 2800, 3200, 3000)


@pytest.mark.parametrize(
    ("past", "probe_rate", "low_ms", "verdict", "limit"),
    [
        ((3000, 3100, 3200), None, None, "INCONCLUSIVE", None),
        (WITHIN, None, None, "PASSED", 3400),
        (ABOVE, None, None, "INCONCLUSIVE", 2920),
        (WITHIN, 7.0, None, "INCONCLUSIVE", None),
        (WITHIN, None, 2609.375, "PASSED", 3400),
        (WITHIN, None, 1609.375, "INCONCLUSIVE", None),
    ],
)
def test_a_run_above_the_usual_limit_or_without_one_is_inconclusive(
    past: tuple[float, ...],
    probe_rate: float | None,
    low_ms: float | None,
    verdict: str,
    limit: float | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`probe_rate`: the earlier runs have another setting. `low_ms`: their window is in their verdicts alone."""
    judged = kept_run("node-down", tmp_path)
    run, kept = real_run()
    if probe_rate:
        run["settings"] |= {"probe_rate": probe_rate}
    if low_ms:
        run["fault"] |= {"predict_low_ms": None, "predict_high_ms": None}
        kept["prediction"] |= {"low_ms": low_ms}
    for number, outage_ms in enumerate(past):
        make_run(judged.parent, number, run, kept, outage_ms=outage_ms)
    main(["report", str(judged), "--limit", "outage=usual", "--json"])
    found = json.loads(capsys.readouterr().out)
    (outage,) = [one for one in found["limits"] if one["name"] == "outage"]
    assert (found["verdict"], outage["limit"]) == (verdict, limit)
