"""`python -m fuzz`: bytes from anybody for every reader of what others write, led by the branches that they reach.

    python -m fuzz                      every target, a minute each
    python -m fuzz sse web-form         these
    python -m fuzz java-target-file     Java's reader; both-target-file: both, which must agree
    python -m fuzz --seconds 600 sse    for so long
    python -m fuzz --at-once 2          two at a time, each on a core
    python -m fuzz --keep               and write the rows of docs/proof/fuzz.txt anew

An input that a reader fails at is kept in build/fuzz: `python -m fuzz.one TARGET FILE` tries it again.
"""

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from fuzz.catalogue import BOTH, PYTHON, SHARED
from fuzz.java import compile_readers, jazzer_command
from fuzz.rows import keep, write_pages
from fuzz.run import Outcome, fuzz, python_command
from proof.results import option_parser

SECONDS = 60
JAVA = "java-"
NAMES = (*PYTHON, *(f"{language}{name}" for language in (BOTH, JAVA) for name in SHARED))


def main() -> int:
    parser = option_parser("fuzz", __doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", choices=[[], *NAMES], help=", ".join(NAMES))
    parser.add_argument("--seconds", type=int, default=SECONDS, metavar="S", help=f"each (default {SECONDS})")
    parser.add_argument("--at-once", type=int, default=1, metavar="N", help="try so many at a time (default 1)")
    parser.add_argument("--keep", action="store_true", help="write the rows anew")
    parser.add_argument("--pages-only", action="store_true", help="only make the table of docs/proof/fuzz.txt again")
    arguments = parser.parse_args()
    if arguments.pages_only:
        write_pages()
        return 0
    found = 0
    for name, outcome in _try(arguments.targets or NAMES, arguments.seconds, arguments.at_once):
        print(
            f"{name}: {outcome.runs:,} inputs, {outcome.covered:,} edges, {outcome.found or 'nothing found'}",
            flush=True,
        )
        if outcome.found:
            found += 1
            print(f"  {outcome.input_file}", flush=True)
        if arguments.keep:
            keep(_reader_of(name), _language_of(name), arguments.seconds, outcome)
    return 1 if found else 0


def _try(names: Sequence[str], seconds: int, at_once: int) -> Iterator[tuple[str, Outcome]]:
    """Each is told as soon as it is over."""
    if any(name.startswith((BOTH, JAVA)) for name in names):
        compile_readers()
    with ThreadPoolExecutor(at_once) as players:
        tries = {players.submit(fuzz, name, _reader_of(name), _command(name), seconds): name for name in names}
        try:
            for tried in as_completed(tries):
                yield tries[tried], tried.result()
        finally:
            players.shutdown(cancel_futures=True)


def _command(name: str) -> list[str]:
    return jazzer_command(_reader_of(name)) if name.startswith(JAVA) else python_command(name)


def _reader_of(name: str) -> str:
    return name.removeprefix(BOTH).removeprefix(JAVA)


def _language_of(name: str) -> str:
    if name.startswith(JAVA):
        return "Java"
    return "Python and Java" if name.startswith(BOTH) else "Python"


if __name__ == "__main__":
    sys.exit(main())
