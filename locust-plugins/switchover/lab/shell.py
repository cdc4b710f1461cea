"""An interactive shell on a host of the lab: a terminal of its own, relayed to this one."""

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import sys
import termios
import tty
from collections.abc import Sequence
from types import FrameType

from switchover.process.signals import shell_status

CHUNK = 65536


def run_in_terminal(command: Sequence[str]) -> int:
    """Run a command with a pseudo-terminal as its standard streams; answers its exit status, as a shell has it."""
    ours, theirs = os.openpty()
    _copy_size(ours)
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    before = termios.tcgetattr(sys.stdin)

    def resized(number: int, frame: FrameType | None) -> None:
        _copy_size(ours)

    signal.signal(signal.SIGWINCH, resized)
    try:
        tty.setraw(sys.stdin, termios.TCSADRAIN)
        _relay(ours)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
        os.close(ours)
    return shell_status(process.wait())


def _relay(terminal: int) -> None:
    """Until the last process has closed the terminal, which reads as an I/O error."""
    sources = [0, terminal]
    while True:
        ready, _, _ = select.select(sources, [], [])
        if terminal in ready:
            try:
                data = os.read(terminal, CHUNK)
            except OSError:
                return
            if not data:
                return
            os.write(1, data)
        if 0 in ready:
            typed = os.read(0, CHUNK)
            if typed:
                os.write(terminal, typed)
            else:
                sources.remove(0)


def _copy_size(terminal: int) -> None:
    with contextlib.suppress(OSError):
        size = fcntl.ioctl(0, termios.TIOCGWINSZ, b"\0" * 8)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
