"""What can be known before a kill is said before it."""

from pathlib import Path
from typing import Any

import pytest

from support.contract import named
from switchover.drill.prepare import find_known_problems, refuse_known_problems
from switchover.model.errors import UsageError
from switchover.target.model import Endpoint, Target
from switchover.target.reader import load_target


@pytest.mark.parametrize("case", named("known_problems.json", "cases"))
def test_what_is_known_is_said_as_agreed(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "target.toml"
    path.write_text(case["text"], encoding="utf-8")
    assert list(find_known_problems(load_target(path), case["limits"])) == case["problems"]


def test_a_known_problem_is_refused() -> None:
    target = Target(Endpoint("http://198.18.0.50/"))
    with pytest.raises(UsageError, match="dedicated = true"):
        refuse_known_problems(target, ["unaccounted=0"])
    refuse_known_problems(target, ["outage=5s"])
