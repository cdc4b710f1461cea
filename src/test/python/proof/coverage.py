"""`python -m proof.coverage`: do the printed intervals hold what a packet capture saw?

Short drills without users, of several faults in turn, each killed at a random moment that its seed chose. Every row
goes to docs/proof/coverage-quiet.json, or coverage-busy.json, as soon as it is there; what is there is not drilled
again.
"""

import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from proof.coverage_rows import (
    BUSY,
    QUIET,
    Row,
    append_row,
    burners,
    is_covered,
    not_proved,
    read_rows,
    row_of,
    shown,
    write_pages,
)
from proof.drills import drill_from_client
from proof.results import exit_status, option_parser
from support.capture import Capture
from switchover.lab import addresses
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

FAULTS = ("haproxy-kill", "node-down", "keepalived-stop", "haproxy-stop")
SHORT = ("--baseline", "2s", "--hold", "7s", "--recover", "7s")
"""An outage of these faults ends 4.6 s after the kill by theory, and the address is back 3.6 s after the heal."""
Drill = Callable[[Lab, str, int, Path], Row]
Shown = Callable[[Row], str]
BUSY_SEEDS = 1000
"""Drills of the busy machine have seeds from here on: other moments than those of the quiet one."""


def main() -> int:
    parser = option_parser("proof.coverage", __doc__)
    parser.add_argument("--fault", action="append", metavar="NAME", help=f"repeatable (default {', '.join(FAULTS)})")
    parser.add_argument("--drills", type=int, default=13, metavar="N", help="of each fault, kept ones included (13)")
    parser.add_argument("--busy", action="store_true", help="beside one process that burns a core")
    parser.add_argument("--probe-rate", type=int, metavar="R", help="of each drill (default: what the drill chooses)")
    parser.add_argument("--pages-only", action="store_true", help="only make the tables in docs/proof again")
    arguments = parser.parse_args()
    machine = BUSY if arguments.busy else QUIET
    options = ["--probe-rate", str(arguments.probe_rate)] if arguments.probe_rate else []
    if not arguments.pages_only:
        first, faults = BUSY_SEEDS if arguments.busy else 0, arguments.fault or FAULTS
        wanted = [(fault, first + number) for number in range(1, arguments.drills + 1) for fault in faults]
        drill = partial(drill_beside_capture, machine=machine, options=options)
        with burners(machine):
            drill_wanted("coverage", wanted, machine, drill, shown)
    write_pages()
    rows = [*read_rows("coverage"), *read_rows("make-drill")]
    return exit_status(shown(row) for row in rows if not_proved(row))


def drill_wanted(name: str, wanted: Sequence[tuple[str, int]], machine: str, drill: Drill, shown: Shown) -> None:
    """Each fault with each seed that has no row yet, in one lab; its row is kept, and said, at once."""
    kept = {(row["fault"], row["seed"]) for row in read_rows(name) if row["load"] == machine}
    left = [each for each in wanted if each not in kept]
    runs = Path(tempfile.mkdtemp(prefix=f"switchover-{name}-"))
    print(f"{len(left)} drills of {len(wanted)} are left; their runs are in {runs}", flush=True)
    with Lab(LabSpec()) as lab:
        for fault, seed in left:
            folder = runs / f"{fault}-{seed}"
            folder.mkdir()
            row = drill(lab, fault, seed, folder)
            append_row(name, row)
            print(shown(row), flush=True)


def short_drill(lab: Lab, fault: str, seed: int, folder: Path, *options: str) -> tuple[int, Path]:
    """Without users. Its exit code and its run directory."""
    done = drill_from_client(lab, fault, seed, folder, "--generator", "none", *SHORT, *options)
    directory = next((path.parent for path in folder.glob("*/verdict.json")), None)
    if directory is None:
        raise AssertionError(f"{fault} seed {seed} gave no verdict: {done.stderr[-2000:]}")
    return done.returncode, directory


def drill_beside_capture(lab: Lab, fault: str, seed: int, folder: Path, machine: str, options: Sequence[str]) -> Row:
    """Keeps its probes only where a figure is not covered: a hundred runs take a gigabyte."""
    with Capture(lab, addresses.VIP, folder) as capture:
        exit_code, directory = short_drill(lab, fault, seed, folder, *options)
    row = row_of(directory, exit_code, capture, machine)
    if is_covered(row) and exit_code == 0:
        for bulky in (*directory.glob("probes.jtl"), *directory.glob("report.html")):
            bulky.unlink()
    return row


if __name__ == "__main__":
    sys.exit(main())
