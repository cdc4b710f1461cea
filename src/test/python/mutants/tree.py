"""The tree in which a module is mutated, in build/mutants: the code with all of mutmut's changes, and the tests."""

import os
import shutil
import tomllib
from enum import IntEnum
from pathlib import Path

import tomli_w

from mutants.modules import files_of

ROOT = Path(__file__).parents[4]
BUILD = ROOT / "build" / "mutants"
PACKAGES = ROOT / "locust-plugins"
CHANGED = "mutants"
"""mutmut's name for the folder of the changed code."""
_NOT_READ = ("src", "build", "target", "runs", "pyproject.toml")


class Code(IntEnum):
    """What mutmut keeps of a mutant; of one that a signal ended, its number, negative."""

    SURVIVED = 0
    NOTICED = 1
    NO_TESTS = 33


def stage(module: str, *, keep_noticed: bool) -> Path:
    """The package as it is, for mutmut; and in `mutants` what the tests are to see. The changes are not made yet.

    With `keep_noticed`, a function that is the same as in the last run keeps what became of its mutants.
    """
    place = BUILD / module.replace("/", "-").removesuffix(".py")
    earlier = {path: path.read_bytes() for path in codes_of(place)} if keep_noticed else {}
    shutil.rmtree(place, ignore_errors=True)
    changed = place / CHANGED
    left_out = shutil.ignore_patterns("__pycache__")
    for to in (place, changed):
        shutil.copytree(PACKAGES / "switchover", to / "switchover", ignore=left_out)
    shutil.copytree(ROOT / "src", changed / "src", ignore=left_out)
    for entry in ROOT.iterdir():
        if entry.name not in _NOT_READ and not entry.name.startswith("."):
            (changed / entry.name).symlink_to(entry)
    for path, kept in earlier.items():
        path.write_bytes(kept)
    only = [f"switchover/{path.relative_to(PACKAGES / 'switchover')}" for path in files_of(module)]
    mutmut = {"source_paths": ["switchover"], "only_mutate": only, "track_dependencies": False}
    usual = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    pytest = {
        "pythonpath": [".", "src/test/python"],
        "addopts": ["--import-mode=importlib"],
        "markers": usual["markers"],
        "filterwarnings": usual["filterwarnings"],
    }
    settings = tomli_w.dumps({"tool": {"mutmut": mutmut, "pytest": {"ini_options": pytest}}})
    for to in (place, changed):
        (to / "pyproject.toml").write_text(settings, encoding="utf-8")
    return place


def codes_of(place: Path) -> list[Path]:
    """Where mutmut keeps what became of each mutant, beside each file that it changed."""
    return sorted((place / CHANGED / "switchover").rglob("*.meta"))


def environment_of(place: Path) -> dict[str, str]:
    """Children of a test are to be the mutant, too."""
    changed = place / CHANGED
    paths = (changed, changed / "src" / "test" / "python")
    return os.environ | {
        "PYTHONPATH": ":".join(map(str, paths)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HYPOTHESIS_PROFILE": "few",
    }
