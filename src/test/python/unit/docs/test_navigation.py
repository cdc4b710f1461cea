"""The navigation of the site has the parts of the documentation in order, and each page once."""

import re
from collections import Counter

from support.checkout import CHECKOUT

NAVIGATION = (CHECKOUT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
BESIDE = {"index.md", "contributing.md", "changelog.md", "benchmarks.md"}
"""What lies outside of docs; tools/make-site copies it."""


def test_the_parts_are_in_order() -> None:
    parts = re.findall(r"^  - ([^:\n]+):", NAVIGATION, re.M)
    assert parts == ["Start", "Do", "Look up", "Trust it", "Build"]


def test_each_page_stands_in_it_once() -> None:
    pages = {str(path.relative_to(CHECKOUT / "docs")) for path in (CHECKOUT / "docs").rglob("*.md")}
    on_the_site = pages | BESIDE
    assert Counter(re.findall(r"\S+\.md$", NAVIGATION, re.M)) == Counter(on_the_site)
