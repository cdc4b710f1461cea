"""What the workflows run is there."""

import re
from pathlib import Path

import pytest

from support.checkout import CHECKOUT

WORKFLOWS = sorted((CHECKOUT / ".github" / "workflows").glob("*.yml"))
MADE = re.compile(r"\bmake ([a-z-]+)")


@pytest.mark.parametrize("name", ["test", "test-all", "drill", "dist", "release"])
def test_there_is_a_workflow(name: str) -> None:
    assert name in [path.stem for path in WORKFLOWS]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_each_runs_targets_of_the_makefile(path: Path) -> None:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    steps = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.strip().startswith("#")]
    targets = MADE.findall("\n".join(steps))
    assert targets
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.M)] == []
