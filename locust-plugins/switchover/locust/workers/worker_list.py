"""The workers of a run, as the master sees them."""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

import gevent
from locust.runners import MasterRunner

from switchover.locust.workers.messages import ACKNOWLEDGED, MessageChannel
from switchover.locust.workers.worker_state import LATE, SILENT_S, START, WorkerState, worker_name
from switchover.model.clock import Clock
from switchover.rundir.journal import Journal
from switchover.rundir.seal import Seals

EARLY_S = 3.0
"""Tolerance, in seconds, for early ends. Ctrl-C reaches all processes, and some end before the master notices."""
LAST_WORDS_S = 60.0
"""Seconds for the workers to end their users and send the rest, in addition to Locust's stop timeout."""
POLL_S = 0.02

TakeLines = Callable[[list[str]], None]

logger = logging.getLogger(__name__)


class WorkerList:
    """The workers of one run. `take_lines` gets the lines of all workers as they arrive."""

    def __init__(
        self,
        runner: MasterRunner,
        channel: MessageChannel,
        run: str,
        journal: Journal,
        clock: Clock,
        take_lines: TakeLines,
    ) -> None:
        self._runner = runner
        self._channel = channel
        self._run = run
        self._journal = journal
        self._clock = clock
        self._take_lines = take_lines
        self._states: dict[str, WorkerState] = {}
        self._begun = False
        self._stopped_s = 0.0

    def begin(self) -> None:
        """Record the start of the load. A worker that joins later is late."""
        for client in list(self._runner.clients):
            self._state_of(client)
        self._begun = True

    def _state_of(self, client: str) -> WorkerState:
        state = self._states.get(client)
        if state is None:
            name = worker_name(self._runner.get_worker_index(client))
            state = WorkerState(self._run, name, client, LATE if self._begun else START, time.monotonic())
            self._states[client] = state
            if self._begun:
                self._warn(state, f"{state.worker} joined when the run was under way")
        return state

    def receive(self, client: str, message: Mapping[str, Any]) -> None:
        """Take a message of a worker. A message of an earlier run is acknowledged and dropped."""
        if message["run"] != self._run:
            self._channel.send(ACKNOWLEDGED, {"run": message["run"], "number": message["number"]}, client)
            return
        state = self._state_of(client)
        state.heard_s = time.monotonic()
        if state.silent:
            state.silent = False
            self._warn(state, f"{state.worker} is back")
        lines = state.receive(message)
        if state.end is not None and state.ended_s is None:
            state.ended_s = state.heard_s
        self._channel.send(ACKNOWLEDGED, {"run": self._run, "number": state.received_up_to}, client)
        if lines:
            self._take_lines(lines)

    def check(self) -> None:
        """Report the workers that have joined, and the silent workers. Called once a second."""
        for client, node in self._runner.clients.items():
            if node.user_count:
                self._state_of(client)
        for state in self._states.values():
            if state.is_silent and not state.silent:
                state.silent = True
                self._warn(state, f"{state.worker} sent no message for {SILENT_S:g} s: the worker may be lost")

    def end(self, stopped_s: float) -> None:
        """Wait until every worker has sent its last message, or is silent.

        `stopped_s`: the monotonic time at which the stop of the run was requested.
        """
        self._stopped_s = stopped_s
        limit_s = time.monotonic() + float(self._runner.environment.stop_timeout or 0) + LAST_WORDS_S
        while time.monotonic() < limit_s:
            if all(state.end is not None or state.is_silent for state in self._states.values()):
                return
            gevent.sleep(POLL_S)

    def facts(self) -> list[dict[str, Any]]:
        return [state.facts() for state in self._states.values()]

    def facts_so_far(self) -> list[dict[str, Any]]:
        return [state.facts_so_far() for state in self._states.values()]

    def clocks(self) -> list[dict[str, Any]]:
        states = self._states.values()
        return [{"node": state.worker, **reading} for state in states if state.end for reading in state.end.clocks]

    def parts(self) -> list[str]:
        """Return the names of the workers' sample logs. Some may still be on other hosts."""
        return [state.part for state in self._states.values() if state.part is not None]

    @property
    def seals(self) -> Seals:
        states = self._states.values()
        ended = ((state.part, state.end) for state in states)
        return {part: end.seals for part, end in ended if part is not None and end and end.seals}

    @property
    def without_timeout(self) -> set[str]:
        return {name for state in self._states.values() if state.end for name in state.end.without_timeout}

    @property
    def warnings(self) -> list[str]:
        early = [
            f"{state.worker} ended {self._stopped_s - state.ended_s:.0f} s before the run did"
            for state in self._states.values()
            if state.ended_s is not None and self._stopped_s - state.ended_s > EARLY_S
        ]
        return early + [text for state in self._states.values() for text in state.warnings()]

    def _warn(self, state: WorkerState, text: str) -> None:
        logger.warning("Switchover: %s", text)
        self._journal.event("warning", text, time_ns=self._clock.now_ns(), node=state.worker)
