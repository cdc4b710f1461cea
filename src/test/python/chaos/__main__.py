"""`python -m chaos`: drills with misfortunes, each at a random moment. A seed names a case.

    python -m chaos                          the next 20 seeds that have no row yet
    python -m chaos --from 2001 --cases 300  those of the seeds 2001 to 2300 that have no row yet
    python -m chaos 17                       case 17 again, and nothing is written down
    python -m chaos --again 17               case 17 again, and its row anew; without a seed, all that did not hold

Several are played at once, each in a lab of its own. Each row goes to docs/proof/chaos.json as soon as it is there.
The folder of a case that fails is kept.
"""

import shutil
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from itertools import count, islice
from pathlib import Path
from queue import SimpleQueue

from chaos.case import case_of
from chaos.play import Outcome, could_not_be_played, play
from chaos.rows import keep, not_held, read_rows, write_pages
from proof.results import exit_status, option_parser
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

CASES, AT_ONCE = 20, 2


def main() -> int:
    parser = option_parser("chaos", __doc__)
    parser.add_argument(
        "seeds", type=int, nargs="*", metavar="SEED", help="only these, and without --again nothing is written down"
    )
    parser.add_argument("--cases", type=int, metavar="N", help=f"so many seeds (default {CASES} that have no row)")
    parser.add_argument(
        "--from", type=int, default=1, metavar="SEED", dest="first", help="the first of them (default 1)"
    )
    parser.add_argument(
        "--at-once", type=int, default=AT_ONCE, metavar="N", help=f"play so many at a time (default {AT_ONCE})"
    )
    parser.add_argument("--again", action="store_true", help="write rows anew: of SEED, or of all that did not hold")
    parser.add_argument("--pages-only", action="store_true", help="only make docs/proof/chaos.txt again")
    arguments = parser.parse_args()
    if arguments.pages_only:
        write_pages()
    elif arguments.seeds and not arguments.again:
        return exit_status(not_held([outcome.as_row() for outcome in _try(arguments.seeds, arguments.at_once)]))
    else:
        seeds = _next_seeds(arguments.first, arguments.cases)
        if arguments.again:
            seeds = arguments.seeds or [row["seed"] for row in read_rows() if row["problems"]]
        for outcome in _try(seeds, arguments.at_once):
            keep(outcome)
    return exit_status(not_held(read_rows()))


def _next_seeds(first: int, cases: int | None) -> list[int]:
    """Of that many seeds from `first` on those that have no row; by default the next ones that have none."""
    have = {row["seed"] for row in read_rows()}
    if cases is None:
        return list(islice((seed for seed in count(first) if seed not in have), CASES))
    return [seed for seed in range(first, first + cases) if seed not in have]


def _try(seeds: Sequence[int], at_once: int) -> Iterator[Outcome]:
    """Each is said as soon as it is over."""
    labs: SimpleQueue[Lab] = SimpleQueue()
    with ExitStack() as opened, ThreadPoolExecutor(at_once) as players:
        for _ in range(min(at_once, len(seeds))):
            labs.put(opened.enter_context(Lab(LabSpec())))
        plays = [players.submit(_play, labs, seed) for seed in seeds]
        try:
            for number, played in enumerate(as_completed(plays), 1):
                outcome, folder = played.result()
                print(f"{number} of {len(seeds)}, {outcome.case}\n  {_told(outcome, folder)}", flush=True)
                yield outcome
        finally:
            players.shutdown(cancel_futures=True)


def _play(labs: "SimpleQueue[Lab]", seed: int) -> tuple[Outcome, Path]:
    """In a lab that is free; where the case itself broke off, the next one gets a new lab."""
    case, lab, folder = case_of(seed), labs.get(), Path(tempfile.mkdtemp(prefix="sw-chaos-"))
    try:
        outcome = play(lab, case, folder)
    except Exception as error:
        (folder / "broke-off.txt").write_text(traceback.format_exc(), encoding="utf-8")
        outcome = could_not_be_played(case, error)
        lab.stop()
        lab.start()
    finally:
        labs.put(lab)
    if not outcome.problems:
        shutil.rmtree(folder)
    return outcome, folder


def _told(outcome: Outcome, folder: Path) -> str:
    codes = ", ".join(map(str, outcome.exit_codes))
    told = f"{' and '.join(outcome.statuses) or f'no verdict ({outcome.refusal})'}, exit {codes}: "
    if not outcome.problems:
        return told + "held"
    return told + f"NOT HELD, kept in {folder}" + "".join(f"\n    {problem}" for problem in outcome.problems)


if __name__ == "__main__":
    sys.exit(main())
