"""Ending a command with all that it started: it leads a process group of its own."""

import os
import signal
import subprocess
from typing import Any

GONE_WITHIN_S = 1.0
"""SIGKILL ends a process in milliseconds, unless it is not ours to kill or waits for a dead disk."""


def kill_group(group: int) -> None:
    """SIGKILL to every process of a group; one that is gone already, or somebody else's, is no error."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def end_group(process: "subprocess.Popen[Any]") -> bool:
    """Kill the group that a process leads, and reap the process. False: it lives on, as one run by sudo may."""
    kill_group(process.pid)
    try:
        process.wait(GONE_WITHIN_S)
    except subprocess.TimeoutExpired:
        return False
    return True
