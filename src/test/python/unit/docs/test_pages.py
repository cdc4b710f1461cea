"""The pages of the documentation: navigation, links, sizes, tables, and the parts that are made of other files."""

import re
import runpy
from collections import Counter
from pathlib import Path

import pytest

from support.checkout import CHECKOUT

NAVIGATION = (CHECKOUT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
BESIDE = {"index.md", "contributing.md", "changelog.md", "benchmarks.md"}
"""What lies outside of docs; tools/make-site copies it."""
PAGES = sorted([*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md"), *CHECKOUT.glob("benchmarks/*.md")])
GENERATED = [page for page in PAGES if "<!-- reference: " in page.read_text(encoding="utf-8")]
MAKE_PAGE = runpy.run_path(str(CHECKOUT / "tools" / "make-reference"))["make_page"]
WORDS_LIMITS = {"README.md": 700, "docs/verdict.md": 3700}
WORDS_LIMIT = 3500
TOTAL_WORDS_LIMIT = 45_000
COLUMNS_LIMIT = 10
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
BAR = re.compile(r"(?<!\\)\|")
of_each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))


def test_the_parts_are_in_order() -> None:
    parts = re.findall(r"^  - ([^:\n]+):", NAVIGATION, re.M)
    assert parts == ["Start", "Do", "Look up", "Trust it", "Build"]


def test_each_page_stands_in_it_once() -> None:
    pages = {str(path.relative_to(CHECKOUT / "docs")) for path in (CHECKOUT / "docs").rglob("*.md")}
    on_the_site = pages | BESIDE
    assert Counter(re.findall(r"\S+\.md$", NAVIGATION, re.M)) == Counter(on_the_site)


def prose(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to the headings of a page."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.*)$", prose(page), re.M):
        text = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower())
        name, count = text.replace(" ", "-"), 1
        while name in found:
            name, count = f"{text.replace(' ', '-')}-{count}", count + 1
        found.add(name)
    return found


@of_each_page
def test_links_lead_somewhere(page: Path) -> None:
    lost = []
    for link in LINK.findall(prose(page)):
        place, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", place):
            continue
        target = (page.parent / place).resolve() if place else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            lost.append(link)
    assert lost == []


def count_words(page: Path) -> int:
    return len(page.read_text(encoding="utf-8").split())


@of_each_page
def test_a_page_is_short(page: Path) -> None:
    assert count_words(page) <= WORDS_LIMITS.get(str(page.relative_to(CHECKOUT)), WORDS_LIMIT)


def test_the_documentation_is_short() -> None:
    pages = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", *CHECKOUT.glob("docs/**/*.md")]
    assert sum(map(count_words, pages)) <= TOTAL_WORDS_LIMIT


@of_each_page
def test_a_table_has_few_columns(page: Path) -> None:
    rules = re.findall(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$", page.read_text(encoding="utf-8"), re.M)
    assert max((rule.count("|") - 1 for rule in rules), default=0) <= COLUMNS_LIMIT


@of_each_page
def test_rows_have_the_cells_of_their_head(page: Path) -> None:
    cells = 0
    for line in page.read_text(encoding="utf-8").splitlines():
        count = len(BAR.findall(line)) if line.startswith("|") else 0
        cells = cells or count if count else 0
        assert count == cells, line


def test_there_are_generated_parts() -> None:
    assert len(GENERATED) > 5


@pytest.mark.parametrize("page", GENERATED, ids=lambda page: page.name)
def test_a_page_is_as_the_tables_are(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert MAKE_PAGE(text) == text, "run make reference"


def test_what_a_reload_lost_is_as_in_the_table_of_its_page() -> None:
    readme, hitless = ((CHECKOUT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/hitless.md"))
    (told,) = re.findall(r"hitless\?.*?Twelve reloads.*?docs/hitless\.md", readme, re.S)
    lost = re.findall(r"[\d,]+ of [\d,]+", told)
    assert len(lost) == 4
    assert [figure for figure in lost if f"| {figure} |" not in hitless] == []
