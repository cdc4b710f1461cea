"""`python -m torture`: drills with misfortunes, each at a random moment. A seed names a case.

    python -m torture              the next 20 seeds that have no row yet
    python -m torture 17           case 17 again, and nothing is written down
    python -m torture --cases 300  until 300 have a row
    python -m torture --again 17   case 17 again, and its row anew; without a seed, all that did not hold

Each row goes to docs/proof/torture.json as soon as it is there. The folder of a case that fails is kept.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from proof.results import exit_status
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec
from torture.case import case_of
from torture.play import Outcome, play
from torture.rows import keep, not_held, read_rows, write_pages

CASES = 20


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m torture", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "seeds", type=int, nargs="*", metavar="SEED", help="only these, and without --again nothing is written down"
    )
    parser.add_argument("--cases", type=int, metavar="N", help=f"until N have a row (default {CASES} more)")
    parser.add_argument("--again", action="store_true", help="write rows anew: of SEED, or of all that did not hold")
    parser.add_argument("--pages-only", action="store_true", help="only make the table of docs/proof.md again")
    arguments = parser.parse_args()
    if arguments.pages_only:
        write_pages()
    elif arguments.seeds and not arguments.again:
        return exit_status(not_held([outcome.as_row() for outcome in _try(arguments.seeds)]))
    else:
        again = arguments.seeds or [row["seed"] for row in read_rows() if row["problems"]]
        for outcome in _try(again if arguments.again else _next_seeds(arguments.cases or len(read_rows()) + CASES)):
            keep(outcome)
    return exit_status(not_held(read_rows()))


def _next_seeds(cases: int) -> list[int]:
    have = {row["seed"] for row in read_rows()}
    return [seed for seed in range(1, cases + len(have) + 1) if seed not in have][: max(0, cases - len(have))]


def _try(seeds: Sequence[int]) -> Iterator[Outcome]:
    """Each in turn in one lab, and said as soon as it is over."""
    with Lab(LabSpec()) as lab:
        for number, seed in enumerate(seeds, 1):
            case = case_of(seed)
            print(f"{number} of {len(seeds)}, {case}", flush=True)
            folder = Path(tempfile.mkdtemp(prefix="sw-torture-"))
            outcome = play(lab, case, folder)
            print(f"  {_told(outcome, folder)}", flush=True)
            if not outcome.problems:
                shutil.rmtree(folder)
            yield outcome


def _told(outcome: Outcome, folder: Path) -> str:
    codes = ", ".join(map(str, outcome.exit_codes))
    told = f"{' and '.join(outcome.words) or f'no verdict ({outcome.refusal})'}, exit {codes}: "
    if not outcome.problems:
        return told + "held"
    return told + f"NOT HELD, kept in {folder}" + "".join(f"\n    {problem}" for problem in outcome.problems)


if __name__ == "__main__":
    sys.exit(main())
