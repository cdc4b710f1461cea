"""Random damage to run directories, and what a report says of them.

`PYTHONPATH=src/test/python python -m support.damage [--times N] [--seed N] [--jar FILE] RUN…` damages copies of run
directories, one file at a time (or two that change their names), and prints each whose word and figures are not as
they may be: those of `switchover report`, and with --jar those of the plugin's `verdict`.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from switchover.evidence.requests.table import COUNTED
from switchover.evidence.run_data import load
from switchover.model.errors import SwitchoverError
from switchover.verdict.judge import judge

READ = ("run.json", "journal*.lp", "probes.jtl", "samples*.jtl", "held*.jtl", "access-*.csv")
"""Files that a report reads."""


@dataclass(frozen=True, slots=True)
class Misfortune:
    """One damage to one file, which `seed` makes again."""

    name: str
    what: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what}"


def cut(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    place = chance.randrange(len(data))
    return data[:place], f"cut to {place:,} of {len(data):,} bytes"


def cut_at_a_line(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    place = data.rfind(b"\n", 0, chance.randrange(len(data))) + 1
    return data[:place], f"cut to {place:,} of {len(data):,} bytes, at the end of a line"


def flip(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    changed, times = bytearray(data), chance.choice((1, 3, 20, 400))
    for _ in range(times):
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed), f"{times} bits flipped"


def lose_a_part(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    begin, end = sorted(chance.randrange(len(data)) for _ in range(2))
    return data[:begin] + data[end + 1 :], f"without bytes {begin:,} to {end + 1:,}"


def zero_a_part(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    """As a machine that crashed leaves them."""
    begin = chance.randrange(len(data))
    end = min(len(data), begin + chance.choice((1, 100, 4096)))
    return data[:begin] + bytes(end - begin) + data[end:], f"zeros from {begin:,} to {end:,}"


def repeat_a_part(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    begin = chance.randrange(len(data))
    end = min(len(data), begin + chance.choice((100, 4096)))
    return data[:end] + data[begin:], f"bytes {begin:,} to {end:,} twice"


def lose_a_line(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    lines = data.splitlines(keepends=True)
    place = chance.randrange(len(lines))
    return b"".join(lines[:place] + lines[place + 1 :]), f"without line {place + 1:,} of {len(lines):,}"


KINDS: Sequence[Callable[[bytes, random.Random], tuple[bytes, str]]] = (
    cut, cut, cut_at_a_line, cut_at_a_line, flip, flip, flip, lose_a_part, zero_a_part, repeat_a_part,
    lose_a_line, lose_a_line,
)  # fmt: skip


WHOLE_FILES = 0.15
"""The part of the damages that leaves no byte changed: a file is gone, or has another's name."""


def lose_a_file(path: Path) -> Misfortune:
    path.unlink()
    return Misfortune(path.name, "gone")


def swap_files(one: Path, other: Path) -> Misfortune:
    contents = one.read_bytes(), other.read_bytes()
    one.write_bytes(contents[1])
    other.write_bytes(contents[0])
    return Misfortune(one.name, f"changed places with {other.name}")


def damage(directory: Path, chance: random.Random, kinds: Sequence[Callable[..., tuple[bytes, str]]]) -> Misfortune:
    """Damages one file of a run directory that a report reads."""
    files = sorted({path for pattern in READ for path in directory.glob(pattern) if path.stat().st_size})
    files = [path for path in files if path.name != "journal-verdict.lp"]
    path = chance.choice(files)
    if kinds is KINDS and chance.random() < WHOLE_FILES:
        return lose_a_file(path) if chance.random() < 0.5 else swap_files(path, chance.choice(files))
    before = path.read_bytes()
    after, what = chance.choice(kinds)(before, chance)
    path.write_bytes(after)
    return Misfortune(path.name, what + (", which changed nothing" if after == before else ""))


Figures = Callable[[Path], dict[str, Any]]
"""All that the verdict of a run directory says; SwitchoverError where the run is refused."""
JAVA_PATIENCE_S = 60.0


