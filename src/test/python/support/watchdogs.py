"""A runner with a fault of touched files, its watchdog, and what both write."""

import subprocess
from pathlib import Path

RUNNER = """
import sys, time
from pathlib import Path
from switchover.model.clock import Clock
from switchover.faults.guard import Guard
from switchover.faults.watchdog import UndoList
from switchover.target.model import FaultRecipe
place, kill, stop = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
def sh(script): return ("sh", "-c", f"cd '{place}' && " + script)
class Journal:
    def event(self, kind, text, *, time_ns, node="", id=""): pass
recipe = FaultRecipe("touch", kill=sh(kill), heal=sh("echo heal >> log; rm -f down"),
    verify_down=sh("test -e down"), verify_healed=sh("test ! -e down"))
UndoList.healing = UndoList.beat  # one that is held up in its heal does not hang
guard = Guard(recipe, clock=Clock.of_process(), journal=Journal(), armed=True, names={}, directory=place)
def at(point):
    if point == stop:
        print(point, flush=True)
        time.sleep(600)
guard.arm()
at("armed")
print("firing", flush=True) if stop == "firing" else None
guard.fire()
at("fired")
guard.heal()
at("healed")
guard.close()
"""


def kill_hard(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def log_of(place: Path) -> list[str]:
    return (place / "log").read_text().split() if (place / "log").exists() else []


def watchdog_says(place: Path) -> str:
    return (place / "watchdog.log").read_text()


def watchdogs_of(place: Path) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if b"\0switchover.faults.watchdog\0" in command and str(place).encode() in command:
                found.append(int(entry.name))
    return found
