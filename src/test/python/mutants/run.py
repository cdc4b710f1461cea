"""The mutants of a module, and what became of them."""

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mutants.modules import MODULES
from mutants.tree import CHANGED, Code, codes_of, environment_of, stage

SURVIVED, KILLED, TIMEOUT, NO_TESTS, NOT_TRIED = "survived", "killed", "timeout", "no tests", "not tried"
_WORDS = {
    Code.SURVIVED: SURVIVED,
    Code.NOTICED: KILLED,
    Code.NO_TESTS: NO_TESTS,
    -signal.SIGALRM: TIMEOUT,
    -signal.SIGXCPU: TIMEOUT,
}
"""By what is kept of each. A change that hangs, or breaks the program by any other signal, is noticed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    counts: Counter[str]
    """Of mutants, by what became of them."""
    survivors: tuple[str, ...]
    """Their names; those that no test reaches are not among them."""

    @property
    def noticed(self) -> int:
        return self.counts[KILLED] + self.counts[TIMEOUT]

    @property
    def total(self) -> int:
        return self.counts.total()


def try_mutants(module: str, seconds: float, processes: int, *, again: bool) -> Outcome:
    """What is not tried when the time is up counts as not tried. `again`: what was noticed before is not tried."""
    place = stage(module, keep_noticed=again)
    tests = [f"src/test/python/{path}" for path in MODULES[module]]
    command = [sys.executable, "-m", "mutants.loop", str(place), str(seconds), str(processes), *tests]
    log = place / "log"
    with log.open("wb") as said:
        done = subprocess.run(
            command,
            cwd=place / CHANGED,
            env=environment_of(place),
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )
    assert done.returncode in (0, 5), f"the loop ended with {done.returncode}, see {log}"
    return outcome_of(codes_of(place))


def outcome_of(kept: Sequence[Path]) -> Outcome:
    counts: Counter[str] = Counter()
    survivors = []
    for path in kept:
        for name, code in json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"].items():
            word = NOT_TRIED if code is None else _WORDS.get(code, KILLED)
            counts[word] += 1
            if word == SURVIVED:
                survivors.append(name)
    return Outcome(counts, tuple(survivors))
