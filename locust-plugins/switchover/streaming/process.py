"""The streaming process. It reads a spec on stdin, and writes warnings and the account to stdout.

The end of stdin means that the run has ended.
"""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any

from switchover.model.errors import SwitchoverError
from switchover.process.json_child import send_message
from switchover.streaming.influx.shipper import Shipper
from switchover.streaming.influx.writer import Writer
from switchover.streaming.metrics.exporter import END_S, Exporter
from switchover.streaming.outside import connect_outside, pass_on
from switchover.streaming.parent import WAIT_S, StreamSpec

ORPHAN_S = WAIT_S + 3.0
"""The maximum time in seconds that the process runs after its parent has ended, to send the remaining points."""

Say = Callable[[dict[str, Any]], None]


def main() -> None:
    """Run the process. It ignores Ctrl-C, because its parent ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    spec = StreamSpec.from_json(sys.stdin.readline())
    connection = connect_outside(spec.outside)
    if connection is None:
        stream(spec, sys.stdin, send_message)
    else:
        pass_on(connection, replace(spec, outside=None).to_json())


def stream(spec: StreamSpec, parent_lines: Iterator[str], say: Say) -> None:
    """Send and export points until `parent_lines` ends and the remaining points are sent."""

    def warn(text: str) -> None:
        send_message({"warning": text})

    ended, over = threading.Event(), threading.Event()
    limits: list[tuple[float, Callable[[], None]]] = [(spec.wait_s, over.set)]
    exporting = None
    if spec.has_metrics:
        try:
            exporter = Exporter(spec.directory, spec.prometheus, spec.otlp, warn)
            limits.append((END_S, exporter.stop))
            exporting = threading.Thread(target=exporter.run, args=(ended,), name="exporter")
            exporting.start()
        except SwitchoverError as error:
            warn(str(error))
    database = spec.database
    writer = Writer(database) if database else None
    if writer is not None:
        limits.append((spec.wait_s, writer.stop))
    threading.Thread(target=_await_end, args=(parent_lines, ended, limits), name="listener", daemon=True).start()
    if writer is not None and database is not None:
        shipper = Shipper(spec.directory, database.destination.url, writer, warn)
        shipper.follow(ended)
        shipper.drain(over)
        writer.close()
        send_message({"account": asdict(shipper.account())})
    if exporting is not None:
        exporting.join()


def _await_end(
    parent_lines: Iterator[str], ended: threading.Event, limits: list[tuple[float, Callable[[], None]]]
) -> None:
    """Set `ended` when the parent's lines end. Then call each function of the limits after its time."""
    for _ in parent_lines:
        """Ignore further lines."""
    for limit_s, give_up in limits:
        limit = threading.Timer(limit_s, give_up)
        limit.daemon = True
        limit.start()
    ended.set()
