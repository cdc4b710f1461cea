"""The exporter's process: a spec on stdin; warnings, and at last what became of it, on stdout.

Stdin ends when the run does, and when its parent dies, however it dies. Then the last points are read, pushed, and
served until Prometheus has come once more.
"""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from switchover.process.json_child import await_end, say
from switchover.rundir.points import parse_point
from switchover.streaming.influx.follower import LOOK_S, journals
from switchover.streaming.influx.journal_sender import read_batch
from switchover.streaming.influx.outside_way import do_outside
from switchover.streaming.metrics.otlp import OtlpReceiver, OtlpSender
from switchover.streaming.metrics.prometheus import PrometheusServer
from switchover.streaming.metrics.registry import Registry
from switchover.streaming.metrics.spec import ExportSpec

PUSH_S = 5.0
END_S = 5.0
"""For the push that is under way when the run ends, and the last one, together."""
ORPHAN_S = 3.0
"""How long it may live on once its parent has gone without having ended it."""


def main() -> None:
    """Ctrl-C is for the foreground of a terminal: only the parent ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    spec = ExportSpec.from_json(sys.stdin.readline())
    do_outside(spec.outside, replace(spec, outside=None).to_json(), lambda: export(spec, sys.stdin, say))


def export(spec: ExportSpec, parent_lines: Iterator[str], say: Callable[[dict[str, Any]], None]) -> None:
    """Until `parent_lines` ends and the last points have been passed on."""
    registry = Registry()
    server = PrometheusServer(spec.prometheus, registry) if spec.prometheus else None
    pusher = Pusher(spec.otlp, registry, lambda text: say({"warning": text})) if spec.otlp else None
    ended = await_end(parent_lines, END_S, pusher.stop if pusher is not None else lambda: None)
    reader = JournalReader(spec.directory, registry)
    while not ended.wait(LOOK_S):
        reader.read()
        if pusher is not None:
            pusher.push_if_due()
    reader.read()
    if pusher is not None:
        pusher.push_now()
    if server is not None:
        server.scrapes.wait_for_another(lambda text: say({"warning": text}))
        server.close()


class JournalReader:
    """Puts the points of a run directory's journals into the registry, each line once."""

    def __init__(self, directory: Path, registry: Registry) -> None:
        self._directory = directory
        self._registry = registry
        self._read: dict[Path, tuple[int, int]] = {}
        """The inode of each file, and how far it is read."""

    def read(self) -> None:
        """All that is new. A file that cannot be read now is tried again at the next call."""
        for path in journals(self._directory):
            try:
                self._read_file(path)
            except OSError:
                continue

    def _read_file(self, path: Path) -> None:
        inode = path.stat().st_ino
        known, offset = self._read.get(path, (inode, 0))
        if known != inode:
            offset = 0
        while (batch := read_batch(path, offset)) is not None:
            offset += batch.size
            self._read[path] = (inode, offset)
            for line in batch.lines.splitlines():
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
