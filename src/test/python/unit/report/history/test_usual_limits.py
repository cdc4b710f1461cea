"""Limits of what is usual: where their past is looked for, and what is said of it."""

import shutil
from pathlib import Path

import pytest

from support.many_runs import make_run, real_run
from switchover.report.history.usual import history_folder, with_usual_limits
from switchover.rundir.run_directory import read_run
from switchover.verdict.limit import Limit, parse_limit

USUAL = parse_limit("outage=usual")


@pytest.fixture
def latest(tmp_path: Path) -> Path:
    """The last of nine runs."""
    run, verdict = real_run()
    return [make_run(tmp_path, number, run, verdict, outage_ms=3000.0 - number) for number in range(9)][-1]


def resolved(directory: Path, *limits: Limit) -> list[str]:
    return [limit.written for limit in with_usual_limits(limits, read_run(directory), directory)]


@pytest.mark.parametrize(
    ("directory", "folder"),
    [
        ("runs/a", "runs"),
        ("runs/drain-x20/a", "runs"),
        ("runs/drain-x/a", "runs/drain-x"),
        ("runs/drain-x20-kept/a", "runs/drain-x20-kept"),
    ],
)
def test_the_past_lies_beside_a_run_and_for_repeats_beside_their_folder(
    directory: str, folder: str, tmp_path: Path
) -> None:
    assert history_folder(tmp_path / directory) == tmp_path / folder


def test_a_limit_of_what_is_usual_has_its_limit_from_the_runs_beside(latest: Path) -> None:
    assert resolved(latest, parse_limit("failed=1%"), USUAL) == [
        "failed=1%",
        "outage=usual:3s (usual: the longest of 8 runs; one run above it may be chance)",
    ]


def test_a_copy_of_a_run_is_no_second_run_of_the_past(latest: Path) -> None:
    shutil.copytree(latest.parent / "run-000000", latest.parent / "copy")
    shutil.rmtree(latest.parent / "run-000001")
    assert resolved(latest, USUAL) == ["outage=usual (7 earlier runs that can be compared; what is usual needs 8)"]


def test_nothing_is_read_where_no_limit_asks_for_what_is_usual(latest: Path) -> None:
    known = "outage=usual:4s (the longest of 8 runs)"
    assert resolved(latest, parse_limit(known)) == [known]


def test_a_past_that_cannot_be_read_is_said_in_the_limit(latest: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone" / latest.name
    found = with_usual_limits([parse_limit("failed=1%"), USUAL], read_run(latest), gone)
    why = f"{gone.parent} is no directory: name a folder of runs"
    assert [limit.written for limit in found] == ["failed=1%", f"outage=usual ({why})"]
    assert not found[1].is_to_be_looked_up
