"""One run, in the process that leads it: its conductor, its recording, and what comes of it."""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import gevent
from locust.env import Environment
from locust.runners import STATE_RUNNING, STATE_SPAWNING, MasterRunner

from switchover.drill.remote import Conductor, Finished
from switchover.locust.clients import timeout_warnings
from switchover.locust.load_settings import load_settings
from switchover.locust.options import Options
from switchover.locust.workers.messages import Mail
from switchover.locust.workers.run_description import RunDescription
from switchover.locust.workers.single_process import Solo
from switchover.locust.workers.worker_list import Crew
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.rundir.journal import Journal
from switchover.rundir.load_facts import ENDED, RUNNING, LoadFacts, write_load

if TYPE_CHECKING:
    from switchover.locust.page.live_run import LiveRun

JOURNAL = "journal-locust.lp"
LOOK_S = 1.0
"""How often it is looked whether everybody is still there."""
BEGIN_S = 0.01
"""How often it is looked whether the load has begun: what the moment of a fault may be late by."""
JUDGE_S = 900.0
"""For the heal, the last probes, and the analysis of a long run."""

Disturbed = Callable[[str, Exception], None]
"""Told of a defect: where, and what."""

logger = logging.getLogger(__name__)


class Team(Protocol):
    """Who records: this process alone, or the workers."""

    def look(self) -> None: ...

    def end(self) -> None:
        """Wait for all that there is to record."""

    def facts(self) -> list[dict[str, Any]]: ...

    def facts_so_far(self) -> list[dict[str, Any]]: ...

    def clocks(self) -> list[dict[str, Any]]: ...

    def parts(self) -> list[str]: ...

    def warnings(self, stopped_s: float) -> list[str]: ...


class LoadRun:
    """From its making, right before there are users, until it is `finished`."""

    def __init__(
        self,
        environment: Environment,
        options: Options,
        directory: Path,
        description: RunDescription,
        clock: Clock,
        conductor: Conductor | None,
        *,
        mail: Mail | None,
        live: "LiveRun | None",
        disturbed: Disturbed,
    ) -> None:
        self.directory = directory
        self.options = options
        self.finished = False
        self.outcome: Finished | None = None
        self.error: str | None = None
        """Why there is no verdict, where there was to be one."""
        self._environment = environment
        self._clock = clock
        self._conductor = conductor
        self._live = live
        self._disturbed = disturbed
        self._notes: list[str] = []
        self._stopped_s: float | None = None
        self._ending = False
        self._journal = Journal(directory / JOURNAL, {"run": description.run})
        runner = environment.runner
        self.crew = (
            Crew(runner, mail, description.run, self._journal, clock, self._tell)
            if isinstance(runner, MasterRunner) and mail is not None
            else None
        )
        self._team: Team = self.crew or Solo(environment, directory, description, clock, self._tell)
        if live is not None:
            live.begin(directory, conductor)
        self._watcher = gevent.spawn(self._watch)

    def note(self, text: str) -> None:
        """What a reader of the run must know."""
        if text not in self._notes:
            self._notes.append(text)

    def spawned(self) -> None:
        """All users are there."""
        self._write_load(RUNNING)

    def stopping(self) -> None:
        """The users are about to be stopped."""
        if self._stopped_s is None:
            self._stopped_s = time.monotonic()

    def stop(self) -> None:
        """The load has ended. What follows takes its time, in a greenlet of its own; a second call does nothing."""
        self.stopping()
        if not self._ending:
            self._ending = True
            gevent.spawn(self._finish)

    def save(self) -> None:
        """What is recorded in this process goes to the file now."""
        if isinstance(self._team, Solo):
            self._team.save()

    def _tell(self, lines: list[str]) -> None:
        for line in lines:
            self._journal.write_line(line)
        if self._live is not None:
            self._live.add_lines(lines)

    def _watch(self) -> None:
        runner = self._environment.runner
        while runner is not None and runner.state not in (STATE_SPAWNING, STATE_RUNNING):
            gevent.sleep(BEGIN_S)
        if self.crew is not None:
            self.crew.begin()
        if self._conductor is not None:
            self._conductor.begin()
        while True:
            try:
                self._look()
            except Exception as error:
                self._disturbed("a look at who records", error)
            gevent.sleep(LOOK_S)

    def _look(self) -> None:
        self._team.look()
        if self._live is not None:
            self._live.workers(self._team.facts_so_far())
        died = self._conductor.died if self._conductor is not None else None
        if died and died not in self._notes:
            self.note(died)
            logger.error("Switchover: %s", died)

    def _finish(self) -> None:
        try:
            self._watcher.kill(block=False)
            self._end_recording()
            if self._conductor is not None:
                self.outcome = self._conductor.finish(JUDGE_S)
        except SwitchoverError as error:
            self.error = str(error)
        except Exception as error:
            self._disturbed("the end of the run", error)
        finally:
            self.finished = True
            if self._live is not None:
                self._live.end(self.outcome.verdict if self.outcome else None)

    def _end_recording(self) -> None:
        """Whatever becomes of it, there is a verdict, which says so if the load did not end in order."""
        try:
            self._team.end()
            self._journal.close()
            self._write_load(ENDED)
            if self._live is not None:
                self._live.workers(self._team.facts())
        except Exception as error:
            self._disturbed("the end of the recording", error)

    def _write_load(self, state: str) -> None:
        """A disk that is full does not end a run."""
        user_classes = self._environment.user_classes
        warnings = [*self._notes, *timeout_warnings(user_classes)]
        if state == ENDED:
            warnings += self._team.warnings(self._stopped_s or time.monotonic())
            warnings += [self._journal.warning] if self._journal.warning else []
        facts = LoadFacts(
            state=state,
            parts=[JOURNAL, *self._team.parts()],
            workers=self._team.facts(),
            clocks=self._team.clocks(),
            settings=load_settings(self._environment, self.options),
            warnings=list(dict.fromkeys(warnings)),
        )
        try:
            write_load(self.directory, facts)
        except SwitchoverError as error:
            logger.error("Switchover: %s", error)
