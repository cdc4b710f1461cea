"""Streaming of a run that is drilled: one follower and one exporter for its run directory, for every load."""

import os
from collections.abc import Callable
from pathlib import Path

from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.streaming.influx.destination import Database
from switchover.streaming.influx.parent import Streaming
from switchover.streaming.metrics.parent import MetricsExport
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
    outside = _existing(LabDirectory(target.lab).follower_socket) if target.lab is not None else None
    try:
        return Streaming(directory, database, Clock.of_process(), note, wait_s=wait_s, outside=outside)
    except SwitchoverError as error:
        note(f"nothing is streamed: {error}")
        return None


def export_metrics(
    directory: Path, prometheus: str | None, target: Target, note: Callable[[str], None]
) -> MetricsExport:
    """For Prometheus at that address, and for the OTLP receiver that the environment names.

    In a lab's client a process outside serves and pushes, for that has the machine's own network.
    """
    outside = _existing(LabDirectory(target.lab).exporter_socket) if target.lab is not None else None
    if outside is not None and prometheus:
        note(f"Prometheus finds the metrics at {prometheus} of the machine that has the lab, not of its client")
    return MetricsExport(directory, prometheus, os.environ, Clock.of_process(), note, outside=outside)


def _existing(socket: Path) -> Path | None:
    return socket if socket.exists() else None
