"""A run's journals as metrics: served to Prometheus, pushed to an OTLP receiver, and both once more at the end."""

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
"""Interval of the pushes. A receiver that was away gets the totals later: only the steps between are lost."""
END_S = 5.0
"""Time for the push that is under way when the run ends, and for the last one, together."""
SLICE_BYTES = 1_000_000


class Exporter:
    """Exports one run directory. SwitchoverError if it cannot listen. `warn` gets each problem, once."""

    def __init__(
        self, directory: Path, prometheus: str | None, otlp: OtlpReceiver | None, warn: Callable[[str], None]
    ) -> None:
        self._warn = warn
        self._registry = Registry()
        self._tail = JournalTail(directory)
        self._receiver = otlp
        self._sender = OtlpSender(otlp) if otlp else None
        self._is_warned = False
        self._server = PrometheusServer(prometheus, self._registry) if prometheus else None

    def run(self, ended: threading.Event) -> None:
        """Until the run has ended and the last points have been passed on."""
        due_s = time.monotonic() + PUSH_S
        while not ended.wait(LOOK_S):
            self._read()
            if time.monotonic() >= due_s:
                self.push()
                due_s = time.monotonic() + PUSH_S
        self._read()
        self.push()
        if self._server is not None:
            self._server.scrapes.wait_for_another(self._warn)
            self._server.close()

    def stop(self) -> None:
        """A push that is under way ends now, and none is begun any more."""
        if self._sender is not None:
            self._sender.stop()

    def push(self) -> None:
        why = self._sender.push(self._registry, time.time_ns()) if self._sender is not None else None
        if why and self._receiver is not None and not self._is_warned:
            self._is_warned = True
            self._warn(f"{self._receiver.url} takes no metrics: {why}; the journal keeps them")

    def _read(self) -> None:
        more = True
        while more:
            lines, more = self._tail.read(SLICE_BYTES)
            for line in lines:
                try:
                    self._registry.add(parse_point(line.decode("utf-8")))
                except ValueError:
                    continue
