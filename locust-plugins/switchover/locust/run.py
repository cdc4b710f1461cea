"""A run in the single process or in the master: the controller, the recording and the end of the run."""

import logging
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gevent
from locust.runners import STATE_RUNNING, STATE_SPAWNING, MasterRunner

from switchover.drill.remote import Controller, Finished
from switchover.locust.clients.timeouts import timeout_warnings
from switchover.locust.options import Options
from switchover.locust.recording.process_recording import ProcessRecording
from switchover.locust.recording.recorder import RunDescription
from switchover.locust.run_report import ProgressLines, load_settings
from switchover.locust.workers.worker_list import START, STOPPED, WorkerList
from switchover.model.errors import SwitchoverError
from switchover.rundir.journal import Journal
from switchover.rundir.load_facts import ENDED, RUNNING, LoadFacts, write_load
from switchover.rundir.run_directory import LOCUST_JOURNAL

if TYPE_CHECKING:
    from switchover.locust.leader import Leader

CHECK_S = 0.5
BEGIN_POLL_S = 0.01
"""The interval, in seconds, at which `_watch` checks if the load has started. A fault may be late by up to this
time."""
JUDGE_S = 900.0

logger = logging.getLogger(__name__)


class SingleProcess(ProcessRecording):
    def check(self) -> None:
        """Do nothing, because there are no workers."""

    def facts(self) -> list[dict[str, Any]]:
        return [
            {
                "worker": "",
                "host": socket.gethostname(),
                "part": self.path.name,
                "here": True,
                "points": self.counts["samples"],
                "joined": START,
                "ended": STOPPED,
                "offset_us": 0,
                "bound_us": 0,
                **self.counts,
            }
        ]

    def facts_so_far(self) -> list[dict[str, Any]]:
        return [facts | {"ended": None} for facts in self.facts()]

    def clocks(self) -> list[dict[str, Any]]:
        """Return no clocks, because there is only one process."""
        return []

    def parts(self) -> list[str]:
        return [self.path.name]


class LoadRun:
    def __init__(
        self,
        leader: "Leader",
        options: Options,
        directory: Path,
        description: RunDescription,
        controller: Controller | None,
    ) -> None:
        self.directory = directory
        self.options = options
        self.finished = False
        self.conducted: Finished | None = None
        self.error: str | None = None
        environment, clock = leader.environment, leader.clock
        self._environment = environment
        self._controller = controller
        self._live = leader.live
        self._report_defect = leader.report_defect
        self._notes: list[str] = []
        self._ending = False
        self._journal = Journal(directory / LOCUST_JOURNAL, {"run": description.run})
        runner = environment.runner
        self.worker_list = (
            WorkerList(runner, leader.channel, description.run, self._journal, clock, self._take_lines)
            if isinstance(runner, MasterRunner) and leader.channel is not None
            else None
        )
        self._recorders = self.worker_list or SingleProcess(
            environment, directory, "", description, clock, self._take_lines
        )
        if self._live is not None:
            self._live.begin(directory, controller)
        self._watcher = gevent.spawn(self._watch)

    def add_note(self, text: str) -> None:
        if text not in self._notes:
            self._notes.append(text)

    def spawned(self) -> None:
        self._write_load(RUNNING)

    def stop(self) -> None:
        if not self._ending:
            self._ending = True
            gevent.spawn(self._finish)

    def save(self) -> None:
        if isinstance(self._recorders, SingleProcess):
            self._recorders.save()

    def _take_lines(self, lines: list[str]) -> None:
        for line in lines:
            self._journal.write_line(line)
        if self._live is not None:
            self._live.add_lines(lines)

    def _watch(self) -> None:
        """Wait for the start of the load. Then check the processes and log the progress until the verdict."""
        runner, controller = self._environment.runner, self._controller
        while runner is not None and runner.state not in (STATE_SPAWNING, STATE_RUNNING):
            gevent.sleep(BEGIN_POLL_S)
        if self.worker_list is not None:
            self.worker_list.begin()
        if controller is not None:
            controller.begin()
        lines = ProgressLines()
        while True:
            try:
                if not self._ending:
                    self._check()
                if controller is not None:
                    for line in lines.new_lines(controller.state):
                        logger.info("Switchover: %s", line)
            except Exception as error:
                self._report_defect("the check of the recording processes", error)
            gevent.sleep(CHECK_S)

    def _check(self) -> None:
        self._recorders.check()
        if self._live is not None:
            self._live.workers(self._recorders.facts_so_far())
        died = self._controller.died if self._controller is not None else None
        if died and died not in self._notes:
            self.add_note(died)
            logger.error("Switchover: %s", died)

    def _finish(self) -> None:
        try:
            self._end_recording()
            if self._controller is not None:
                self.conducted = self._controller.finish(JUDGE_S)
        except SwitchoverError as error:
            self.error = str(error)
        except Exception as error:
            self._report_defect("the end of the run", error)
        finally:
            self._watcher.kill(block=False)
            self.finished = True
            if self._live is not None:
                self._live.end(self.conducted.verdict if self.conducted else None)

    def _end_recording(self) -> None:
        """End the recording. If an error occurs, the run still gets a verdict."""
        try:
            self._recorders.end()
            self._journal.close()
            self._write_load(ENDED)
            if self._live is not None:
                self._live.workers(self._recorders.facts())
        except Exception as error:
            self._report_defect("the end of the recording", error)

    def _write_load(self, state: str) -> None:
        """Write load.json. If the disk is full, the run continues."""
        user_classes = self._environment.user_classes
        warnings = [*self._notes, *timeout_warnings(user_classes, self._recorders.without_timeout)]
        if state == ENDED:
            warnings += self._recorders.warnings
            warnings += [self._journal.warning] if self._journal.warning else []
        facts = LoadFacts(
            state=state,
            parts=[LOCUST_JOURNAL, *self._recorders.parts()],
            workers=self._recorders.facts(),
            clocks=self._recorders.clocks(),
            settings=load_settings(self._environment),
            warnings=list(dict.fromkeys(warnings)),
            seals=self._recorders.seals | self._journal.seals if state == ENDED else {},
        )
        try:
            write_load(self.directory, facts)
        except SwitchoverError as error:
            logger.error("Switchover: %s", error)
