"""Streaming of a run that is drilled: exactly one follower for its run directory, with every kind of load."""

from collections.abc import Callable
from pathlib import Path

from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.rundir.run_directory import Run
from switchover.streaming.influx.destination import Database
from switchover.streaming.influx.follower import FollowerAccount
from switchover.streaming.influx.parent import Streaming, streamed
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import Target


def stream(
    directory: Path, database: Database | None, target: Target, note: Callable[[str], None], *, wait_s: float
) -> Streaming | None:
    """From now on; None without a database. In a lab's client somebody outside follows, who has a way to it.

    A follower that cannot be started ends no run: the journals have everything.
    """
    if database is None:
        return None
    socket = LabDirectory(target.lab).follower_socket if target.lab is not None else None
    outside = socket if socket is not None and socket.exists() else None
    try:
        return Streaming(directory, database, Clock.of_process(), note, wait_s=wait_s, outside=outside)
    except SwitchoverError as error:
        note(f"nothing is streamed: {error}")
        return None


def streamed_line(run: Run, directory: Path) -> str:
    """For the summary; empty where nothing was to be streamed."""
    return "" if run.streaming is None else streamed(FollowerAccount(**run.streaming), directory)
