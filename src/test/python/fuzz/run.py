"""One target in a process of its own, for a while: how much was tried, what it reached, and what it found."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Timer

from fuzz.seeds import seeds_of

ROOT = Path(__file__).parents[4]
BUILD = ROOT / "build" / "fuzz"
INPUT_S = 10
"""An input that takes longer is found: a reader must not stand still."""
MEMORY_MB = 2048
ENDS_WITHIN_S = 600.0
"""For a machine that does much else: to begin and to end takes seconds of its own."""
_RUNS = re.compile(r"stat::number_of_executed_units: (\d+)")
_COVERED = re.compile(r"\bcov: (\d+)")
_FOUND = re.compile(r"Test unit written to (\S+)")
_PYTHON_SAYS = re.compile(r"=== Uncaught Python exception: ===\n(.+)")
_JAVA_SAYS = re.compile(r"== Java Exception: (.+)")
_LIBFUZZER_SAYS = re.compile(r"ERROR: libFuzzer: (.+)")


@dataclass(frozen=True, slots=True)
class Outcome:
    runs: int
    covered: int
    """Edges of the code's branches, as libFuzzer counts them."""
    found: str
    """What a reader raised that it must not, or an input that it stood still at; empty: nothing."""
    input_file: str = ""
    processor_s: float = 0.0
    """Of its process and the children that it waited for: how much of its time a busy machine gave it."""


def python_command(name: str) -> list[str]:
    return [sys.executable, "-m", "fuzz.one", name]


def fuzz(name: str, reader: str, command: Sequence[str], seconds: int) -> Outcome:
    """`command` takes libFuzzer's folders and options behind it. What is new is kept in build/fuzz."""
    grown, seeds = BUILD / name, BUILD / f"{name}-seeds"
    for place in (grown, seeds):
        place.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds_of(reader)):
        (seeds / str(number)).write_bytes(seed)
    folders = [str(grown), str(seeds)]
    options = [f"-max_total_time={seconds}", f"-timeout={INPUT_S}", f"-rss_limit_mb={MEMORY_MB}"]
    options += ["-print_final_stats=1", f"-artifact_prefix={BUILD}/{name}-"]
    with tempfile.TemporaryFile() as said:
        processor_s = _run([*command, *folders, *options], said.fileno(), seconds + ENDS_WITHIN_S)
        said.seek(0)
        return replace(outcome_of(said.read().decode("utf-8", "replace")), processor_s=processor_s)


def _run(command: Sequence[str], output: int, within_s: float) -> float:
    """The processor time that it took; it is killed where it does not end."""
    process = subprocess.Popen(command, stdout=output, stderr=output)
    patience = Timer(within_s, process.kill)
    patience.start()
    try:
        _, status, used = os.wait4(process.pid, 0)
    finally:
        patience.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def outcome_of(said: str) -> Outcome:
    """From what libFuzzer printed."""
    covered = _COVERED.findall(said)
    runs = _RUNS.search(said)
    found, unit = "", _FOUND.search(said)
    for pattern in (_PYTHON_SAYS, _JAVA_SAYS, _LIBFUZZER_SAYS):
        if not found and (match := pattern.search(said)):
            found = match[1].strip()
    if runs is None and not found:
        found = f"it did not begin: {said.strip().rpartition(chr(10))[2][-200:]}"
    return Outcome(int(runs[1]) if runs else 0, int(covered[-1]) if covered else 0, found, unit[1] if unit else "")
