"""Streaming of a run that is drilled: one follower and one exporter for its run directory, for every load."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from switchover.drill.options import DrillSettings
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.streaming.influx.destination import Database
from switchover.streaming.influx.parent import Streaming
from switchover.streaming.metrics.parent import MetricsExport
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import Target


@contextmanager
def stream(
    directory: Path, database: Database | None, settings: DrillSettings, target: Target, note: Callable[[str], None]
) -> Iterator[Streaming | None]:
    """Its points go to the database, its metrics to Prometheus and to the OTLP receiver that the environment names.

    The follower is None without a database, and where it cannot be started: the journals have everything. In a lab's
    client processes outside follow, serve and push, for they have the machine's own network.
    """
    lab = None if target.lab is None else LabDirectory(target.lab)
    follower = None if lab is None else _existing(lab.follower_socket)
    exporter = None if lab is None else _existing(lab.exporter_socket)
    streaming = None
    with ExitStack() as stack:
        if database is not None:
            try:
                streaming = Streaming(
                    directory, database, Clock.of_process(), note, wait_s=settings.influx_wait_s, outside=follower
                )
                stack.callback(streaming.abandon)
            except SwitchoverError as error:
                note(f"nothing is streamed: {error}")
        address = settings.prometheus
        if exporter is not None and address:
            note(f"Prometheus finds the metrics at {address} of the machine that has the lab, not of its client")
        export = MetricsExport(directory, address, os.environ, Clock.of_process(), note, outside=exporter)
        stack.enter_context(export)
        yield streaming


def _existing(socket: Path) -> Path | None:
    return socket if socket.exists() else None
