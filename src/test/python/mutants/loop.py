"""`python -m mutants.loop PLACE SECONDS PROCESSES TEST…`: the process that tries the mutants of a staged tree.

mutmut makes the mutants. Its own loop begins pytest anew for each, and with the tests in any order; this one collects
the tests once and forks: a mutant costs what its tests take, those that reach it, and the quick ones first.
"""

import json
import math
import os
import sys
import time
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from mutmut.__main__ import create_mutants
from mutmut.configuration import config
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state
from mutmut.utils.format_utils import mangled_name_from_mutant_name

from mutants.forks import Forks, Limits
from mutants.reasons import read_reasons
from mutants.tree import CHANGED, Code, codes_of

MORE_CPU, LEAST_CPU_S = 4, 2
"""How much more than the tests take without a mutant they may compute. A machine that does much else changes nothing
in that."""
MORE_TIME, LEAST_TIME_S = 20, 20
"""And how much longer they may last: for what waits and does not compute."""
OPTIONS = ("-q", "-s", "--tb=native", "--assert=plain", "-m", "not integration", "-p", "no:cacheprovider")
"""An explanation of what differs would take longer than the test."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A test, and what it did alone and without a mutant."""

    item: pytest.Item
    reached: frozenset[str]
    """Names of functions, as mutmut writes them."""
    seconds: float
    cpu_s: float


class Loop:
    """A plugin: the mutants in place of the tests."""

    def __init__(self, place: Path, until: float, processes: int) -> None:
        self._place = place
        self._until = until
        self._forks = Forks(processes)
        self._witnesses: list[Witness] = []
        self._reaching: dict[str, list[Witness]] = defaultdict(list)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Interrupted("the tests cannot be collected")
        for number, item in enumerate(session.items):
            self._try_alone(item, self._place / f"{number}.json")
        self._forks.wait()
        for witness in _quick_first(self._witnesses):
            for function in witness.reached:
                self._reaching[function].append(witness)
        explained = read_reasons().keys()
        mutants = [(path, name) for path in codes_of(self._place) for name in _to_try(path, explained)]
        print(f"{len(self._witnesses)} tests, {len(mutants)} mutants to try", flush=True)
        for path, name in sorted(mutants, key=lambda one: self._cost_of(one[1])):
            if time.monotonic() < self._until:
                self._try_mutant(path, name)
        self._forks.wait()
        self._forks.close()
        return True

    def _try_alone(self, item: pytest.Item, seen: Path) -> None:
        def work() -> int:
            set_mutant_under_test("stats")
            os.environ.pop("MUTANT_UNDER_TEST")  # or what a test starts would count, too
            began = time.monotonic()
            failed = _fails([item])
            reached, seconds = sorted(state()._stats), time.monotonic() - began
            facts = {"reached": reached, "seconds": seconds, "cpu_s": time.process_time()}
            seen.write_text(json.dumps(facts), encoding="utf-8")
            return Code.NOTICED if failed else Code.SURVIVED

        def ended(code: int) -> None:
            if code == Code.SURVIVED:
                facts = json.loads(seen.read_text(encoding="utf-8"))
                reached = frozenset(facts["reached"])
                self._witnesses.append(Witness(item, reached, facts["seconds"], facts["cpu_s"]))
            else:
                print(f"left out, for it fails without a mutant, too: {item.nodeid}", flush=True)
            seen.unlink(missing_ok=True)

        self._forks.begin(work, ended, Limits(300, 600))

    def _try_mutant(self, path: Path, name: str) -> None:
        reaching = self._reaching[mangled_name_from_mutant_name(name)]
        tests = reaching or _quick_first(self._witnesses)  # a process that a test starts may reach it

        def work() -> int:
            set_mutant_under_test(name)
            return Code.NOTICED if _fails([one.item for one in tests]) else Code.SURVIVED

        def ended(code: int) -> None:
            kept = json.loads(path.read_text(encoding="utf-8"))
            kept["exit_code_by_key"][name] = Code.NO_TESTS if code == Code.SURVIVED and not reaching else code
            path.write_text(json.dumps(kept), encoding="utf-8")

        cpu_s, seconds = sum(one.cpu_s for one in tests), sum(one.seconds for one in tests)
        limits = Limits(LEAST_CPU_S + math.ceil(MORE_CPU * cpu_s), LEAST_TIME_S + math.ceil(MORE_TIME * seconds))
        self._forks.begin(work, ended, limits)

    def _cost_of(self, mutant: str) -> float:
        return sum(one.seconds for one in self._reaching[mangled_name_from_mutant_name(mutant)]) or math.inf


def _quick_first(tests: Sequence[Witness]) -> list[Witness]:
    """File by file, since what a file sets up is torn down behind its last test."""
    file_takes: dict[Path, float] = defaultdict(float)
    for test in tests:
        file_takes[test.item.path] += test.seconds
    return sorted(tests, key=lambda one: (file_takes[one.item.path], one.item.path, one.seconds))


def _to_try(path: Path, explained: Container[str]) -> Iterator[str]:
    """What was noticed in the last run is tried no more, nor what lived and may."""
    codes: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    lived = Code.SURVIVED, Code.NO_TESTS
    return (name for name, code in codes.items() if code is None or (code in lived and name not in explained))


def _fails(items: Sequence[pytest.Item]) -> bool:
    """Whether one of them does; those behind it are not run."""
    for item, following in zip(items, (*items[1:], None), strict=True):
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
            return True
    return False


def main() -> int:
    place, seconds, processes, *tests = sys.argv[1:]
    until = time.monotonic() + float(seconds)
    with chdir(place):
        config()  # it reads the folder that it is first asked in
        create_mutants(int(processes))
    with chdir(Path(place) / CHANGED):
        return int(pytest.main([*OPTIONS, *tests], plugins=[Loop(Path(place), until, int(processes))]))


if __name__ == "__main__":
    sys.exit(main())
