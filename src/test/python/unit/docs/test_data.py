"""docs/proof/COLUMNS.txt has each committed data file in one section, and names each of its columns there."""

import csv
import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from support.checkout import CHECKOUT

DOCS = CHECKOUT / "docs"
DATA = (".json", ".csv", ".parquet", ".pcap")
PAGE = (DOCS / "proof" / "COLUMNS.txt").read_text(encoding="utf-8")
SHARED = "## Columns that several files have"
FILES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*") if path.suffix in DATA)


def named(text: str) -> list[str]:
    """What stands in the first cells of tables, between backticks."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("|")]
    return [name for cell in rows for name in re.findall(r"`([^`]+)`", cell)]


def sections() -> dict[tuple[str, ...], str]:
    """The patterns of a section's files -> its text."""
    found = re.split(r"^### (.+)$", PAGE, flags=re.M)[1:]
    return {
        tuple(re.findall(r"`([^`]+)`", heading)): text for heading, text in zip(found[::2], found[1::2], strict=True)
    }


def columns_of(path: Path) -> set[str]:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return set(next(csv.reader(file)))
    if path.suffix == ".pcap":  # a form of its own
        return set()
    return set(_leaves(json.loads(path.read_text(encoding="utf-8"))))


def _leaves(value: Any, path: str = "") -> Iterator[str]:
    """Where its values are: the keys on the way, with dots between."""
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from _leaves(inside, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for inside in value:
            yield from _leaves(inside, path)
    else:
        yield path


def is_named(column: str, names: list[str]) -> bool:
    """By its whole name, or by the end of it: above it are the names of cases."""
    return any(fnmatchcase(column, name) or fnmatchcase(column, f"*.{name}") for name in names)


def section_of(file: str) -> str:
    (text,) = [text for patterns, text in sections().items() if any(fnmatchcase(file, one) for one in patterns)]
    return text


@pytest.mark.parametrize("file", FILES)
def test_each_column_of_a_file_is_named(file: str) -> None:
    names = named(section_of(file)) + named(PAGE.partition(SHARED)[2].partition("\n## ")[0])
    assert {column for column in columns_of(DOCS / file) if not is_named(column, names)} == set()


@pytest.mark.parametrize("patterns", sections(), ids=" ".join)
def test_each_column_that_is_named_is_there(patterns: tuple[str, ...]) -> None:
    files = [file for file in FILES if any(fnmatchcase(file, one) for one in patterns)]
    columns = set().union(*(columns_of(DOCS / file) for file in files))
    assert {
        name for name in named(sections()[patterns]) if not any(is_named(one, [name]) for one in columns)
    } == set()


def test_the_program_of_each_command_is_there() -> None:
    for module in re.findall(r"python -m proof\.(\w+)", PAGE):
        assert (CHECKOUT / "src/test/python/proof" / f"{module}.py").exists()
