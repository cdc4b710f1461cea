"""The recording of one process: the sample log, and the traffic of each second."""

import gc
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gevent
from gevent.lock import RLock
from locust.env import Environment

from switchover.locust.clients.timeouts import CLASSES_WITHOUT_TIMEOUT
from switchover.locust.clients.unreported import UNCLOSED, UNREPORTED, AbandonedError, report_open_requests
from switchover.locust.recording.open_requests import OPEN
from switchover.locust.recording.recorder import FLUSH_S, Recorder, RunDescription, part_name
from switchover.model.clock import Clock
from switchover.rundir.seal import Seals

LAST_REQUESTS_S = 2.0
"""The time limit, in seconds, for open requests to complete after the end of the test."""
REPORT_S = 1.0

TakeLines = Callable[[list[str]], None]

logger = logging.getLogger(__name__)


class ProcessRecording:
    """The recording of a process, from the constructor until `end`. All points are passed to `take_lines` in the
    order in which they were recorded."""

    def __init__(
        self,
        environment: Environment,
        directory: Path,
        worker: str,
        run: RunDescription,
        clock: Clock,
        take_lines: TakeLines,
    ) -> None:
        self.path = directory / part_name(worker)
        self.failure: str | None = None
        self._environment = environment
        self._clock = clock
        self._take_lines = take_lines
        self._lock = RLock()
        self._recorder = Recorder(self.path, worker, run, clock)
        self._ended = False
        _freeze_loaded_objects()
        self.abandoned = 0
        """The number of requests that had no answer when their users were stopped."""
        self._raised = self._unclosed = 0
        # This listener is the first: a listener of the test may raise RescheduleTask, which skips all later
        # listeners.
        environment.events.request._handlers.insert(0, self._recorder.on_request)
        UNREPORTED.add_listener(self._on_unreported)
        OPEN.watched = True
        self._ticker = gevent.spawn(self._tick)

    @property
    def counts(self) -> dict[str, int]:
        return {"samples": self._recorder.samples, "lost": self._recorder.writer.lost, "abandoned": self.abandoned}

    without_timeout = CLASSES_WITHOUT_TIMEOUT

    @property
    def seals(self) -> Seals:
        return self._recorder.writer.seals

    @property
    def warnings(self) -> list[str]:
        warnings = [*self._recorder.warnings, *([self.failure] if self.failure else [])]
        for number, why in (
            (self._raised, "the test raised an error or a timeout in their with-block"),
            (self._unclosed, "their responses with catch_response=True were not used in a with-block"),
        ):
            if number:
                warnings.append(
                    f"{number} requests are missing in Locust's own statistics, because {why}; "
                    "the sample log has these requests"
                )
        return warnings

    def end(self) -> None:
        """Stop recording, write all rows, and pass all remaining points to `take_lines`."""
        runner = self._environment.runner
        if runner is not None and not self._ended:
            # A user that quits the test, or whose on_stop sends requests, may need more time.
            runner.user_greenlets.join(timeout=LAST_REQUESTS_S)
        with self._lock:
            if self._ended:
                return
            report_open_requests()
            self._ended = True
            OPEN.watched = False
            self._environment.events.request.remove_listener(self._recorder.on_request)
            UNREPORTED.remove_listener(self._on_unreported)
            self._ticker.kill(block=False)
            self._recorder.users(self._users(), self._clock.now_us())
            self._recorder.close()
            self._take_lines(self._recorder.take_points(end=True))

    def save(self) -> None:
        if not self._ended:
            self._recorder.flush()

    def _on_unreported(self, exception: object = None, **event: Any) -> None:
        if event.pop(UNCLOSED, False):
            self._unclosed += 1
        elif isinstance(exception, AbandonedError):
            self.abandoned += 1
        else:
            self._raised += 1
        self._recorder.on_request(exception=exception, **event)

    def _tick(self) -> None:
        reported_s = time.monotonic()
        while True:
            gevent.sleep(FLUSH_S)
            try:
                with self._lock:
                    if self._ended:
                        return
                    self._recorder.flush()
                    if time.monotonic() - reported_s >= REPORT_S:
                        reported_s = time.monotonic()
                        self._recorder.users(self._users(), self._clock.now_us())
                        self._take_lines(self._recorder.take_points())
            except Exception as error:
                if self.failure is None:
                    self.failure = f"a part of the recording failed: {type(error).__name__}: {error}"
                    logger.warning("Switchover: %s", self.failure)

    def _users(self) -> int:
        return self._environment.runner.user_count if self._environment.runner else 0


def _freeze_loaded_objects() -> None:
    """Exclude the loaded objects from garbage collection, because HttpUser causes slow full collections."""
    gc.unfreeze()  # objects of the previous run may be garbage now
    gc.collect()
    gc.freeze()
