"""mutmut, in a copy of the tree of its own in build/mutants: it changes the code that it tries."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import tomli_w

from mutants.modules import MODULES

ROOT = Path(__file__).parents[4]
BUILD = ROOT / "build" / "mutants"
PATIENCE_S = 10.0
"""What mutmut adds to the usual time of the tests, before it multiplies both: on a machine that does much else, its
second was too short for changes that do not hang."""
SURVIVED, NOT_TRIED = "survived", "not tried"
_WORDS = {
    0: SURVIVED,
    1: "killed",
    3: "killed",
    5: "no tests",
    33: "no tests",
    34: "skipped",
    -11: "killed",
    -9: "killed",
}
_WORDS |= dict.fromkeys((36, 24, -24, 152, 255), "timeout")
"""By the exit code that mutmut keeps of each (its stats.py). A change that hangs or breaks the program is noticed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    counts: Counter[str]
    """Of mutants, by what became of them."""
    survivors: tuple[str, ...]
    """Their names."""

    @property
    def noticed(self) -> int:
        return self.counts["killed"] + self.counts["timeout"]

    @property
    def total(self) -> int:
        return self.counts.total()


def stage(module: str) -> Path:
    """The tree: the package at its root, where mutmut finds it by its name, and the tests."""
    place = BUILD / module.replace("/", "-").removesuffix(".py")
    shutil.rmtree(place, ignore_errors=True)
    left_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "locust-plugins" / "switchover", place / "switchover", ignore=left_out)
    shutil.copytree(ROOT / "src" / "test", place / "src" / "test", ignore=left_out)
    pattern = f"switchover/{module}" if module.endswith(".py") else f"switchover/{module}/*"
    settings = {
        "source_paths": ["switchover"],
        "only_mutate": [pattern],
        "also_copy": ["src"],
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "-x", "-q"],
        "pytest_add_cli_args_test_selection": [f"src/test/python/{path}" for path in MODULES[module]],
        "use_git_change_detection": False,
        # Without it, mutmut 3.8.1 ends with a KeyError where a test has left a process behind.
        "process_isolation": "forkserver",
        "timeout_constant": PATIENCE_S,
    }
    pytest = {"pythonpath": [".", "src/test/python"], "addopts": ["--import-mode=importlib"]}
    pytest["markers"] = ["integration", "core", "beside", "long"]
    project = {"tool": {"mutmut": settings, "pytest": {"ini_options": pytest}}}
    (place / "pyproject.toml").write_text(tomli_w.dumps(project), encoding="utf-8")
    return place


def try_mutants(module: str, seconds: float, processes: int) -> Outcome:
    """What is not tried when the time is up counts as not tried."""
    place = stage(module)
    # Children of a test are to be the mutant, too.
    paths = (place / "mutants", place / "mutants" / "src" / "test" / "python")
    paths[1].mkdir(parents=True)  # a place that is not there when Python starts, it never looks into
    environment = os.environ | {"PYTHONPATH": ":".join(map(str, paths)), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["HYPOTHESIS_PROFILE"] = "few"
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(processes)]
    log = place / "mutmut.log"
    try:
        with log.open("wb") as said:
            done = subprocess.run(
                command, cwd=place, env=environment, timeout=seconds, check=False, stdout=said, stderr=said
            )
        assert done.returncode == 0, f"mutmut ended with {done.returncode}, see {log}"
    except subprocess.TimeoutExpired:
        pass
    return outcome_of(place)


def outcome_of(place: Path) -> Outcome:
    """From what mutmut keeps beside each mutated file."""
    counts: Counter[str] = Counter()
    survivors = []
    for path in sorted((place / "mutants").rglob("*.meta")):
        for name, code in json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"].items():
            word = _word(code)
            counts[word] += 1
            if word == SURVIVED:
                survivors.append(name)
    return Outcome(counts, tuple(survivors))


def _word(code: int | None) -> str:
    return NOT_TRIED if code is None else _WORDS.get(code, "suspicious")
