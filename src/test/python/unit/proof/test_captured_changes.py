"""A series of changes against a capture: what its row does not prove, and which rows are kept."""

import json
from pathlib import Path
from typing import Any

import pytest

from proof import captured_changes
from proof.captured_changes import as_table, broken, keep
from proof.pages import read_between


def row(change: str = "nginx-reload", **more: Any) -> dict[str, Any]:
    return {
        "change": change,
        "made": 100,
        "verdict": "MEASURED",
        "reasons": [],
        "unaccounted": 0,
        "answers": 98_765,
        "capture_dropped": 0,
        "connections": 21_887,
        "closed_politely": 21_358,
        "captured": {"pooled rst": 2},
        "reported": {"pooled rst": 2},
        "own_fault": [],
        "under_way_us": [600, 900],
        "sent_behind_us": [],
        "only_captured": [],
        "only_reported": [],
    } | more


def test_a_series_whose_losses_and_answers_are_all_there_proves_it() -> None:
    assert list(broken(row())) == []
    assert "| 100, MEASURED | 21,887; 21,358 | 2 pooled rst | 2 pooled rst | 0 | 0 |" in as_table([row()])
    assert as_table([row()]).endswith("| 0.60 to 0.90 ms, median 0.75 | none | 0 of 98,765 |")


@pytest.mark.parametrize(
    ("flaw", "said"),
    [
        ({"verdict": "NO EFFECT", "reasons": ["1 of 100 times"]}, "nginx-reload: NO EFFECT: 1 of 100 times"),
        ({"unaccounted": 3}, "nginx-reload: 3 of 98,765 answers are unaccounted"),
        ({"only_captured": ["pooled rst at 7"]}, "nginx-reload: only captured: pooled rst at 7"),
        ({"capture_dropped": 5}, "nginx-reload: the capture dropped 5 packets"),
    ],
)
def test_what_a_series_does_not_prove_is_said(flaw: dict[str, Any], said: str) -> None:
    assert list(broken(row(**flaw))) == [said]


def test_one_change_alone_leaves_the_row_of_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captured_changes, "DOCS", tmp_path)
    (tmp_path / "proof").mkdir()
    file, page = tmp_path / "proof" / "captured_changes.json", tmp_path / captured_changes.PAGE
    page.write_text("<!-- captured -->\n<!-- /captured -->\n", encoding="utf-8")
    before = [row("haproxy-reload"), row(word="NO EFFECT")]
    file.write_text(json.dumps(before), encoding="utf-8")
    keep([row()])
    assert json.loads(file.read_text(encoding="utf-8")) == [before[0], row()]
    assert read_between(page, "captured").strip() == as_table([before[0], row()])
