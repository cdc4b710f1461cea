"""A worker's part of one run: recorded here, and sent to the master until all of it is acknowledged."""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gevent
from locust.env import Environment

from switchover.locust.recording.process_recording import REPORT_S, ProcessRecording
from switchover.locust.recording.run_description import RunDescription
from switchover.locust.workers.clock_sync import ClockSync
from switchover.locust.workers.messages import TRAFFIC, MessageChannel
from switchover.locust.workers.outbox import Outbox
from switchover.model.clock import Clock

LAST_WORD_S = 15.0
"""How long the master may take to acknowledge the rest; it may be busy with many workers."""
POLL_S = 0.02

logger = logging.getLogger(__name__)

AskClock = Callable[[], ClockSync]


class WorkerRun:
    """Goes on until `over`. `before`: the clocks compared at its start; None: both have the same clock."""

    def __init__(
        self,
        environment: Environment,
        channel: MessageChannel,
        directory: Path,
        worker: str,
        run: RunDescription,
        clock: Clock,
        before: ClockSync | None,
    ) -> None:
        self.run = run.run
        self.over = False
        self._channel = channel
        self._clock = clock
        self._before = before
        self._worker = worker
        self._outbox = Outbox(run.run, worker)
        self._recording = ProcessRecording(environment, directory, worker, run, clock, self._outbox.put)
        self._here = str(directory) == run.directory
        self._ending = False
        self._post()
        self._poster = gevent.spawn(self._post_on)

    def end(self, ask_clock: AskClock) -> None:
        """Send the rest in a greenlet of its own, when the users are gone. A second call does nothing."""
        if not self._ending:
            self._ending = True
            gevent.spawn(self._end, ask_clock)

    def save(self) -> None:
        self._recording.save()

    def acknowledged(self, number: int) -> None:
        """The master has every message up to this one."""
        self._outbox.acknowledged(number)

    def _post(self) -> None:
        for message in self._outbox.messages_due(time.monotonic()):
            self._channel.send(TRAFFIC, message)

    def _post_on(self) -> None:
        while True:
            gevent.sleep(REPORT_S)
            self._post()

    def _end(self, ask_clock: AskClock) -> None:
        try:
            self._recording.end()
            self._outbox.put_end(self._last_word(ask_clock))
            limit_s = time.monotonic() + LAST_WORD_S
            while not self._outbox.delivered and time.monotonic() < limit_s:
                self._post()
                gevent.sleep(POLL_S)
            if not self._outbox.delivered:
                logger.warning(
                    "Switchover: the master has not acknowledged the last traffic of %s; its rows are all in %s",
                    self._worker,
                    self._recording.path,
                )
        except Exception as error:
            logger.warning("Switchover: %s did not end in order: %s: %s", self._worker, type(error).__name__, error)
        finally:
            self._poster.kill(block=False)
            self.over = True

    def _last_word(self, ask_clock: AskClock) -> dict[str, Any]:
        warnings = self._recording.warnings
        offset_us: int | None = 0
        bound_us: int | None = 0
        clocks: list[dict[str, Any]] = []
        if self._before is not None:
            for when, sync in (("before", self._before), ("after", ask_clock())):
                clocks.append({"when": when, **self._reading(sync)})
            offset_us, bound_us = self._before.own_offset_us, self._before.bound_us
            if any(clock["bound_us"] is None for clock in clocks):
                warnings.append("its clock could not be compared with the master's: its times may be off")
        return {
            "path": str(self._recording.path),
            "seals": self._recording.seals.get(self._recording.path.name, []),
            "here": self._here,
            **self._recording.counts,
            "warnings": warnings,
            "without_timeout": sorted(self._recording.without_timeout),
            "clocks": clocks,
            "offset_us": offset_us,
            "bound_us": bound_us,
        }

    def _reading(self, sync: ClockSync) -> dict[str, Any]:
        """How far the recorded times are ahead of the master's after the correction."""
        if sync.best is None:
            return {"offset_us": None, "bound_us": None}
        ahead_ns = self._clock.anchor_ns - sync.best.anchor_ns
        return {"offset_us": ahead_ns // 1000, "bound_us": sync.best.bound_us}
