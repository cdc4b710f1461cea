"""The mutants of a room of Java, by PIT, which the profile `mutants` of pom.xml pins and sets up."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from mutants.run import KILLED, NO_TESTS, SURVIVED, TIMEOUT, Outcome
from mutants.tree import BUILD, ROOT

PACKAGE = "io.github.switchover.jmeter"
ROOMS = {f"java:{room}": room for room in ("faults", "judge", "streaming")}
"""The tests of a room are those of its own package."""
_WORDS = {"SURVIVED": SURVIVED, "NO_COVERAGE": NO_TESTS, "TIMED_OUT": TIMEOUT}
"""A change that the JVM refuses, or that ends it, is noticed as well."""


def try_mutants(module: str, seconds: float, processes: int) -> Outcome:
    """All of them: PIT says what it found when it has tried the last one."""
    room = ROOMS[module]
    reports = BUILD / f"java-{room}"
    command = [
        *("mvn", "-B", "-ntp", "-P", "mutants", "test-compile", "pitest:mutationCoverage"),
        f"-DtargetClasses={PACKAGE}.{room}.*",
        f"-DtargetTests={PACKAGE}.{room}.*",
        f"-Dthreads={processes}",
        f"-DreportsDirectory={reports}",
    ]
    reports.mkdir(parents=True, exist_ok=True)
    log = reports / "log"
    with (
        log.open("wb") as said,
        subprocess.Popen(command, cwd=ROOT, stdout=said, stderr=said, start_new_session=True) as maven,
    ):
        try:
            status = maven.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(maven.pid, signal.SIGKILL)  # and the JVMs of the mutants
            sys.exit(f"{module} is not done within {seconds / 60:g} minutes, and nothing is kept: try more --minutes")
    assert status == 0, f"Maven ended with {status}, see {log}"
    return outcome_of(reports / "mutations.xml")


def outcome_of(report: Path) -> Outcome:
    """A mutant's name is its method, what was changed, and the how many-th change of its kind in it."""
    counts: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    survivors = []
    for mutation in ElementTree.parse(report).getroot().iter("mutation"):
        word = _WORDS.get(mutation.attrib["status"], KILLED)
        counts[word] += 1
        facts = (mutation.findtext(tag, "") for tag in ("mutatedClass", "mutatedMethod", "mutator"))
        in_class, method, mutator = (fact.removeprefix(f"{PACKAGE}.") for fact in facts)
        change = f"{in_class}.{method} {mutator.rpartition('.')[2].removesuffix('Mutator')}"
        seen[change] += 1
        if word == SURVIVED:
            survivors.append(f"{change} {seen[change]}")
    return Outcome(counts, tuple(survivors))
