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
END_S = 5.0
"""How long the push that is under way when the run ends, and the last one, may take together."""
SLICE_BYTES = 1_000_000


class Exporter:
    """Of one run directory. SwitchoverError if it cannot listen. `warn` gets what goes wrong."""

    def __init__(
        self, directory: Path, prometheus: str | None, otlp: OtlpReceiver | None, warn: Callable[[str], None]
    ) -> None:
        self._warn = warn
        self._registry = Registry()
        self._tail = JournalTail(directory)
        self._pusher = Pusher(otlp, self._registry, warn) if otlp else None
        self._server = PrometheusServer(prometheus, self._registry) if prometheus else None

    def run(self, ended: threading.Event) -> None:
        """Until the run has ended and the last points have been passed on."""
        while not ended.wait(LOOK_S):
            self._read()
            if self._pusher is not None:
                self._pusher.push_if_due()
        self._read()
        if self._pusher is not None:
            self._pusher.push_now()
        if self._server is not None:
            self._server.scrapes.wait_for_another(self._warn)
            self._server.close()

    def stop(self) -> None:
        """A push that is under way ends now, and none is begun any more."""
        if self._pusher is not None:
            self._pusher.stop()

    def _read(self) -> None:
        more = True
        while more:
            lines, more = self._tail.read(SLICE_BYTES)
            for line in lines:
                try:
                    self._registry.add(parse_point(line.decode("utf-8")))
                except ValueError:
                    continue


class Pusher:
    """Sends the metrics to an OTLP receiver every 5 s; `warn` gets one line the first time that it takes none.

    A receiver that was away gets the totals later: only the steps between are lost.
    """

    def __init__(self, receiver: OtlpReceiver, registry: Registry, warn: Callable[[str], None]) -> None:
        self._receiver = receiver
        self._sender = OtlpSender(receiver)
        self._registry = registry
        self._warn = warn
        self._warned = False
        self._due_s = time.monotonic() + PUSH_S

    def push_if_due(self) -> None:
        if time.monotonic() >= self._due_s:
            self.push_now()

    def push_now(self) -> None:
        why = self._sender.push(self._registry, time.time_ns())
        self._due_s = time.monotonic() + PUSH_S
        if why and not self._warned:
            self._warned = True
            self._warn(f"{self._receiver.url} takes no metrics: {why}; the journal keeps them")

    def stop(self) -> None:
        """A push that is under way ends now, and none is begun any more."""
        self._sender.stop()
