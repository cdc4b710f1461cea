"""What is read from its beginning to its end is short, and a table fits a screen."""

import re
from pathlib import Path

import pytest

from support.checkout import CHECKOUT

PAGES = sorted([*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md"), *CHECKOUT.glob("benchmarks/*.md")])
NAVIGATION = (CHECKOUT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
WORDS_LIMIT = 2500
COLUMNS_LIMIT = 10
LOOKED_UP = {"Reference", "Studies"}
"""Kinds of pages in which a reader looks something up: as long as they must be."""
PLACES = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md"}


def read_through() -> list[str]:
    """The pages of all other kinds, by their place in the checkout."""
    kind, found = "", []
    for line in NAVIGATION.splitlines():
        heading = re.match(r"  - ([^:]+):", line)
        kind = heading[1] if heading else kind
        page = re.search(r"\S+\.md$", line)
        if page and (kind not in LOOKED_UP or page[0] == "studies.md"):
            found.append(PLACES.get(page[0], f"docs/{page[0]}"))
    return found


@pytest.mark.parametrize("page", read_through())
def test_a_page_that_is_read_through_is_short(page: str) -> None:
    assert len((CHECKOUT / page).read_text(encoding="utf-8").split()) <= WORDS_LIMIT


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_a_table_has_few_columns(page: Path) -> None:
    rules = re.findall(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$", page.read_text(encoding="utf-8"), re.M)
    assert max((rule.count("|") - 1 for rule in rules), default=0) <= COLUMNS_LIMIT
