"""Each test that docs/threats.md names is there."""

import re

import pytest

from support.checkout import CHECKOUT

PAGE = (CHECKOUT / "docs" / "threats.md").read_text(encoding="utf-8")
TESTS = CHECKOUT / "src" / "test" / "python"
NAMED = sorted(set(re.findall(r"`((?:unit|integration)/[\w/]+\.py)(?:::(\w+))?`", PAGE)))


def test_it_names_tests() -> None:
    assert len(NAMED) > 20


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_the_named_test_is_there(file: str, name: str) -> None:
    text = (TESTS / file).read_text(encoding="utf-8")
    assert not name or f"def {name}(" in text
