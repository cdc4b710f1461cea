"""Pages are short, and a table fits a screen."""

import re
from pathlib import Path

import pytest

from support.checkout import CHECKOUT

PAGES = sorted([*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md"), *CHECKOUT.glob("benchmarks/*.md")])
WORDS_LIMITS = {"README.md": 700, "docs/verdict.md": 3700}
WORDS_LIMIT = 3500
TOTAL_WORDS_LIMIT = 45_000
COLUMNS_LIMIT = 10


def count_words(page: Path) -> int:
    return len(page.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_a_page_is_short(page: Path) -> None:
    assert count_words(page) <= WORDS_LIMITS.get(str(page.relative_to(CHECKOUT)), WORDS_LIMIT)


def test_the_documentation_is_short() -> None:
    pages = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", *CHECKOUT.glob("docs/**/*.md")]
    assert sum(map(count_words, pages)) <= TOTAL_WORDS_LIMIT


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_a_table_has_few_columns(page: Path) -> None:
    rules = re.findall(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$", page.read_text(encoding="utf-8"), re.M)
    assert max((rule.count("|") - 1 for rule in rules), default=0) <= COLUMNS_LIMIT
