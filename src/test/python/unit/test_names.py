"""The names and words of the product: one class for one name, modules that explain themselves, plain sentences."""

import ast
import re
from collections import defaultdict

from support.checkout import CHECKOUT

PACKAGE = CHECKOUT / "locust-plugins" / "switchover"

RIDDLES = frozenset(
    [
        "child_talk",
        "conclusion",
        "course",
        "facts",
        "findings",
        "foretold",
        "lines",
        "probing",
        "rows",
        "sources",
        "staging",
        "tables",
        "timing",
        "trigger",
        "waiting",
        "whole_file",
        "accounts",
        "crew",
        "description",
        "kinds",
        "mail",
        "part",
        "remember",
        "shift",
        "solo",
        "tally",
        "typed",
        "happenings",
        "holders",
        "marks",
        "observed",
        "peeking",
        "stamping",
        "entity",
        "beside",
        "busy",
        "grid",
        "picture",
        "parts",
        "attempts",
        "holes",
        "setting",
        "leash",
        "courier",
        "outside",
        "trial",
        "meaning",
        "mending",
        "arrival",
        "punctual",
    ]
)
"""Names of modules that once stood here, and that readers could not explain."""

SEVERAL: dict[str, str] = {}
"""Class names that may stand for several things, with the reason."""

PRODUCT = ("locust-plugins", "jmeter-plugins", "tools", "docs", "testplans", "benchmarks", "Makefile", "README.md")
VAGUE = re.compile(r"\b(nobody|whoever|whatever)\b", re.IGNORECASE)
VAGUE_ALLOWED: dict[str, str] = {
    "docs/dashboards.md": "names the panel as the dashboard shows it",
}
"""Files in which one of these words is the right one, with the reason."""
TEXTS = {".py", ".java", ".md", ".toml", ".properties", ".sh", ".js", ".html", ".jmx", ".css", ""}


def test_no_two_classes_share_a_name() -> None:
    places = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(PACKAGE)))
    shared = {name: where for name, where in places.items() if len(where) > 1 and name not in SEVERAL}
    assert not shared


def test_a_stranger_can_explain_each_module() -> None:
    names = {path.stem for path in PACKAGE.rglob("*.py")} | {
        path.name for path in PACKAGE.rglob("*") if path.is_dir()
    }
    assert not names & RIDDLES


def test_sentences_say_who_and_what() -> None:
    found = []
    for name in PRODUCT:
        root = CHECKOUT / name
        for path in [root] if root.is_file() else sorted(root.rglob("*")):
            place = str(path.relative_to(CHECKOUT))
            if path.is_file() and path.suffix in TEXTS and place not in VAGUE_ALLOWED and "__pycache__" not in place:
                text = path.read_text(encoding="utf-8", errors="replace")
                found += [f"{place}: {line.strip()}" for line in text.splitlines() if VAGUE.search(line)]
    assert not found
