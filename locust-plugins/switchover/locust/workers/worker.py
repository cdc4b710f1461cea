"""A worker process: it records its part of each run that the master describes, in the master's time."""

import logging
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from locust.env import Environment
from locust.runners import WorkerRunner

from switchover.locust.clients import configure
from switchover.locust.interrupt import deliver_interrupt_to_main
from switchover.locust.options import NOTHING_CHOSEN, read_options
from switchover.locust.recording.run_description import OPTION, RunDescription
from switchover.locust.workers.clock_sync import QUESTIONS, ClockSync, clock_domain
from switchover.locust.workers.messages import ACKNOWLEDGED, CLOCK_ANSWER, CLOCK_QUESTION, MessageChannel
from switchover.locust.workers.worker_list import worker_name
from switchover.locust.workers.worker_run import LAST_WORD_S, WorkerRun
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError

ANSWER_S = 0.5
"""How long one answer of the master's clock may take; a later one would be of no use."""

logger = logging.getLogger(__name__)


class Worker:
    """The worker of one environment. Made in `init`, so that its listener of `quitting` comes before Locust's own."""

    def __init__(self, environment: Environment, runner: WorkerRunner) -> None:
        self._environment = environment
        self._runner = runner
        self._own_clock = Clock.of_process()
        self._out = _own_out(environment.parsed_options)
        self._sync = ClockSync(self._own_clock.anchor_ns)
        self._worker_run: WorkerRun | None = None
        self._channel = MessageChannel(
            runner, {ACKNOWLEDGED: self._acknowledged, CLOCK_ANSWER: self._clock_answer}, self.report_defect
        )

    def test_start(self) -> None:
        """Start the recording. Called before there are users, in the greenlet that reads the master's messages."""
        message = getattr(self._environment.parsed_options, OPTION, None)
        if message is None:
            logger.warning("Switchover: nothing is recorded here: the master runs without Switchover")
            return
        run = RunDescription.from_message(message)
        if self._worker_run is not None and self._worker_run.run == run.run and not self._worker_run.over:
            return
        before = None if run.clock_domain == clock_domain() else self._ask_clock(reading=True)
        anchor_ns = run.anchor_ns if before is None else before.best.anchor_ns if before.best else None
        clock = self._own_clock if anchor_ns is None else Clock(anchor_ns)
        configure(run.timeout_connect_s, run.timeout_read_s, clock)
        os.environ.update(clock.environment())
        directory = self._directory(run)
        worker = worker_name(self._runner.worker_index)
        self._worker_run = WorkerRun(self._environment, self._channel, directory, worker, run, clock, before)

    def test_stop(self) -> None:
        if self._worker_run is not None:
            self._worker_run.end(self._ask_clock)

    def quitting(self) -> None:
        """End the users now, while the master can still be reached; Locust would end them later."""
        worker_run = self._worker_run
        if worker_run is None or worker_run.over:
            return
        deliver_interrupt_to_main()
        try:
            self._runner.stop()
            worker_run.end(self._ask_clock)
            self._channel.wait(lambda: worker_run.over, 2 * LAST_WORD_S)
        except KeyboardInterrupt:
            # A second Ctrl-C: save the rows and do not wait.
            worker_run.save()
        self._runner._send_stats()

    def at_exit(self) -> None:
        if self._worker_run is not None:
            self._worker_run.save()

    def report_defect(self, where: str, error: Exception) -> None:
        logger.warning(
            "Switchover: incomplete: %s failed: %s: %s",
            where,
            type(error).__name__,
            error,
            exc_info=bool(os.environ.get("SWITCHOVER_DEBUG")),
        )

    def _directory(self, run: RunDescription) -> Path:
        """The master's run directory if it is on this machine; else one of our own."""
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
            self._channel.send(CLOCK_QUESTION, {"sent_ns": time.monotonic_ns()})
            self._channel.wait(lambda known=answers: sync.answers > known, ANSWER_S, reading=reading)  # type: ignore[misc]
        return sync

    def _clock_answer(self, _sender: str, message: Mapping[str, Any]) -> None:
        received_ns = time.monotonic_ns()
        self._sync.answered(int(message["sent_ns"]), int(message["now_ns"]), received_ns)

    def _acknowledged(self, _sender: str, message: Mapping[str, Any]) -> None:
        if self._worker_run is not None and self._worker_run.run == message["run"]:
            self._worker_run.acknowledged(int(message["number"]))


def _own_out(namespace: object) -> Path:
    """The folder of runs as given on this machine; the master's option, which comes later, is for its machine."""
    try:
        return read_options(namespace).drill.out
    except SwitchoverError:
        return NOTHING_CHOSEN.out
