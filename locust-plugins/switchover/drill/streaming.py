"""Streaming of a run that is drilled: one follower and one exporter for its run directory, for every load.

In a lab's client processes outside follow, serve and push, for they have the machine's own network.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.streaming.influx.destination import Database
from switchover.streaming.influx.parent import Streaming
from switchover.streaming.metrics.parent import MetricsExport
from switchover.target.lab_directory import LabDirectory


@contextmanager
def follow(
    directory: Path, database: Database | None, lab: Path | None, note: Callable[[str], None], *, wait_s: float
) -> Iterator[Streaming | None]:
    """Stream the run's points to the database while the block lasts.

    None without a database, and where the follower cannot be started: the journals have everything.
    """
    if database is None:
        yield None
        return
    outside = None if lab is None else _existing(LabDirectory(lab).follower_socket)
    try:
        streaming = Streaming(directory, database, Clock.of_process(), note, wait_s=wait_s, outside=outside)
    except SwitchoverError as error:
        note(f"nothing is streamed: {error}")
        yield None
        return
    try:
        yield streaming
    finally:
        streaming.abandon()


def export(directory: Path, address: str | None, lab: Path | None, note: Callable[[str], None]) -> MetricsExport:
    """Export the run's metrics: to Prometheus, which finds them at `address`, and to the OTLP receiver that the
    environment names."""
    outside = None if lab is None else _existing(LabDirectory(lab).exporter_socket)
    if outside is not None and address:
        note(f"Prometheus finds the metrics at {address} of the machine that has the lab, not of its client")
    return MetricsExport(directory, address, os.environ, Clock.of_process(), note, outside=outside)


def _existing(socket: Path) -> Path | None:
    return socket if socket.exists() else None
