"""What judges needs no threads for matrices, and takes none from what it starts."""

import subprocess
import sys

import pytest

from switchover.process.json_child import package_environment

NAME = "OPENBLAS_NUM_THREADS"


def after_the_import(code: str, given: dict[str, str]) -> str:
    kept = {name: value for name, value in package_environment().items() if name != NAME}
    imported = f"import os; from switchover.cli.main import build_parser; build_parser('report'); print({code})"
    ended = subprocess.run(
        [sys.executable, "-P", "-c", imported], env=kept | given, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def test_numpy_starts_no_thread() -> None:
    assert after_the_import("len(os.listdir('/proc/self/task'))", {}) == "1"


@pytest.mark.parametrize(("given", "left"), [({}, "None"), ({NAME: "2"}, "2")])
def test_the_environment_stays_as_it_was(given: dict[str, str], left: str) -> None:
    assert after_the_import(f"os.environ.get({NAME!r})", given) == left
