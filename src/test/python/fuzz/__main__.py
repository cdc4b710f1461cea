"""`python -m fuzz`: bytes from anybody for every reader of what others write, led by the branches that they reach.

    python -m fuzz                      every target, a minute each
    python -m fuzz sse web-form         these
    python -m fuzz java-target-file     Java's reader; both-target-file: both, which must agree
    python -m fuzz --seconds 600 sse    for so long
    python -m fuzz --keep               and write the rows of docs/proof.md anew

An input that a reader fails at is kept in build/fuzz: `python -m fuzz.one TARGET FILE` tries it again.
"""

import argparse
import sys

from fuzz.catalogue import BOTH, PYTHON, SHARED
from fuzz.java import compile_readers, jazzer_command
from fuzz.rows import keep, write_pages
from fuzz.run import Outcome, fuzz, python_command

SECONDS = 60
JAVA = "java-"
NAMES = (*PYTHON, *(f"{language}{name}" for language in (BOTH, JAVA) for name in SHARED))


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", choices=[[], *NAMES], help=", ".join(NAMES))
    parser.add_argument("--seconds", type=int, default=SECONDS, metavar="S", help=f"each (default {SECONDS})")
    parser.add_argument("--keep", action="store_true", help="write the rows anew")
    parser.add_argument("--pages-only", action="store_true", help="only make the table of docs/proof.md again")
    arguments = parser.parse_args()
    if arguments.pages_only:
        write_pages()
        return 0
    found = 0
    for name in arguments.targets or NAMES:
        language, reader, outcome = _try(name, arguments.seconds)
        print(
            f"{name}: {outcome.runs:,} inputs, {outcome.covered:,} edges, {outcome.found or 'nothing found'}",
            flush=True,
        )
        if outcome.found:
            found += 1
            print(f"  {outcome.input_file}", flush=True)
        if arguments.keep:
            keep(reader, language, arguments.seconds, outcome)
    return 1 if found else 0


def _try(name: str, seconds: int) -> tuple[str, str, Outcome]:
    if name.startswith((BOTH, JAVA)):
        compile_readers()
    if name.startswith(JAVA):
        reader = name.removeprefix(JAVA)
        return "Java", reader, fuzz(name, reader, jazzer_command(reader), seconds)
    reader = name.removeprefix(BOTH)
    language = "Python" if name == reader else "Python and Java"
    return language, reader, fuzz(name, reader, python_command(name), seconds)


if __name__ == "__main__":
    sys.exit(main())
