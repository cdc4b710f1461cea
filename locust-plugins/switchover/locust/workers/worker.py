"""A worker: it records its part of each run that the master describes, and keeps the master's time."""

import logging
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from locust.env import Environment
from locust.runners import WorkerRunner

from switchover.locust.clients import ClientSettings, configure
from switchover.locust.interrupt import deliver_to_main
from switchover.locust.options import Options, read_options
from switchover.locust.workers.clock_sync import QUESTIONS, ClockSync, clock_domain
from switchover.locust.workers.messages import CLOCK_ANSWER, CLOCK_QUESTION, TAKEN, Mail
from switchover.locust.workers.run_description import OPTION, RunDescription
from switchover.locust.workers.worker_list import worker_name
from switchover.locust.workers.worker_run import LAST_WORD_S, Shift
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError

ANSWER_S = 0.5
"""For one answer of the master's clock; a later one says less than nothing."""

logger = logging.getLogger(__name__)


class Follower:
    """Of an environment. Made in `init`: its listeners of `quitting` come before Locust's own and its runner's."""

    def __init__(self, environment: Environment, runner: WorkerRunner) -> None:
        self._environment = environment
        self._runner = runner
        self._own_clock = Clock.of_process()
        self._out = _own_out(environment.parsed_options)
        self._sync = ClockSync(self._own_clock.anchor_ns)
        self._shift: Shift | None = None
        self._mail = Mail(runner, {TAKEN: self._taken, CLOCK_ANSWER: self._clock_answer}, self.disturbed)

    def test_start(self) -> None:
        """In the greenlet that reads the master's messages, before there are users."""
        message = getattr(self._environment.parsed_options, OPTION, None)
        if message is None:
            logger.warning("Switchover: nothing is recorded here: the master runs without Switchover")
            return
        run = RunDescription.from_message(message)
        if self._shift is not None and self._shift.run == run.run and not self._shift.over:
            return
        before = None if run.clock_domain == clock_domain() else self._ask_clock(reading=True)
        anchor_ns = run.anchor_ns if before is None else before.best.anchor_ns if before.best else None
        clock = self._own_clock if anchor_ns is None else Clock(anchor_ns)
        configure(ClientSettings(run.resends, run.timeout_connect_s, run.timeout_read_s), clock)
        os.environ.update(clock.environment())
        directory = self._directory(run)
        worker = worker_name(self._runner.worker_index)
        self._shift = Shift(self._environment, self._mail, directory, worker, run, clock, before)

    def test_stop(self) -> None:
        if self._shift is not None:
            self._shift.end(self._ask_clock)

    def quitting(self) -> None:
        """The users end now, while what they did can still be told; Locust would end them after its good-bye."""
        shift = self._shift
        if shift is None or shift.over:
            return
        deliver_to_main()
        try:
            self._runner.stop()
            shift.end(self._ask_clock)
            self._mail.wait(lambda: shift.over, 2 * LAST_WORD_S)
        except KeyboardInterrupt:
            # Somebody cannot wait; the rows are what counts.
            shift.save()
        self._runner._send_stats()

    def at_exit(self) -> None:
        if self._shift is not None:
            self._shift.save()

    def disturbed(self, where: str, error: Exception) -> None:
        logger.warning(
            "Switchover: incomplete: %s failed: %s: %s",
            where,
            type(error).__name__,
            error,
            exc_info=bool(os.environ.get("SWITCHOVER_DEBUG")),
        )

    def _directory(self, run: RunDescription) -> Path:
        """The master's, where it can be seen from here; else one of our own for our part."""
        directory = Path(run.directory)
        if directory.is_dir():
            return directory
        own = self._out.absolute() / run.run
        own.mkdir(parents=True, exist_ok=True)
        return own

    def _ask_clock(self, *, reading: bool = False) -> ClockSync:
        """Compare the clocks. `reading`: this is the greenlet that reads messages."""
        sync = self._sync = ClockSync(self._own_clock.anchor_ns)
        for _ in range(QUESTIONS):
            answers = sync.answers
            self._mail.send(CLOCK_QUESTION, {"sent_ns": time.monotonic_ns()})
            self._mail.wait(lambda known=answers: sync.answers > known, ANSWER_S, reading=reading)  # type: ignore[misc]
        return sync

    def _clock_answer(self, _sender: str, message: Mapping[str, Any]) -> None:
        received_ns = time.monotonic_ns()
        self._sync.answered(int(message["sent_ns"]), int(message["now_ns"]), received_ns)

    def _taken(self, _sender: str, message: Mapping[str, Any]) -> None:
        if self._shift is not None and self._shift.run == message["run"]:
            self._shift.taken(int(message["number"]))


def _own_out(namespace: object) -> Path:
    """What was said on this machine; the master's word for it comes later, and is for the master's machine."""
    try:
        return read_options(namespace).out
    except SwitchoverError:
        return Options().out
