"""The names and words of the product: one class for one name, modules that explain themselves, plain sentences."""

import ast
import re
from collections import defaultdict

from support.checkout import CHECKOUT

PACKAGE = CHECKOUT / "locust-plugins" / "switchover"

NOT_NAMES = frozenset(
    {"who", "whom", "whose", "told", "said", "them", "they", "it", "everyone", "somebody", "nobody", "utils"}
)
"""A name says what a thing is or does: no pronoun, no participle alone, no bag of things."""

SEVERAL: dict[str, str] = {}
"""Class names that may stand for several things, with the reason."""

PRODUCT = ("locust-plugins", "jmeter-plugins", "tools", "docs", "testplans", "benchmarks", "Makefile", "README.md")
VAGUE = re.compile(r"\b(nobody|whoever|whatever)\b", re.IGNORECASE)
VAGUE_ALLOWED = {"tools/check-english": "it lists these words"}
"""Files in which one of these words is the right one, with the reason."""
TEXTS = {".py", ".java", ".md", ".toml", ".properties", ".sh", ".js", ".html", ".jmx", ".css", ""}


def test_no_two_classes_share_a_name() -> None:
    places = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        if path == PACKAGE / "verdict" / "record.py":  # A record has the name of the figure that it keeps.
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(PACKAGE)))
    shared = {name: where for name, where in places.items() if len(where) > 1 and name not in SEVERAL}
    assert not shared


def test_no_name_is_a_riddle() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = [path.stem, *(name for node in ast.walk(tree) for name in _given_by(node))]
        found += [f"{path.relative_to(PACKAGE)}: {name}" for name in names if name.strip("_").lower() in NOT_NAMES]
    assert not found


def _given_by(node: ast.AST) -> list[str]:
    """The names that a piece of code gives."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
            return [name]
    return []


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
