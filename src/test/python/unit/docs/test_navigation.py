"""The navigation of the documentation's site goes by kind of page, and has each page once."""

import re
from collections import Counter

from support.checkout import CHECKOUT

NAVIGATION = (CHECKOUT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
BESIDE = {"index.md", "contributing.md", "changelog.md", "benchmarks.md"}
"""What lies outside of docs; tools/make-site copies it."""


def test_it_goes_by_kind_and_begins_with_the_tutorial() -> None:
    kinds = re.findall(r"^  - ([^:\n]+):", NAVIGATION, re.M)
    assert kinds == ["Ten minutes", "Overview", "How to", "Reference", "Explanations", "Studies"]


def test_each_page_stands_in_it_once() -> None:
    pages = {str(path.relative_to(CHECKOUT / "docs")) for path in (CHECKOUT / "docs").rglob("*.md")}
    on_the_site = pages | BESIDE
    assert Counter(re.findall(r"\S+\.md$", NAVIGATION, re.M)) == Counter(on_the_site)
