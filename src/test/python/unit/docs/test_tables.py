"""Each row of a table in a page has as many cells as the head of the table."""

import re
from pathlib import Path

import pytest

from support.checkout import CHECKOUT

PAGES = [*sorted((CHECKOUT / "docs").rglob("*.md")), CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md"]
BAR = re.compile(r"(?<!\\)\|")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_rows_have_the_cells_of_their_head(page: Path) -> None:
    cells = 0
    for line in page.read_text(encoding="utf-8").splitlines():
        count = len(BAR.findall(line)) if line.startswith("|") else 0
        cells = cells or count if count else 0
        assert count == cells, line
