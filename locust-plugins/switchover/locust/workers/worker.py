"""A worker process, which records its part of each run with times of the Locust master's clock."""

import logging
import os
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import gevent
from locust.env import Environment
from locust.runners import WorkerRunner
from msgspec import convert

from switchover.locust.clients.timeouts import configure
from switchover.locust.interrupt import deliver_interrupt_to_main
from switchover.locust.options import read_options
from switchover.locust.recording.process_recording import REPORT_S, ProcessRecording
from switchover.locust.recording.recorder import OPTION, RunDescription
from switchover.locust.workers.messages import (
    ACKNOWLEDGED,
    CLOCK_ANSWER,
    CLOCK_QUESTION,
    POLL_S,
    TRAFFIC,
    MessageChannel,
)
from switchover.locust.workers.worker_list import Anchor, WorkerEnd, clock_domain, worker_name
from switchover.model.clock import Clock

AGAIN_S = 3.0
WINDOW = 50
"""The maximum number of messages that were sent but not yet acknowledged. Further lines wait in the outbox."""


class Outbox:
    """The messages of one worker about one run, with times in seconds of a monotonic clock.

    ZeroMQ loses messages in transit when a connection breaks. The master therefore acknowledges the number of the
    last message before the first missing message. A message that is not acknowledged within `AGAIN_S` seconds is sent
    again.
    """

    def __init__(self, run: str, worker: str) -> None:
        self._run = run
        self._worker = worker
        self._lines: list[str] = []
        self._number = 0
        self._under_way: dict[int, tuple[float, dict[str, Any]]] = {}
        self._end: Mapping[str, Any] | None = None
        self._end_sent = False

    def put(self, lines: list[str]) -> None:
        self._lines += lines

    def put_end(self, facts: Mapping[str, Any]) -> None:
        self._end = facts

    @property
    def delivered(self) -> bool:
        return self._end_sent and not self._under_way

    def messages_due(self, now_s: float) -> list[dict[str, Any]]:
        """Return the messages to send now. An empty message shows that the worker is alive."""
        messages: list[dict[str, Any]] = []
        for number, (sent_s, message) in self._under_way.items():
            if now_s - sent_s >= AGAIN_S:
                self._under_way[number] = (now_s, message)
                messages.append(message)
        if len(self._under_way) < WINDOW and not self._end_sent:
            messages.append(self._next(now_s))
        return messages

    def acknowledged(self, number: int) -> None:
        for delivered in [sent for sent in self._under_way if sent <= number]:
            del self._under_way[delivered]

    def _next(self, now_s: float) -> dict[str, Any]:
        lines, self._lines = self._lines, []
        self._number += 1
        message: dict[str, Any] = {
            "run": self._run,
            "worker": self._worker,
            "number": self._number,
            "lines": lines,
            "end": None if self._end is None else dict(self._end),
        }
        self._end_sent = self._end is not None
        self._under_way[self._number] = (now_s, message)
        return message


ANSWER_S = 0.5
"""The maximum time, in seconds, to wait for the master's answer with the time of its clock. A later answer would be
too uncertain."""
QUESTIONS = 8
LAST_WORD_S = 15.0
"""The maximum time, in seconds, to wait until a busy master acknowledges the last message."""

logger = logging.getLogger(__name__)


class Worker:
    """The worker of one Locust environment. Its listener for `quitting` must be called before Locust's own."""

    def __init__(self, environment: Environment, runner: WorkerRunner) -> None:
        self._environment = environment
        self._runner = runner
        self._own_clock = Clock.of_process()
        self._out = read_options(environment.parsed_options).drill.out
        self._anchors: list[Anchor] = []
        self._run: WorkerRun | None = None
        self._channel = MessageChannel(
            runner, {ACKNOWLEDGED: self._acknowledged, CLOCK_ANSWER: self._clock_answer}, self.report_defect
        )

    def test_start(self) -> None:
        """Start the recording, in the greenlet that reads the master's messages."""
        message = getattr(self._environment.parsed_options, OPTION, None)
        if message is None:
            logger.warning(
                "Switchover: this worker records nothing, because the Locust master runs without Switchover"
            )
            return
        description = convert(message, RunDescription)
        if self._run is not None and self._run.name == description.run and not self._run.over:
            return
        is_same_clock = description.clock_domain == clock_domain()
        before = None if is_same_clock else self._ask_clock(reading=True)
        clock = self._own_clock
        if is_same_clock:
            clock = Clock(description.anchor_ns)
        elif before is not None:
            clock = Clock(before.anchor_ns)
        configure(*description.timeouts_s, clock)
        os.environ.update(clock.environment())
        directory = Path(description.directory)
        if not directory.is_dir():  # the master is on a different machine
            directory = self._out.absolute() / description.run
            directory.mkdir(parents=True, exist_ok=True)
        self._run = WorkerRun(self, directory, description, clock, is_same_clock=is_same_clock, before=before)

    def test_stop(self) -> None:
        if self._run is not None:
            self._run.end()

    def quitting(self) -> None:
        run = self._run
        if run is None or run.over:
            return
        deliver_interrupt_to_main()
        try:
            self._runner.stop()
            run.end()
            self._channel.wait(lambda: run.over, 2 * LAST_WORD_S)
        except KeyboardInterrupt:
            # After a second Ctrl-C, save the rows and do not wait.
            run.recording.save()
        self._runner._send_stats()

    def at_exit(self) -> None:
        if self._run is not None:
            self._run.recording.save()

    def report_defect(self, where: str, error: Exception) -> None:
        text = f"{where} failed: {type(error).__name__}: {error}"
        is_debugged = bool(os.environ.get("SWITCHOVER_DEBUG"))
        logger.warning("Switchover: incomplete: %s", text, exc_info=is_debugged)

    def _ask_clock(self, *, reading: bool = False) -> Anchor | None:
        """Compare the monotonic clock with the master's clock several times, and return the anchor with the smallest
        error bound. `reading`: as in `MessageChannel.wait`."""
        anchors = self._anchors = []
        for asked in range(QUESTIONS):
            self._channel.send(CLOCK_QUESTION, {"sent_ns": time.monotonic_ns()})
            self._channel.wait(lambda known=asked: len(anchors) > known, ANSWER_S, reading=reading)  # type: ignore[misc]
        return min(anchors, key=lambda anchor: anchor.bound_ns, default=None)

    def _clock_answer(self, _sender: str, message: Mapping[str, Any]) -> None:
        received_ns, sent_ns = time.monotonic_ns(), int(message["sent_ns"])
        if sent_ns <= received_ns:
            self._anchors.append(Anchor.of(sent_ns, int(message["now_ns"]), received_ns))

    def _acknowledged(self, _sender: str, message: Mapping[str, Any]) -> None:
        if self._run is not None and self._run.name == message["run"]:
            self._run.outbox.acknowledged(int(message["number"]))


