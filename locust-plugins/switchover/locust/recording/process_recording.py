"""The recording of one process: its sample log, and what its traffic was each second."""

import gc
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gevent
from gevent.lock import RLock
from locust.env import Environment

from switchover.locust.clients import UNREPORTED, reconnects
from switchover.locust.clients.unreported import AbandonedError
from switchover.locust.recording.recorder import FLUSH_S, Recorder, RecorderSettings, RecorderTotals
from switchover.locust.workers.run_description import RunDescription, part_name
from switchover.model.clock import Clock

TELL_S = 1.0
"""How often traffic is told."""

Tell = Callable[[list[str]], None]
"""Takes the lines that are new."""

logger = logging.getLogger(__name__)


class Part:
    """Records from its making until `end`. `tell` gets all points, in order, in this process's own time."""

    def __init__(
        self, environment: Environment, directory: Path, worker: str, run: RunDescription, clock: Clock, tell: Tell
    ) -> None:
        self.path = directory / part_name(worker)
        self.failure: str | None = None
        """Why something that was recorded may be missing."""
        self._environment = environment
        self._clock = clock
        self._tell = tell
        self._busy = RLock()
        settings = RecorderSettings(
            path=self.path, run=run.run, worker=worker, identity=run.identity, late_us=run.late_us
        )
        self._recorder = Recorder(settings, clock)
        self._ended = False
        _leave_to_rest()
        self._reconnects_before = reconnects()
        self.abandoned = 0
        """Requests that were under way when their users were stopped."""
        self._raised = 0
        # The first one: a listener of the test's own may raise RescheduleTask, and then the others are not asked.
        environment.events.request._handlers.insert(0, self._recorder.on_request)
        UNREPORTED.add_listener(self._on_unreported)
        self._ticker = gevent.spawn(self._tick)

    @property
    def totals(self) -> RecorderTotals:
        return self._recorder.totals

    @property
    def reconnects(self) -> int:
        """Kept connections that were found dead and silently replaced meanwhile."""
        return reconnects() - self._reconnects_before

    @property
    def warnings(self) -> list[str]:
        found = [*self._recorder.warnings, *([self.failure] if self.failure else [])]
        if self._raised:
            found.append(
                f"{self._raised} requests are missing in Locust's own statistics, because something was raised "
                "in their with-block; the sample log has them"
            )
        return found

    def end(self) -> None:
        """Record no more; everything is in the file and was told. A second call does nothing."""
        with self._busy:
            if self._ended:
                return
            self._ended = True
            self._environment.events.request.remove_listener(self._recorder.on_request)
            UNREPORTED.remove_listener(self._on_unreported)
            self._ticker.kill(block=False)
            self._recorder.users(self._users(), self._clock.now_us())
            self._recorder.close()
            self._tell(self._recorder.take_points(end=True))

    def save(self) -> None:
        """What is recorded goes to the file now: this process may be about to end."""
        if not self._ended:
            self._recorder.flush()

    def _on_unreported(self, exception: object = None, **event: Any) -> None:
        if isinstance(exception, AbandonedError):
            self.abandoned += 1
        else:
            self._raised += 1
        self._recorder.on_request(exception=exception, **event)

    def _tick(self) -> None:
        told_s = time.monotonic()
        while True:
            gevent.sleep(FLUSH_S)
            try:
                with self._busy:
                    if self._ended:
                        return
                    self._recorder.flush()
                    if time.monotonic() - told_s >= TELL_S:
                        told_s = time.monotonic()
                        self._recorder.users(self._users(), self._clock.now_us())
                        self._tell(self._recorder.take_points())
            except Exception as error:
                self._note(error)

    def _note(self, error: Exception) -> None:
        if self.failure is None:
            self.failure = f"recording was disturbed: {type(error).__name__}: {error}"
            logger.warning("Switchover: %s", self.failure)

    def _users(self) -> int:
        return self._environment.runner.user_count if self._environment.runner else 0


def _leave_to_rest() -> None:
    """What is loaded by now stays: full collections, which requests of HttpUser cause, need not look at it again."""
    gc.unfreeze()  # what the run before left behind
    gc.collect()
    gc.freeze()
