"""`python -m mutants MODULE`: change its code in small ways, one at a time, and see which change no test notices.

    python -m mutants faults/guard.py               one of those in mutants/modules.py
    python -m mutants faults/guard.py --minutes 5   what is not tried by then counts as not tried
    python -m mutants faults/guard.py --again       only what was not noticed in the last run, and is not explained
    python -m mutants model --keep                  and write its row of docs/proof.md anew
    python -m mutants java:judge                    a room of Java, by PIT

`cd build/mutants/faults-guard && python -m mutmut show NAME` shows the change of a survivor; those of a class of Java
are in build/mutants/java-judge/CLASS.xml.
"""

import argparse
import sys

from mutants import java
from mutants.modules import MODULES
from mutants.reasons import read_reasons
from mutants.rows import keep, write_pages
from mutants.run import try_mutants

MINUTES, PROCESSES = 60.0, 2
EVERY = (*MODULES, *java.ROOMS)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("modules", nargs="*", metavar="MODULE", choices=[[], *EVERY], help=", ".join(EVERY))
    parser.add_argument("--minutes", type=float, default=MINUTES, metavar="M", help=f"each (default {MINUTES:g})")
    parser.add_argument("--processes", type=int, default=PROCESSES, metavar="N", help=f"default {PROCESSES}")
    parser.add_argument("--again", action="store_true", help="go on from the last run")
    parser.add_argument("--keep", action="store_true", help="write the rows anew")
    parser.add_argument("--pages-only", action="store_true", help="only make the table of docs/proof.md again")
    arguments = parser.parse_args()
    if arguments.pages_only:
        write_pages()
        return 0
    reasons, unexplained = read_reasons(), 0
    for module in arguments.modules or EVERY:
        try_module = java.try_mutants if module in java.ROOMS else try_mutants
        outcome = try_module(module, arguments.minutes * 60, arguments.processes, again=arguments.again)
        print(f"{module}: {outcome.noticed:,} of {outcome.total:,} noticed, {dict(outcome.counts)}", flush=True)
        for name in outcome.survivors:
            print(f"  {name}: {reasons.get(name, 'survived')}", flush=True)
            unexplained += name not in reasons
        if arguments.keep:
            keep(module, outcome)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