class WorkerRun:
    def __init__(
        self,
        worker: Worker,
        directory: Path,
        description: RunDescription,
        clock: Clock,
        *,
        is_same_clock: bool,
        before: Anchor | None,
    ) -> None:
        """`before`: the first comparison with the master's clock. None: worker and master share a clock, or the
        comparison failed."""
        self.name = description.run
        self.over = False
        self._worker = worker
        self._clock = clock
        self._is_same_clock = is_same_clock
        self._before = before
        self._here = str(directory) == description.directory
        name = worker_name(worker._runner.worker_index)
        self.outbox = Outbox(description.run, name)
        self.recording = ProcessRecording(worker._environment, directory, name, description, clock, self.outbox.put)
        self._ending = False
        self._post()
        self._poster = gevent.spawn(self._post_repeatedly)

    def end(self) -> None:
        if not self._ending:
            self._ending = True
            gevent.spawn(self._end)

    def _post(self) -> None:
        for message in self.outbox.messages_due(time.monotonic()):
            self._worker._channel.send(TRAFFIC, message)

    def _post_repeatedly(self) -> None:
        while True:
            gevent.sleep(REPORT_S)
            self._post()

    def _end(self) -> None:
        try:
            self.recording.end()
            self.outbox.put_end(asdict(self._last_word()))
            limit_s = time.monotonic() + LAST_WORD_S
            while not self.outbox.delivered and time.monotonic() < limit_s:
                self._post()
                gevent.sleep(POLL_S)
            if not self.outbox.delivered:
                path = self.recording.path
                logger.warning(
                    "Switchover: the Locust master has not acknowledged the last traffic, which is in %s", path
                )
        except Exception as error:
            self._worker.report_defect("the end of the recording", error)
        finally:
            self._poster.kill(block=False)
            self.over = True

    def _last_word(self) -> WorkerEnd:
        recording, before = self.recording, self._before
        warnings, clocks = recording.warnings, []
        offset_us = bound_us = 0 if self._is_same_clock else None
        if not self._is_same_clock:
            after = self._worker._ask_clock()
            clocks = [{"when": "before", **self._reading(before)}, {"when": "after", **self._reading(after)}]
            if before is None or after is None:
                warnings.append(
                    "its clock could not be compared with the Locust master's clock: its times may be wrong"
                )
        if before is not None:
            offset_us = (self._worker._own_clock.anchor_ns - before.anchor_ns) // 1000
            bound_us = _microseconds_up(before.bound_ns)
        return WorkerEnd(
            path=str(recording.path),
            seals=recording.seals.get(recording.path.name, []),
            here=self._here,
            **recording.counts,
            warnings=warnings,
            without_timeout=sorted(recording.without_timeout),
            clocks=clocks,
            offset_us=offset_us,
            bound_us=bound_us,
        )

    def _reading(self, anchor: Anchor | None) -> dict[str, Any]:
        """Return the difference that remains between the worker's corrected clock and the master's clock, with its
        error bound."""
        if anchor is None:
            return {"offset_us": None, "bound_us": None}
        ahead_ns = self._clock.anchor_ns - anchor.anchor_ns
        return {"offset_us": ahead_ns // 1000, "bound_us": _microseconds_up(anchor.bound_ns)}


def _microseconds_up(nanoseconds: int) -> int:
    return -(-nanoseconds // 1000)
