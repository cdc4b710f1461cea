"""Export the journals of a run as metrics to Prometheus and to an OTLP receiver, with a last export at the end."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

from switchover.rundir.journal_tail import JournalTail
from switchover.rundir.points import parse_point
from switchover.streaming.influx.shipper import LOOK_S
from switchover.streaming.metrics.otlp import OtlpReceiver, OtlpSender
from switchover.streaming.metrics.prometheus import PrometheusServer
from switchover.streaming.metrics.registry import Registry

PUSH_S = 5.0
"""The interval of pushes in seconds. A receiver that was down gets the totals later, without values in between."""
END_S = 5.0
"""The time in seconds for the running push and the last push together, at the end of the run."""
SLICE_BYTES = 1_000_000


class Exporter:
    """The exporter of one run directory. Raises SwitchoverError if it cannot listen. `warn` is called once."""

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
        """Export until the run has ended and the last points have been exported."""
        due_s = time.monotonic() + PUSH_S
        while not ended.wait(LOOK_S):
            self._read()
            if time.monotonic() >= due_s:
                self.push()
                due_s = time.monotonic() + PUSH_S
        self._read()
        self.push()
        if self._server is not None:
            self._server.close(self._warn)

    def stop(self) -> None:
        """End the current push, and refuse further pushes."""
        if self._sender is not None:
            self._sender.stop()

    def push(self) -> None:
        why = self._sender.push(self._registry, time.time_ns()) if self._sender is not None else None
        if why and not self._is_warned and self._sender is not None:
            self._is_warned = True
            self._warn(f"{self._sender.receiver.url} accepts no metrics: {why}; the journal keeps them")

    def _read(self) -> None:
        more = True
        while more:
            lines, more = self._tail.read(SLICE_BYTES)
            for line in lines:
                try:
                    self._registry.add(parse_point(line.decode("utf-8")))
                except ValueError:
                    continue
