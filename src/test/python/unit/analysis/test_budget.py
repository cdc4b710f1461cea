"""Budgets as text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.analysis.budget import BudgetName, parse_budget, with_defaults
from switchover.model.errors import UsageError
from vectors import cases


@pytest.mark.parametrize("case", cases("budgets"), ids=lambda case: case["text"] or "empty")
def test_budget_is_read_as_the_vectors_say(case: dict[str, Any]) -> None:
    if case.get("error"):
        with pytest.raises(UsageError) as caught:
            parse_budget(case["text"])
        assert "\n" not in str(caught.value) and repr(case["text"]) in str(caught.value)
    else:
        budget = parse_budget(case["text"])
        assert [budget.name, budget.limit, budget.unit, str(budget)] == [
            case["name"],
            pytest.approx(case["limit"]),
            case["unit"],
            case["printed"],
        ]


@given(st.text(max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        again = parse_budget(str(parse_budget(text)))
    except UsageError:
        return
    assert again.name in BudgetName


def test_defaults_hold_only_where_they_are_witnessed_and_not_asked_for() -> None:
    asked = [parse_budget("split-brain=2s")]
    assert with_defaults(asked, split_brain_witnessed=True, exclusive=False) == asked
    names = [budget.name for budget in with_defaults([], split_brain_witnessed=True, exclusive=True)]
    assert names == [BudgetName.SPLIT_BRAIN, BudgetName.UNEXPLAINED]
