"""The process that leads: the only one, or the master. It starts and ends the runs, and answers for the exit code."""

import contextlib
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import gevent
from locust.env import Environment
from locust.runners import LocalRunner, MasterRunner

from switchover.clock import Clock
from switchover.conduct import Conductor
from switchover.errors import RunDirectoryError, SwitchoverError, UsageError
from switchover.locust import web
from switchover.locust.checks import check
from switchover.locust.clients import ClientSettings, configure
from switchover.locust.conducting import conduct_spec, start_conductor
from switchover.locust.description import OPTION, RunDescription
from switchover.locust.live import LiveRun
from switchover.locust.load_run import LoadRun
from switchover.locust.load_settings import command_line, host_of
from switchover.locust.machine import clock_domain
from switchover.locust.mail import CLOCK_ANSWER, CLOCK_QUESTION, TAKEN, TRAFFIC, Mail
from switchover.locust.options import Options
from switchover.locust.outcome import Outcome, exit_code, print_outcome
from switchover.locust.swarm_form import guard_swarm_form
from switchover.redaction import public_url
from switchover.rundir import create_run_directory, run_id
from switchover.target import IdentitySettings

RUN_DIRECTORY_VARIABLE = "SWITCHOVER_RUN_DIRECTORY"
"""Set by a drill that starts Locust as its load: then the plugin records there, and does nothing else."""
PATIENCE_S = 1800.0
"""For a run to end, at the most."""
LOOK_S = 0.02

logger = logging.getLogger(__name__)