def figures_of(directory: Path) -> dict[str, Any]:
    """As `switchover report` finds them."""
    found: dict[str, Any] = msgspec.to_builtins(judge(load(directory, columns=COUNTED)).record)
    return found


def figures_of_jar(jar: Path, directory: Path) -> dict[str, Any]:
    """As the plugin's jar finds them."""
    statuses = ["java", "-XX:TieredStopAtLevel=1", "-jar", str(jar), "verdict", "--json", str(directory)]
    java = subprocess.run(statuses, capture_output=True, text=True, timeout=JAVA_PATIENCE_S, check=False)
    if java.returncode == SwitchoverError.exit_code and not java.stdout:
        raise SwitchoverError(java.stderr.removesuffix("\n"))
    found: dict[str, Any] = json.loads(java.stdout)
    if found["exit_code"] != java.returncode:
        raise AssertionError(f"exit code {java.returncode} beside {found['exit_code']} of its JSON")
    return found


def differing(whole: object, damaged: object, place: str = "") -> Iterator[str]:
    """Where two verdicts differ."""
    if isinstance(whole, dict) and isinstance(damaged, dict):
        for key in whole.keys() | damaged.keys():
            yield from differing(whole.get(key), damaged.get(key), f"{place}.{key}" if place else str(key))
    elif whole != damaged:
        yield f"{place}: {str(whole)[:80]} became {str(damaged)[:80]}"


def what_is_wrong(whole: dict[str, Any], directory: Path) -> list[str]:
    """Of a damaged run: a word of exit code 0 or 1 with another figure, an error of ours, or the pair is blamed."""
    return word_and_wrong(whole, directory, figures_of)[1]


def word_and_wrong(whole: dict[str, Any], directory: Path, figures: Figures) -> tuple[str, list[str]]:
    try:
        found = figures(directory)
    except SwitchoverError as error:
        well = error.exit_code == SwitchoverError.exit_code and "\n" not in str(error)
        return "refused", [] if well else [f"refused badly: {error}"]
    except Exception as error:  # any of ours is what is looked for
        return type(error).__name__, [f"internal error: {type(error).__name__}: {error}"]
    wrong = []
    if found["exit_code"] != 2:
        wrong += [f"{found['verdict']} with another figure: {one}" for one in differing(whole, found)]
    blamed = {"limit_exceeded", "not_restored", "not_recovered", "no_effect", "still_broken"}
    blamed -= {reason["code"] for reason in whole["reasons"]}
    wrong += [f"the pair is blamed: {one['text']}" for one in found["reasons"] if one["code"] in blamed]
    return found["verdict"], wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20, help="damages to each run (20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jar", type=Path, metavar="FILE", help="ask the plugin's jar, too")
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    arguments = parser.parse_args()
    judges: dict[str, Figures] = {"report": figures_of}
    if arguments.jar:
        judges["verdict"] = partial(figures_of_jar, arguments.jar)
    statuses: dict[str, Counter[str]] = {name: Counter() for name in judges}
    failed = 0
    for directory in arguments.runs:
        whole = {name: figures(directory) for name, figures in judges.items()}
        for number in range(arguments.times):
            with TemporaryDirectory() as folder:
                copy = Path(folder) / directory.name
                shutil.copytree(directory, copy)
                seed = f"{arguments.seed} {directory.name} {number}"
                misfortune = damage(copy, random.Random(seed), KINDS)
                for name, figures in judges.items():
                    status, wrong = word_and_wrong(whole[name], copy, figures)
                    statuses[name][status] += 1
                    failed += bool(wrong)
                    for one in wrong:
                        print(f"{directory.name} ({seed}): {misfortune}: {name}: {one}", flush=True)
    for name, counted in statuses.items():
        print(f"{name}: {json.dumps(counted)}")
    print(f"{failed} of {arguments.times * len(arguments.runs)} damages are not as they may be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
