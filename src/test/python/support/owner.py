"""A process that owns a load and is killed: what it has started must not outlive it."""

import signal
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from switchover.model.clock import Clock
directory = Path({directory!r})
{making}
load.start(directory, Clock.of_process())
print(load.pid, flush=True)
sys.stdin.read()
"""


def load_of_a_killed_owner(making: str, directory: Path) -> int:
    """The load's pid; `making` are the lines that make `load`, in which `directory` is known."""
    script = SCRIPT.format(tests=str(Path(__file__).parents[1]), directory=str(directory), making=making)
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        owner.send_signal(signal.SIGKILL)
    return pid
