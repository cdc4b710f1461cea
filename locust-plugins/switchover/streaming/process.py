"""The streaming process: it reads a spec from stdin, streams until stdin ends, and writes warnings and the
account."""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from switchover.model.errors import SwitchoverError
from switchover.process.json_child import send_message
from switchover.rundir.journal_tail import JournalTail
from switchover.rundir.points import parse_point
from switchover.streaming.influx.shipper import LOOK_S, Shipper
from switchover.streaming.influx.writer import Writer
from switchover.streaming.metrics.otlp import OtlpReceiver, OtlpSender
from switchover.streaming.metrics.prometheus import PrometheusServer
from switchover.streaming.metrics.registry import Registry
from switchover.streaming.outside import connect_outside, pass_on
from switchover.streaming.parent import END_S, WAIT_S, StreamSpec

PUSH_S = 5.0
"""The interval of pushes, in seconds. After an outage of the receiver, the next push has the present totals."""
SLICE_BYTES = 1_000_000


class Exporter:
    """The exporter of one run directory. Raises SwitchoverError if it cannot listen for scrapes. `warn` is called
    only once."""

    def __init__(
        self, directory: Path, prometheus: str | None, otlp: OtlpReceiver | None, warn: Callable[[str], None]
    ) -> None:
        self._warn = warn
        self._registry = Registry()
        self._tail = JournalTail(directory)
        self._sender = OtlpSender(otlp) if otlp else None
        self._is_warned = False
        self._server = PrometheusServer(prometheus, self._registry) if prometheus else None

    def run(self, ended: threading.Event) -> None:
        due_s = time.monotonic() + PUSH_S
        while not ended.wait(LOOK_S):
            self._read()
            if time.monotonic() >= due_s:
                self.push()
                due_s = time.monotonic() + PUSH_S
        self._read()
        self.push()
        if self._server is not None:
            self._server.await_last_scrape(self._warn)
            self._server.close()

    def stop(self) -> None:
        if self._sender is not None:
            self._sender.stop()

    def push(self) -> None:
        if self._sender is None:
            return
        why = self._sender.push(self._registry, time.time_ns())
        if why and not self._is_warned:
            self._is_warned = True
            self._warn(f"{self._sender.receiver.url} accepts no metrics: {why}; the journal keeps them")

    def _read(self) -> None:
        more = True
        while more:
            lines, more = self._tail.read(SLICE_BYTES)
            for line in lines:
                with suppress(ValueError):
                    self._registry.add(parse_point(line.decode("utf-8")))


ORPHAN_S = WAIT_S + 3.0
"""The maximum time in seconds that the process runs after its parent has ended, to send the remaining points."""


def main() -> None:
    """Run the process. The process ignores Ctrl-C, because its parent ends the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    spec = StreamSpec.from_json(sys.stdin.readline())
    connection = connect_outside(spec.outside)
    if connection is None:
        stream(spec, sys.stdin)
    else:
        pass_on(connection, replace(spec, outside=None).to_json())


def stream(spec: StreamSpec, parent_lines: Iterator[str]) -> None:
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
    """Set `ended` when the parent's lines end. Call the function of each time limit when the limit expires."""
    for _ in parent_lines:
        """Ignore further lines."""
    for limit_s, give_up in limits:
        limit = threading.Timer(limit_s, give_up)
        limit.daemon = True
        limit.start()
    ended.set()
