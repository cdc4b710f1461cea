"""Run the unfinished cells of a study. Each cell runs in a new lab, with the load on the lab's client."""

import fnmatch
import json
import os
import platform
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from types import FrameType

from switchover import __version__
from switchover.lab.capability import find_program, find_programs, needed_programs, program_versions
from switchover.lab.lab import Lab
from switchover.load.jmeter_plan import find_jmeter
from switchover.load.locust import require_locust
from switchover.model.errors import SwitchoverError, UsageError
from switchover.process.signals import ENDING, answering
from switchover.rundir.run_directory import read_run
from switchover.streaming.metrics.otlp import EXPORTER
from switchover.study.figures import read_figures
from switchover.study.results import BUSY_BEFORE, BUSY_DURING
from switchover.study.state import CellResult, CellTurn, StudyFolder, order_turns
from switchover.study.study_file import Study, StudyCell

LOOK_S = 0.5
"""The duration, in seconds, of the measurement of CPU utilisation before a cell."""
Ticks = tuple[int, int]
"""All ticks and the idle ticks of the processors since the machine started."""


def read_environment(study: Study) -> dict[str, str]:
    """Return descriptions of the machine and the programs, without the host name."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    model = re.search(r"^model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    facts = {
        "machine": f"{os.cpu_count()} processors ({model[1].strip() if model else platform.machine()}), "
        f"{memory:.1f} GB, Linux {platform.release()}",
        "Switchover": f"{__version__}, Python {platform.python_version()}",
    }
    names = {name for cell in study.cells for name in needed_programs(cell.lab)}
    facts |= program_versions({name: path for name in sorted(names) if (path := find_program(name))})
    if any(cell.load.generator == "locust" for cell in study.cells):
        facts["Locust"] = version("locust")
    return facts


def busy_percent() -> float:
    """Return the CPU utilisation of the machine by other programs, in percent of all processors."""
    before = _processor_ticks()
    time.sleep(LOOK_S)
    return _busy_between(before, _processor_ticks()) or 0.0


@contextmanager
def watch_processors() -> Iterator[list[tuple[int, Ticks]]]:
    """Record the ticks of the processors every `LOOK_S` during the block; yields the times in µs and the ticks."""
    looks: list[tuple[int, Ticks]] = []
    ended = threading.Event()

    def look_repeatedly() -> None:
        while not ended.wait(LOOK_S):
            looks.append((time.time_ns() // 1000, _processor_ticks()))

    thread = threading.Thread(target=look_repeatedly, daemon=True)
    thread.start()
    try:
        yield looks
    finally:
        ended.set()
        thread.join()


def _busy_between(before: Ticks, after: Ticks) -> float | None:
    all_ticks, idle = (now - then for now, then in zip(after, before, strict=True))
    return round(100 * (1 - idle / all_ticks), 1) if all_ticks else None


def _processor_ticks() -> Ticks:
    ticks = [int(word) for word in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
    return sum(ticks), ticks[3] + ticks[4]


def check_generators(study: Study) -> None:
    generators = {cell.load.generator for cell in study.cells}
    if "jmeter" in generators:
        find_jmeter(None)
    if "locust" in generators:
        require_locust(None)
    if "ab" in generators:
        find_programs(["ab"])


def run_study(study: Study, folder: StudyFolder, *, only: str | None, note: Callable[[str], None]) -> None:
    """Run the unfinished cells. Ctrl-C ends the study at any time, and the results of finished cells remain."""
    cells = {cell.name: cell for cell in study.cells}
    turns = order_turns(list(cells), study.repeats, study.seed)
    if only is not None:
        turns = [turn for turn in turns if fnmatch.fnmatchcase(turn.cell, only)]
        if not turns:
            raise UsageError(f"--only {only}: there is no such cell; cells are {', '.join(cells)}")
    waiting = [turn for turn in turns if (done := folder.read_result(turn)) is None or done.error]
    if len(waiting) < len(turns):
        note(f"{len(turns) - len(waiting)} of {len(turns)} cells are already done")
    if waiting:
        folder.write_environment(read_environment(study))
    for number, turn in enumerate(waiting, start=1):
        note(f"[{number}/{len(waiting)}] {turn.cell}, repeat {turn.repeat}")
        busy = busy_percent()
        result = run_turn(study, cells[turn.cell], turn, folder)
        if not result.error:
            result.figures[BUSY_BEFORE] = busy
        folder.write_result(result)
        if result.error:
            note(f"  failed: {result.error}; repeat it with --only '{turn.cell}'")
        for line in result.notes:
            note(f"  {line}")


def read_results(study: Study, folder: StudyFolder) -> Mapping[CellTurn, CellResult]:
    every = order_turns([cell.name for cell in study.cells], study.repeats, study.seed)
    return {turn: known for turn in every if (known := folder.read_result(turn)) is not None}


def run_turn(study: Study, cell: StudyCell, turn: CellTurn, folder: StudyFolder) -> CellResult:
    """Run one cell once. An error of the cell becomes the cell's result. KeyboardInterrupt is not caught."""
    directory = folder.clear(turn)
    try:
        with Lab(cell.lab) as lab, watch_processors() as looks:
            error = _run_inside(study, cell, lab, directory)
    except SwitchoverError as wrong:
        error = str(wrong)
    if error:
        return CellResult(turn, {}, error)
    try:
        figures, notes = read_figures(directory, cell.load)
        plan = read_run(directory).plan
    except SwitchoverError as wrong:
        return CellResult(turn, {}, str(wrong))
    during = [ticks for at_us, ticks in looks if (plan.start_us or 0) <= at_us <= (plan.end_us or 0)]
    busy = _busy_between(during[0], during[-1]) if during else None
    figures |= {} if busy is None else {BUSY_DURING: busy}
    if not figures.get("requests"):
        return CellResult(turn, {}, "the load sent no request: see its log", notes)
    return CellResult(turn, figures | dict(cell.expect), "", notes)


def _run_inside(study: Study, cell: StudyCell, lab: Lab, directory: Path) -> str:
    values = {
        "study": study.name,
        "cell": cell.name,
        "target": str(lab.target_file),
        "directory": str(directory.resolve()),
        "load": asdict(cell.load),
        "seed": study.seed,
    }
    settings = lab.directory / "cell.json"
    settings.write_text(json.dumps(values), encoding="utf-8")
    command = [sys.executable, "-m", "switchover.study.cell", str(settings)]
    printed = lab.directory / "cell.log"
    with printed.open("wb") as output:
        inside = subprocess.Popen(
            lab.exec_argv("client", command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            process_group=0,
            # An exporter would use the processors that the cell measures.
            env={**os.environ, EXPORTER: "none"},
        )
        status = wait_or_interrupt(inside)
    if status == 0:
        return ""
    lines = printed.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return "; ".join(lines[-3:]) or f"the cell ended with status {status}"


def wait_or_interrupt(inside: "subprocess.Popen[bytes]") -> int:
    """Wait for the cell and return its exit status. A signal ends the cell cleanly, then raises KeyboardInterrupt."""
    received: list[int] = []

    def forward(number: int, _frame: FrameType | None) -> None:
        received.append(number)
        inside.send_signal(signal.SIGTERM)

    with answering(dict.fromkeys(ENDING, forward)):
        status = inside.wait()
    if received:
        raise KeyboardInterrupt
    return status
