"""`python -m proof.make_drills`: the command of `make drill`, again and again, each time with a lab of its own.

A packet capture stands beside each, in the lab that the drill made. Rows go to docs/proof/make-drill-quiet.json,
make-drill-busy.json or make-drill-overloaded.json as soon as they are there; turns that are there are not made again.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from proof.coverage_rows import (
    BURNERS,
    BUSY,
    OVERLOADED,
    QUIET,
    Row,
    append_row,
    burners,
    is_refuted,
    read_rows,
    row_of,
    shown,
    write_pages,
)
from proof.drills import DRILL_TIMEOUT_S
from proof.results import exit_status, option_parser
from support.capture import Capture
from switchover.lab import addresses
from switchover.lab.control import exec_argv
from switchover.lab.directory import base_directory, running_labs
from switchover.target.lab_directory import LabDirectory

AT_LEAST = 0.95
"""Of the drills beside burners this share ends in exit 0; on a quiet machine all do."""
LAB_WITHIN_S = 30.0
POLL_S = 0.02


class LabOfDrill:
    """The lab that a drill made for itself, seen from outside."""

    def __init__(self, layout: LabDirectory) -> None:
        self._layout = layout

    def exec_argv(self, host: str, argv: Sequence[str]) -> list[str]:
        return exec_argv(self._layout.socket(host), *argv)


def main() -> int:
    parser = option_parser("proof.make_drills", __doc__)
    parser.add_argument("--drills", type=int, default=30, metavar="N", help="kept ones included (default 30)")
    parser.add_argument("--busy", action="store_const", const=BUSY, dest="machine", help="beside a burner of a core")
    parser.add_argument(
        "--overloaded",
        action="store_const",
        const=OVERLOADED,
        dest="machine",
        help=f"beside {BURNERS[OVERLOADED]} burners",
    )
    parser.add_argument("--pages-only", action="store_true", help="only make the tables in docs/proof again")
    parser.set_defaults(machine=QUIET)
    arguments = parser.parse_args()
    machine: str = arguments.machine
    if not arguments.pages_only:
        runs = Path(tempfile.mkdtemp(prefix="switchover-make-drill-"))
        done = sum(row["load"] == machine for row in read_rows("make-drill"))
        print(f"{max(0, arguments.drills - done)} drills are left; their runs are in {runs}", flush=True)
        with burners(machine):
            for turn in range(done + 1, arguments.drills + 1):
                row = {"turn": turn} | make_drill(runs / str(turn), machine)
                append_row("make-drill", row)
                print(f"{turn}: {shown(row)}", flush=True)
    write_pages()
    return exit_status(_not_proved(read_rows("make-drill")))


def make_drill(folder: Path, machine: str) -> Row:
    """`switchover drill`, as `make drill` runs it, in an empty folder."""
    folder.mkdir()
    command = Path(sys.executable).with_name("switchover")
    with (folder / "said.txt").open("wb") as said:
        drill = subprocess.Popen([command, "drill"], cwd=folder, stdout=said, stderr=said, stdin=subprocess.DEVNULL)
        try:
            with Capture(_lab_of(drill), addresses.VIP, folder) as capture:
                drill.wait(DRILL_TIMEOUT_S)
        finally:
            drill.terminate()
            drill.wait()
    directory = next((path.parent for path in folder.glob("runs/*/verdict.json")), None)
    if directory is None:
        raise AssertionError(f"the drill in {folder} gave no verdict: {(folder / 'said.txt').read_text()[-2000:]}")
    return row_of(directory, drill.returncode, capture, machine)


def _lab_of(drill: "subprocess.Popen[bytes]") -> LabOfDrill:
    deadline = time.monotonic() + LAB_WITHIN_S
    while time.monotonic() < deadline and drill.poll() is None:
        for lab in running_labs(base_directory()):
            if lab.state["pid"] == drill.pid:
                return LabOfDrill(lab.directory)
        time.sleep(POLL_S)
    raise AssertionError(f"the drill made no lab; it ended with {drill.poll()}")


def _not_proved(rows: list[Row]) -> Iterator[str]:
    for machine, number in BURNERS.items():
        codes = [row["exit_code"] for row in rows if row["load"] == machine]
        if codes and codes.count(0) < (AT_LEAST if number else 1.0) * len(codes):
            yield f"{machine}: {codes.count(0)} of {len(codes)} drills ended in exit 0"
    for row in rows:
        if is_refuted(row):
            yield shown(row)


if __name__ == "__main__":
    sys.exit(main())