class Leader:
    """Of an environment. What it is told comes from Locust's events; what it raises stops Locust."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._clock = Clock.of_process()
        # Whoever asks for the clock of this process from now on gets the one of its runs.
        os.environ.update(self._clock.environment())
        conducted = os.environ.get(RUN_DIRECTORY_VARIABLE)
        self._conducted = Path(conducted) if conducted else None
        self._run: LoadRun | None = None
        self._options = Options()
        self._outcomes: list[Outcome] = []
        self._refusal: str | None = None
        self._printed = False
        runner = environment.runner
        self._mail = (
            Mail(runner, {TRAFFIC: self._traffic, CLOCK_QUESTION: self._clock_question}, self.disturbed)
            if isinstance(runner, MasterRunner)
            else None
        )
        self._live = LiveRun(self._clock.now_us) if environment.web_ui is not None else None

    def prepare(self) -> None:
        """In `init`. Where neither Locust nor any class says where to go, the target file does."""
        _, target = check(self._environment.parsed_options)
        if target is not None and not host_of(self._environment):
            parts = urlsplit(target.endpoint.url)
            self._environment.host = f"{parts.scheme}://{parts.netloc}"
        if self._environment.web_ui is not None and self._live is not None:
            guard_swarm_form(self._environment.web_ui, self._environment)
            web.register(self._environment, self._live)

    def test_start(self) -> None:
        """Before there are users. What keeps the run from beginning keeps the load from beginning."""
        self._end_run()
        try:
            self._begin()
        except SwitchoverError as error:
            self._refuse(str(error))
        except gevent.GreenletExit:
            if self._headless:
                self._outcomes.append(Outcome(None, None, "the test was stopped before it had begun", self._options))
            raise

    def spawning_complete(self) -> None:
        if self._run is not None:
            self._run.spawned()

    def test_stopping(self) -> None:
        if self._run is not None:
            self._run.stopping()

    def test_stop(self) -> None:
        if self._run is not None:
            self._run.stop()

    def quitting(self) -> None:
        """All runs have ended when this returns, and the exit code is known."""
        self._stop_users()
        self._end_run()
        if self._conducted is not None and not any(outcome.refused for outcome in self._outcomes):
            self._environment.process_exit_code = 0
        else:
            codes = [outcome.code for outcome in self._outcomes]
            self._environment.process_exit_code = exit_code(self._environment.process_exit_code, codes)

    def quit(self) -> None:
        """After Locust has printed what it has to say."""
        if not self._printed and self._conducted is None and self._outcomes:
            self._printed = True
            print_outcome(self._outcomes[-1], as_json=bool(getattr(self._environment.parsed_options, "json", False)))

    def save(self) -> None:
        if self._run is not None:
            self._run.save()

    def disturbed(self, where: str, error: Exception) -> None:
        """A defect of ours: the user's test goes on."""
        text = f"incomplete: {where} failed: {type(error).__name__}: {error}"
        logger.warning("Switchover: %s", text, exc_info=bool(os.environ.get("SWITCHOVER_DEBUG")))
        if self._run is not None:
            self._run.note(text)

    def _begin(self) -> None:
        environment = self._environment
        options, target = check(environment.parsed_options)
        self._options = options
        configure(ClientSettings(options.resends, options.timeout_connect_s, options.timeout_read_s), self._clock)
        directory = self._conducted or self._new_directory(options)
        if directory is None:
            return
        conductor = self._conductor(directory)
        description = RunDescription(
            run=directory.name,
            directory=str(directory),
            clock_domain=clock_domain(),
            anchor_ns=self._clock.anchor_ns,
            identity=target.identity if target else IdentitySettings(),
            late_us=round(options.late_s * 1e6),
            resends=options.resends,
            timeout_connect_s=options.timeout_connect_s,
            timeout_read_s=options.timeout_read_s,
        )
        if environment.parsed_options is not None:
            setattr(environment.parsed_options, OPTION, description.to_message())
        self._run = LoadRun(
            environment, options, directory, description, self._clock, conductor, mail=self._mail, live=self._live
        )

    def _new_directory(self, options: Options) -> Path | None:
        try:
            return create_run_directory(options.out.absolute(), run_id(self._name()))
        except RunDirectoryError as error:
            if options != Options():
                raise
            logger.warning("Switchover: nothing is recorded: %s", error)
            return None

    def _conductor(self, directory: Path) -> Conductor | None:
        """None where nobody asked for more than a recording, and no more can be had."""
        options, host = self._options, host_of(self._environment)
        if self._conducted is not None:
            return None
        try:
            if options.target is None and not host:
                raise UsageError("nothing can be judged: neither a target file nor a host is known")
            url = public_url(host) if host else None
            return start_conductor(conduct_spec(options, directory, self._name(), url, command_line()), self._clock)
        except SwitchoverError as error:
            if options != Options():
                with contextlib.suppress(OSError):
                    directory.rmdir()
                raise
            logger.warning("Switchover: the load is only recorded: %s", error)
            return None

    @property
    def _headless(self) -> bool:
        return bool(getattr(self._environment.parsed_options, "headless", False))

    def _name(self) -> str:
        return self._options.fault or Path(self._environment.locustfile or "locust").stem

    def _refuse(self, text: str) -> None:
        """No load: this greenlet, which was about to start it, ends here. Without a web page Locust ends with it."""
        logger.error("Switchover: %s", text)
        self._outcomes.append(Outcome(None, None, text, self._options))
        runner = self._environment.runner
        if runner is not None and self._headless:
            gevent.spawn(runner.quit)
        raise gevent.GreenletExit

    def _stop_users(self) -> None:
        """Ctrl-C and SIGTERM come before the users have stopped; Locust would do it when the exit code is settled."""
        runner = self._environment.runner
        if self._run is not None and isinstance(runner, LocalRunner):
            runner.stop()

    def _end_run(self) -> None:
        """Wait until the run, if there is one, has come to its end."""
        run = self._run
        if run is None:
            return
        run.stop()
        if not run.finished and self._conducted is None:
            logger.info("Switchover: measuring to the end, and judging the run")
        if self._mail is not None:
            self._mail.wait(lambda: run.finished, PATIENCE_S)
        while not run.finished:
            gevent.sleep(LOOK_S)
        if self._run is run:
            self._run = None
            self._outcomes.append(Outcome(run.directory, run.outcome, run.error, self._options))

    def _traffic(self, client: str, message: Mapping[str, Any]) -> None:
        if self._run is not None and self._run.crew is not None:
            self._run.crew.take(client, message)
        elif self._mail is not None:
            self._mail.send(TAKEN, {"run": message["run"], "number": message["number"]}, client)

    def _clock_question(self, client: str, message: Mapping[str, Any]) -> None:
        if self._mail is not None:
            answer = {"sent_ns": message["sent_ns"], "now_ns": self._clock.now_ns()}
            self._mail.send(CLOCK_ANSWER, answer, client)
