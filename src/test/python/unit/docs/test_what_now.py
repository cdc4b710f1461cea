"""docs/what-now.md has a row for each word that is not good, and for each reason."""

import re

import pytest

from support.checkout import CHECKOUT
from switchover.verdict.reasons import REASONS
from switchover.verdict.record import Status

PAGE = (CHECKOUT / "docs" / "what-now.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]
WORDS = [word for word in Status if word.exit_code]


@pytest.mark.parametrize("word", WORDS)
def test_a_word_that_is_not_good_has_a_row_with_its_exit_code(word: Status) -> None:
    (row,) = [row for row in ROWS if row[0] == word.value]
    assert row[1] == str(word.exit_code)
    assert all(row)


def test_the_words_stand_in_the_order_in_which_they_outrank_each_other() -> None:
    assert [row[0] for row in ROWS if re.fullmatch("[A-Z ]+", row[0])] == [word.value for word in WORDS]


@pytest.mark.parametrize("code", REASONS)
def test_a_reason_has_a_row(code: str) -> None:
    (row,) = [row for row in ROWS if row[0] == f"`{code}`"]
    assert all(row)


def test_each_reason_of_the_page_is_one() -> None:
    named = {row[0].strip("`") for row in ROWS if row[0].startswith("`")}
    assert named == set(REASONS)
