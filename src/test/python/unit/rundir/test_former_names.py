"""Directories of earlier versions are read with the names of today; names that users chose stay as they are."""

import json
from pathlib import Path
from shutil import copyfile

import pytest
from msgspec import to_builtins

from support.kept_runs import KEPT
from switchover.report.documents import read_verdict
from switchover.rundir.former_names import with_present_names
from switchover.rundir.points import parse_point

FORMER = Path(__file__).parents[3] / "resources" / "former"
NAMES = [path.stem.removeprefix("verdict-2-") for path in FORMER.glob("verdict-2-*.json")]


@pytest.mark.parametrize("name", NAMES)
def test_a_verdict_of_schema_2_has_the_figures_that_the_run_has_today(name: str, tmp_path: Path) -> None:
    copyfile(FORMER / f"verdict-2-{name}.json", tmp_path / "verdict.json")
    former, today = read_verdict(tmp_path), read_verdict(KEPT / name)
    assert (former.status, former.exit_code, former.valid) == (today.status, today.exit_code, today.valid)
    for part in ("outage", "failback", "split_brain", "limits", "probes", "samples", "distribution", "timeline"):
        before, after = to_builtins(getattr(former, part)), to_builtins(getattr(today, part))
        if isinstance(before, dict):  # a later version may have more figures
            after = {key: after[key] for key in before}
        assert before == after


def test_names_of_the_user_are_not_renamed() -> None:
    former = {"settings": {"budgets": ["outage=5s"]}, "weights": {"budget": 1}, "name": "patient"}
    assert with_present_names(former) == {
        "settings": {"limits": ["outage=5s"]},
        "weights": {"budget": 1},
        "name": "patient",
    }


def test_a_point_of_an_earlier_version_has_the_field_of_today() -> None:
    line = 'switchover_haproxy,node=epoch,run=r epoch="12-3",hrsp_2xx=4i 1'
    point = parse_point(line)
    assert point.tags["node"] == "epoch" and point.fields == {"generation": "12-3", "hrsp_2xx": 4}


def test_every_kept_run_is_of_the_former_schema() -> None:
    """They are the frozen directories: what reads them today reads the names of before."""
    assert {json.loads(path.read_text())["schema"] for path in KEPT.glob("*/run.json")} == {1}
