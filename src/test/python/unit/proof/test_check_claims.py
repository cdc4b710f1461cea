"""Each table of docs/ that is made of committed rows is what they make, and a figure changed by hand is found."""

import shutil
from pathlib import Path

import pytest

from proof.check_claims import TABLES, Table, differences, table_differences
from proof.results import DOCS


def test_every_table_is_what_its_rows_make() -> None:
    assert list(differences()) == []


@pytest.mark.parametrize("table", [one for one in TABLES if one.page == "proof.md"], ids=lambda one: one.mark)
def test_a_figure_changed_by_hand_is_found(table: Table, tmp_path: Path) -> None:
    page = tmp_path / table.page
    shutil.copy(DOCS / table.page, page)
    before, mark, after = page.read_text(encoding="utf-8").partition(f"<!-- {table.mark} -->")
    page.write_text(before + mark + after.replace("1", "7", 1), encoding="utf-8")
    (found,) = table_differences(table, tmp_path)
    assert table.mark in found
