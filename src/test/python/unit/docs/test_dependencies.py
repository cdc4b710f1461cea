"""docs/dependencies.csv lists each pinned package, and a version that stands in two files is the same in both."""

import csv
import re
from pathlib import Path

import pytest

import switchover
from support.checkout import CHECKOUT

with (CHECKOUT / "docs" / "dependencies.csv").open(encoding="utf-8", newline="") as file:
    LISTED = {(row["kind"], row["name"], row["version"]) for row in csv.DictReader(file)}


@pytest.mark.parametrize("lock", sorted((CHECKOUT / "requirements").glob("*.txt")), ids=lambda lock: lock.stem)
def test_each_pinned_python_package_is_listed_with_its_version(lock: Path) -> None:
    stale = re.findall(r"(?m)^([A-Za-z0-9_.-]+)==([^\s;]+)", lock.read_text(encoding="utf-8"))
    assert stale
    assert [name for name, version in stale if ("python", name, version) not in LISTED] == [], "run make dependencies"


def test_each_artifact_that_the_pom_names_is_listed_with_its_version() -> None:
    pom = (CHECKOUT / "pom.xml").read_text(encoding="utf-8")
    found = re.findall(r"<artifactId>([^<]+)</artifactId>\s*<version>([^<$]+)</version>", between_dependencies(pom))
    assert found
    assert {("java", *artifact) for artifact in found} - LISTED == set(), "run make dependencies"


def between_dependencies(pom: str) -> str:
    """All that stands in `<dependencies>`, without plugins."""
    return "\n".join(re.findall(r"<dependencies>(.*?)</dependencies>", pom.partition("<build>")[0], re.DOTALL))


def told(file: str, tag: str) -> str:
    found = re.search(f"<{tag}>(.*?)</{tag}>", (CHECKOUT / file).read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def test_both_halves_have_one_version() -> None:
    assert told("pom.xml", "version") == switchover.__version__


def test_the_plugin_is_compiled_against_the_jmeter_that_is_assembled() -> None:
    assert told("pom.xml", "jmeter.version") == told("tools/jmeter/pom.xml", "jmeter.version")
