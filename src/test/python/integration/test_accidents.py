"""Each accident once, in the middle of a drill of a hand-made pair; `make proof` has twenty of each."""

from pathlib import Path

import pytest

from support.accidents import ACCIDENTS, have_accident
from switchover.lab.lab import Lab

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("name", ACCIDENTS)
def test_the_pair_serves_again_in_time_or_nothing_was_fired(lab: Lab, tmp_path: Path, name: str) -> None:
    outcome = have_accident(lab, name, 1, tmp_path)
    assert outcome.held, outcome
