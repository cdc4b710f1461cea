"""The mutants of a room of Java, by PIT, which the profile `mutants` of pom.xml pins and sets up."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from mutants.reasons import read_reasons
from mutants.run import KILLED, NO_TESTS, NOT_TRIED, SURVIVED, TIMEOUT, Outcome
from mutants.tree import BUILD, ROOT

PACKAGE = "io.github.switchover.jmeter"
SOURCES = ROOT.joinpath("jmeter-plugins", "src", "main", "java", *PACKAGE.split("."))
ROOMS = {f"java:{room}": room for room in ("faults", "judge", "streaming")}
"""The tests of a room are those of its own package."""
AT_ONCE = 60
"""Classes are tried together up to so many mutants: each time Maven begins, and all tests run once without one."""
_WORDS = {"SURVIVED": SURVIVED, "NO_COVERAGE": NO_TESTS, "TIMED_OUT": TIMEOUT, "NOT_STARTED": NOT_TRIED}
"""A change that the JVM refuses, or that ends it, is noticed as well."""


def try_mutants(module: str, seconds: float, processes: int, *, again: bool) -> Outcome:
    """A few classes at a time, each kept when it is done. What is not when the time is up counts as not tried.

    `again`: a class is not tried if its code is not newer, and each of its mutants was noticed or may live.
    """
    room = Room(ROOMS[module], BUILD / module.replace(":", "-"), processes, time.monotonic() + seconds)
    if not again:
        shutil.rmtree(room.place, ignore_errors=True)
    room.place.mkdir(parents=True, exist_ok=True)
    listed = room.run(["*"], "test-compile", "-Dpit.dryRun=true")
    if listed is None:
        sys.exit(f"{module} is not compiled within {seconds / 60:g} minutes: try more --minutes")
    every = by_class(listed)
    explained = read_reasons().keys()
    left = {name: len(mutants) for name, mutants in every.items() if not is_done(room.kept(name), explained)}
    for names in batches(left):
        found = room.run([f"{name}{inner}" for name in names for inner in ("", "$*")])
        if found is None:
            break
        for name, mutants in by_class(found).items():
            room.keep(name, mutants)
    not_tried = [name for name in every if not room.kept(name)]
    if not_tried:
        print(f"{module}: not tried: {', '.join(not_tried)}", flush=True)
    return outcome_of(mutant for name, mutants in every.items() for mutant in room.kept(name) or mutants)


@dataclass(frozen=True, slots=True)
class Room:
    name: str
    place: Path
    """For a file of each class, as PIT writes it, and what Maven said the last time."""
    processes: int
    until: float
    """By the monotonic clock."""

    def run(self, classes: Iterable[str], *more: str) -> list[Element] | None:
        """Their mutants, by PIT; None: it was not done when the time was up."""
        reports = self.place / "latest"
        command = [
            *("mvn", "-B", "-ntp", "-P", "mutants", *more, "pitest:mutationCoverage"),
            f"-DtargetClasses={','.join(f'{PACKAGE}.{self.name}.{one}' for one in classes)}",
            f"-DtargetTests={PACKAGE}.{self.name}.*",
            f"-Dthreads={self.processes}",
            f"-DreportsDirectory={reports}",
        ]
        log = self.place / "log"
        with (
            log.open("wb") as said,
            subprocess.Popen(command, cwd=ROOT, stdout=said, stderr=said, start_new_session=True) as maven,
        ):
            try:
                status = maven.wait(max(0.0, self.until - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(maven.pid, signal.SIGKILL)  # and the JVMs of the mutants
                return None
        assert status == 0, f"Maven ended with {status}, see {log}"
        return read_mutants(reports / "mutations.xml")

    def keep(self, name: str, mutants: Iterable[Element]) -> None:
        root = Element("mutations")
        root.extend(mutants)
        ElementTree.ElementTree(root).write(self._file(name))

    def kept(self, name: str) -> list[Element]:
        """None where the code has changed since."""
        kept, code = self._file(name), SOURCES / self.name / f"{name}.java"
        if not kept.exists() or kept.stat().st_mtime < code.stat().st_mtime:
            return []
        return read_mutants(kept)

    def _file(self, name: str) -> Path:
        return self.place / f"{name}.xml"


def read_mutants(report: Path) -> list[Element]:
    return ElementTree.parse(report).getroot().findall("mutation")


def by_class(mutants: Iterable[Element]) -> dict[str, list[Element]]:
    """By the name of the file that it stands in, in the order of the code."""
    found: dict[str, list[Element]] = {}
    for mutant in sorted(mutants, key=_position):
        found.setdefault(mutant.findtext("sourceFile", "").removesuffix(".java"), []).append(mutant)
    return found


def _position(mutant: Element) -> tuple[str, int, int]:
    return (
        mutant.findtext("mutatedClass", ""),
        int(mutant.findtext("lineNumber", "0")),
        int(mutant.findtext("indexes/index", "0")),
    )


def batches(counts: Mapping[str, int]) -> Iterator[list[str]]:
    """Of classes, by how many mutants each has."""
    batch: list[str] = []
    for name, count in counts.items():
        if batch and sum(counts[one] for one in batch) + count > AT_ONCE:
            yield batch
            batch = []
        batch.append(name)
    if batch:
        yield batch


def is_done(mutants: Iterable[Element], explained: Container[str]) -> bool:
    found = outcome_of(mutants)
    return found.total > 0 and not found.counts[NO_TESTS] and all(name in explained for name in found.survivors)


def outcome_of(mutants: Iterable[Element]) -> Outcome:
    """A mutant's name is its method, what was changed, and the how many-th change of its kind in it."""
    counts: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    survivors = []
    for mutant in mutants:
        word = _WORDS.get(mutant.attrib["status"], KILLED)
        counts[word] += 1
        facts = (mutant.findtext(tag, "") for tag in ("mutatedClass", "mutatedMethod", "mutator"))
        in_class, method, mutator = (fact.removeprefix(f"{PACKAGE}.") for fact in facts)
        change = f"{in_class}.{method} {mutator.rpartition('.')[2].removesuffix('Mutator')}"
        seen[change] += 1
        if word == SURVIVED:
            survivors.append(f"{change} {seen[change]}")
    return Outcome(counts, tuple(survivors))
