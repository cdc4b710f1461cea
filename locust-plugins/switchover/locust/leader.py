"""The process that leads: the only one, or the master. It starts and ends the runs, and answers for the exit code."""

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import gevent
from locust.env import Environment
from locust.runners import LocalRunner, MasterRunner

from switchover.locust.interrupt import deliver_to_main
from switchover.locust.load_settings import host_of
from switchover.locust.option_checks import check, require_guarded_page
from switchover.locust.options import read_options
from switchover.locust.page.host_names import HostNames
from switchover.locust.run import LoadRun
from switchover.locust.run_outcome import Outcome, exit_code, print_outcome
from switchover.locust.run_start import RunStart
from switchover.locust.workers.messages import CLOCK_ANSWER, CLOCK_QUESTION, TAKEN, TRAFFIC, Mail
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError

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
        self._outcomes: list[Outcome] = []
        self._defects: set[str] = set()
        self._is_prepared = self._has_quit = self._printed = False
        runner = environment.runner
        self._mail = (
            Mail(runner, {TRAFFIC: self._traffic, CLOCK_QUESTION: self._clock_question}, self.disturbed)
            if isinstance(runner, MasterRunner)
            else None
        )
        self._live = None
        if environment.web_ui is not None:
            # It brings the analysis, which a load without a page can do without.
            from switchover.locust.page.live_run import LiveRun

            self._live = LiveRun(self._clock.now_us)
        self._start = RunStart(
            environment,
            self._clock,
            conducted=self._conducted,
            mail=self._mail,
            live=self._live,
            disturbed=self.disturbed,
        )

    def prepare(self) -> None:
        """In `init`. Raises SwitchoverError for what keeps the only run of this process from beginning."""
        options, target = check(self._environment.parsed_options)
        if target is not None and not host_of(self._environment):
            parts = urlsplit(target.endpoint.url)
            self._environment.host = f"{parts.scheme}://{parts.netloc}"
        web_ui = self._environment.web_ui
        if web_ui is not None and self._live is not None:
            from switchover.locust.page import page
            from switchover.locust.page.swarm_form import guard_forms

            require_guarded_page(options, target, host=web_ui.host, has_login=web_ui.web_login)
            hosts = HostNames(web_ui.host, *options.web_hosts)
            guard_forms(web_ui, self._environment, hosts)
            page.register(self._environment, self._live, hosts)
        if self._headless:
            # With the test starts the time that --run-time counts: all of it is for the load.
            self._run = self._start.start()
            self._is_prepared = True

    def test_start(self) -> None:
        """Before there are users. What keeps the run from beginning keeps the load from beginning."""
        if self._is_prepared:
            self._is_prepared = False
            return
        self._end_run()
        try:
            self._run = self._start.start()
        except SwitchoverError as error:
            self._refuse(str(error))
        except gevent.GreenletExit:
            if self._headless:
                self._outcomes.append(self._refused("the test was stopped before it had begun"))
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
        self._has_quit = True
        deliver_to_main()
        try:
            self._stop_users()
            self._end_run()
        except KeyboardInterrupt:
            self._leave_run()
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

    def at_exit(self) -> None:
        """A program that uses Locust as a library may never say that it quits; one that was told twice to end does so
        now, with everything in its file."""
        if self._run is None:
            return
        self._run.save()
        if not self._has_quit:
            self._end_run()

    def disturbed(self, where: str, error: Exception) -> None:
        """A defect of ours: the user's test goes on."""
        what = f"{type(error).__name__}: {error}"
        if what in self._defects:
            return
        self._defects.add(what)
        text = f"incomplete: {where} failed: {what}"
        logger.warning("Switchover: %s", text, exc_info=bool(os.environ.get("SWITCHOVER_DEBUG")))
        if self._run is not None:
            self._run.note(text)

    @property
    def _headless(self) -> bool:
        return bool(getattr(self._environment.parsed_options, "headless", False))

    def _refuse(self, text: str) -> None:
        """No load: this greenlet, which was about to start it, ends here. Without a web page Locust ends with it."""
        logger.error("Switchover: %s", text)
        self._outcomes.append(self._refused(text))
        runner = self._environment.runner
        if runner is not None and self._headless:
            gevent.spawn(runner.quit)
        raise gevent.GreenletExit

    def _refused(self, text: str) -> Outcome:
        try:
            return Outcome(None, None, text, read_options(self._environment.parsed_options))
        except SwitchoverError:
            return Outcome(None, None, text, None)

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
            self._outcomes.append(Outcome(run.directory, run.outcome, run.error, run.options))

    def _leave_run(self) -> None:
        """Somebody cannot wait for it. What was recorded is in the file, and the conductor goes on without us."""
        run, self._run = self._run, None
        if run is not None:
            run.save()
            self._outcomes.append(Outcome(run.directory, None, "interrupted before the run was judged", run.options))

    def _traffic(self, client: str, message: Mapping[str, Any]) -> None:
        if self._run is not None and self._run.crew is not None:
            self._run.crew.take(client, message)
        elif self._mail is not None:
            self._mail.send(TAKEN, {"run": message["run"], "number": message["number"]}, client)

    def _clock_question(self, client: str, message: Mapping[str, Any]) -> None:
        if self._mail is not None:
            answer = {"sent_ns": message["sent_ns"], "now_ns": self._clock.now_ns()}
            self._mail.send(CLOCK_ANSWER, answer, client)
