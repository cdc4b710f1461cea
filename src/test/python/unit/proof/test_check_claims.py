"""Each table of docs/ that is made of committed rows is what they make, and a figure changed by hand is found."""

import re
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from proof import check_claims, kept_captures, service_away
from proof.__main__ import check
from proof.check_claims import (
    STUDIES,
    TABLES,
    Table,
    differences,
    judge_differences,
    study_differences,
    table_differences,
)
from proof.coverage_rows import Row, read_rows
from proof.results import DOCS

STUDY = "haproxy-algorithms-2017"


@pytest.fixture
def judges(tmp_path: Path) -> Path:
    """A folder as docs/, with what the pages about other tools are made of."""
    for name in ("judges.txt", "judges-asked.txt", "judges.json", "judges_asked.json", "../images/judges.svg"):
        copy = (tmp_path / "proof" / name).resolve()
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(DOCS / "proof" / name, copy)
    return tmp_path


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A folder with one published study."""
    for file in (DOCS / "studies").glob(f"{STUDY}*"):
        shutil.copy(file, tmp_path)
    return tmp_path


def change(file: Path, old: str, new: str) -> None:
    """Its first figure of this form, as a hand would."""
    text, changes = re.subn(old, new, file.read_text(encoding="utf-8"), count=1)
    assert changes == 1
    file.write_text(text, encoding="utf-8")


def test_every_table_is_what_its_rows_make() -> None:
    assert list(differences()) == []


@pytest.mark.parametrize("table", [one for one in TABLES if one.page.startswith("proof/")], ids=lambda one: one.mark)
def test_a_figure_changed_by_hand_is_found(table: Table, tmp_path: Path) -> None:
    page = tmp_path / table.page
    page.parent.mkdir()
    shutil.copy(DOCS / table.page, page)
    before, mark, after = page.read_text(encoding="utf-8").partition(f"<!-- {table.mark} -->")
    page.write_text(before + mark + after.replace("1", "7", 1), encoding="utf-8")
    (found,) = table_differences(table, tmp_path)
    assert table.mark in found


@pytest.mark.parametrize(
    ("mark", "rows", "figure"),
    [
        ("measured", "drills", "outage_ms"),
        ("truth", "drills", "capture_ms"),
        ("loaded", "loaded_drills", "load_gap_ms"),
        ("streaming", "streaming", "lines"),
        ("both", "both_generators", "outage_ms"),
        ("predictions", "predictions", "low_ms"),
    ],
)
def test_a_row_changed_by_hand_is_found(
    mark: str, rows: str, figure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "proof").mkdir()
    changed = tmp_path / "proof" / f"{rows}.json"
    shutil.copy(DOCS / "proof" / changed.name, changed)
    change(changed, rf'("{figure}": )[0-9.]+', r"\g<1>987654")
    monkeypatch.setattr(check_claims, "_rows", partial(check_claims._rows, docs=tmp_path))
    (table,) = [one for one in TABLES if one.mark == mark]
    (found,) = table_differences(table, DOCS)
    assert mark in found


@pytest.mark.parametrize(
    ("name", "old"),
    [
        ("proof/judges.txt", r"1\.00"),
        ("images/judges.svg", r'cx="[0-9.]+"'),
        ("proof/judges-asked.txt", r"; \d+ of \d+ inside"),
    ],
)
def test_a_figure_of_another_tool_changed_by_hand_is_found(name: str, old: str, judges: Path) -> None:
    assert list(judge_differences(judges)) == []
    change(judges / name, old, "7")
    (found,) = judge_differences(judges)
    assert name in found


@pytest.mark.parametrize("name", ["judges", "judges_asked"])
def test_a_row_of_another_tool_changed_by_hand_is_found(name: str, judges: Path) -> None:
    change(judges / "proof" / f"{name}.json", r'("wire_ms": )[0-9.]+', r"\g<1>987654")
    assert any(name.replace("_", "-") in found for found in judge_differences(judges))


def test_a_figure_of_a_study_changed_by_hand_is_found(study: Path) -> None:
    file = STUDIES / f"{STUDY}.toml"
    assert list(study_differences(file, study)) == []
    change(study / f"{STUDY}.txt", r"[0-9.]+ ±", "987654 ±")
    assert list(study_differences(file, study)) == [f"docs/studies/{STUDY}.txt is not what its rows make"]


def test_a_row_of_a_study_changed_by_hand_is_found(study: Path) -> None:
    rows = study / f"{STUDY}.csv"
    head, first, rest = rows.read_text(encoding="utf-8").split("\n", 2)
    values = first.split(",")
    values[head.split(",").index("mean")] = "987654"
    rows.write_text("\n".join([head, ",".join(values), rest]), encoding="utf-8")
    assert f"docs/studies/{STUDY}.txt is not what its rows make" in study_differences(
        STUDIES / f"{STUDY}.toml", study
    )


@pytest.mark.parametrize(
    "kept", [(kept_captures, "capture_ms"), (service_away, "truth_low_ms")], ids=["packets", "SYNs"]
)
def test_a_row_that_its_kept_packets_do_not_give_is_found(
    kept: tuple[Any, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module, figure = kept

    def changed(name: str) -> list[Row]:
        first, *others = read_rows(name)
        return [first | {figure: first[figure] + 1}, *others]

    assert list(module.differences()) == []
    monkeypatch.setattr(module, "read_rows", changed)
    assert any("than its row" in found for found in module.differences())


def test_what_the_committed_drills_do_not_prove_is_what_the_page_names() -> None:
    not_proved = [failure.split(":")[0] for failure in check(check_claims._rows("drills")["cases"])]
    assert not_proved == ["haproxy-stop", "haproxy-kill", "haproxy-kill, weight 0"]
    named = (DOCS / "accuracy.md").read_text(encoding="utf-8").partition("## Not proved")[2]
    assert "for three reasons" in named
