"""The rooms of the package: which there are, and that each imports only those before it."""

import shutil
import subprocess
import sys
from pathlib import Path

from support.checkout import CHECKOUT

PACKAGE = CHECKOUT / "locust-plugins" / "switchover"
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")


def lint_imports(checkout: Path) -> "subprocess.CompletedProcess[str]":
    """The contracts of pyproject.toml, checked on the package in `checkout`."""
    return subprocess.run(
        [LINT_IMPORTS, "--no-cache"],
        cwd=checkout,
        env={"PYTHONPATH": str(checkout / "locust-plugins"), "PATH": "/usr/bin:/bin", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_only_rooms_stand_at_the_root() -> None:
    files = {path.name for path in PACKAGE.iterdir() if path.is_file()}
    assert files == {"__init__.py", "__main__.py", "py.typed"}


def test_each_room_imports_only_those_before_it() -> None:
    checked = lint_imports(CHECKOUT)
    assert checked.returncode == 0, checked.stdout


def test_a_fault_that_imports_the_lab_breaks_the_contract(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "locust-plugins" / "switchover")
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    with (tmp_path / "locust-plugins" / "switchover" / "faults" / "guard.py").open("a") as guard:
        guard.write("\nimport switchover.lab\n")
    checked = lint_imports(tmp_path)
    assert checked.returncode != 0
    assert "switchover.faults.guard -> switchover.lab" in checked.stdout
