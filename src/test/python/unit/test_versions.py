"""What is written down in two places is the same in both."""

import re

import switchover
from support.checkout import CHECKOUT

ROOT = CHECKOUT


def told(file: str, tag: str) -> str:
    found = re.search(f"<{tag}>(.*?)</{tag}>", (ROOT / file).read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def test_both_halves_have_one_version() -> None:
    assert told("pom.xml", "version") == switchover.__version__


def test_the_plugin_is_compiled_against_the_jmeter_that_is_assembled() -> None:
    assert told("pom.xml", "jmeter.version") == told("tools/jmeter/pom.xml", "jmeter.version")
