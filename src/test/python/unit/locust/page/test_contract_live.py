"""What the web page shows of a run while it goes on. LiveContractTest.java holds JMeter's window to the same."""

from typing import Any

import pytest

from support.contract import FOLDER, named
from support.live_vectors import FILE, formatted, live_vectors, shown


@pytest.mark.parametrize("case", named(FILE, "cases"))
def test_a_run_is_shown_as_the_vectors_say(case: dict[str, Any]) -> None:
    assert shown(case) == case["shown"]


def test_the_vectors_are_those_of_their_table() -> None:
    """`python -m support.live_vectors` writes the file anew."""
    assert (FOLDER / FILE).read_text(encoding="utf-8") == formatted(live_vectors())
