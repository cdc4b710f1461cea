"""The generated parts of the reference pages are as tools/make-reference makes them now."""

import runpy
from pathlib import Path

import pytest

from support.checkout import CHECKOUT

MAKE_PAGE = runpy.run_path(str(CHECKOUT / "tools" / "make-reference"))["make_page"]
PAGES = [
    page
    for page in sorted((CHECKOUT / "docs").glob("*.md"))
    if "<!-- reference: " in page.read_text(encoding="utf-8")
]


def test_there_are_generated_parts() -> None:
    assert len(PAGES) > 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_is_as_the_tables_are(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert MAKE_PAGE(text) == text, "run make reference"
