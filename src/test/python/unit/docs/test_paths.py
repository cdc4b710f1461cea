"""Every file, folder and test that the map, the recipes and docs/threats.md name is there."""

import re

import pytest

from support.checkout import CHECKOUT

ROOTS = (
    CHECKOUT,
    CHECKOUT / "locust-plugins" / "switchover",
    CHECKOUT / "jmeter-plugins" / "src" / "main" / "java" / "io" / "github" / "switchover" / "jmeter",
    CHECKOUT / "src" / "test" / "python",
    CHECKOUT / "src" / "test" / "java" / "io" / "github" / "switchover" / "jmeter",
)
PATH = re.compile(r"`([\w.{},-]+(?:/[\w.{},-]*)+)`")


def spelled_out(path: str) -> list[str]:
    """`a/{b,c}.py` is two paths."""
    braces = re.search(r"\{([^}]*)\}", path)
    if braces is None:
        return [path]
    return [f"{path[: braces.start()]}{part}{path[braces.end() :]}" for part in braces[1].split(",")]


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_named_files_exist(page: str) -> None:
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    named = [path for found in PATH.findall(text) for path in spelled_out(found)]
    lost = [path for path in named if "NAME" not in path and not any((root / path).exists() for root in ROOTS)]
    assert named
    assert lost == []


@pytest.mark.parametrize("page", ["Makefile", "CONTRIBUTING.md"])
def test_named_tests_exist(page: str) -> None:
    named = re.findall(r"TEST=([\w./]+)", (CHECKOUT / page).read_text(encoding="utf-8"))
    java = {path.stem for path in (CHECKOUT / "src" / "test" / "java").rglob("*.java")}
    assert named
    assert [test for test in named if test not in java and not (CHECKOUT / test).is_file()] == []


PAGE = (CHECKOUT / "docs" / "threats.md").read_text(encoding="utf-8")
TESTS = CHECKOUT / "src" / "test" / "python"
NAMED = sorted(set(re.findall(r"`((?:unit|integration)/[\w/]+\.py)(?:::(\w+))?`", PAGE)))


def test_it_names_tests() -> None:
    assert len(NAMED) > 20


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_the_named_test_is_there(file: str, name: str) -> None:
    text = (TESTS / file).read_text(encoding="utf-8")
    assert not name or f"def {name}(" in text
