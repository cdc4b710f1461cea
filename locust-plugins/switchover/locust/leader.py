"""The leader: the single process or the Locust master. The leader starts and ends the runs, and sets the exit
code."""

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
from msgspec import to_builtins

from switchover.drill.remote import Controller
from switchover.load.load_process import RUN_DIRECTORY_VARIABLE
from switchover.locust.clients.timeouts import configure
from switchover.locust.interrupt import deliver_interrupt_to_main
from switchover.locust.option_checks import check_options, require_guarded_page
from switchover.locust.options import Options, controller_settings
from switchover.locust.recording.recorder import OPTION, RunDescription
from switchover.locust.run import LoadRun
from switchover.locust.run_report import RunResult, command_line, exit_code, host_of, print_result
from switchover.locust.workers.messages import (
    ACKNOWLEDGED,
    CLOCK_ANSWER,
    CLOCK_QUESTION,
    POLL_S,
    TRAFFIC,
    MessageChannel,
)
from switchover.locust.workers.worker_list import clock_domain
from switchover.model.clock import Clock
from switchover.model.errors import PackageError, RunDirectoryError, SwitchoverError
from switchover.model.identity import IdentitySettings
from switchover.model.redaction import public_url
from switchover.rundir.run_directory import create_run_directory, run_id

RUN_END_LIMIT_S = 1800.0
"""The maximum time, in seconds, that a waiting master reads messages of its workers at the end of a run."""

logger = logging.getLogger(__name__)


class Leader:
    """The leader of one Locust environment. Locust's events call the methods. An error in `prepare` stops Locust."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.clock = Clock.of_process()
        # Child processes and later readers of the environment use the same clock as the runs.
        os.environ.update(self.clock.environment())
        conducted = os.environ.get(RUN_DIRECTORY_VARIABLE)
        self._conducted = Path(conducted) if conducted else None
        self._run: LoadRun | None = None
        self._results: list[RunResult] = []
        self._options = Options()
        self._defects: set[str] = set()
        self._is_prepared = self._has_quit = self._printed = False
        runner = environment.runner
        self.channel = (
            MessageChannel(runner, {TRAFFIC: self._traffic, CLOCK_QUESTION: self._clock_question}, self.report_defect)
            if isinstance(runner, MasterRunner)
            else None
        )
        self.live = None
        if environment.web_ui is not None:
            # The page imports the analysis, which a load without the page does not need.
            try:
                from switchover.locust.page.live_run import LiveRun
            except ModuleNotFoundError as missing:
                logger.warning("Switchover: the web page has no Switchover tab: %s", PackageError.of(missing))
            else:
                self.live = LiveRun(self.clock.now_us)

    def prepare(self) -> None:
        """Check the options, add the web page, and start the run if Locust is headless.

        Raises SwitchoverError if the options are wrong, or if the headless run cannot begin.
        """
        self._options, target = check_options(self.environment.parsed_options)
        if target is not None and not host_of(self.environment):
            parts = urlsplit(target.endpoint.url)
            self.environment.host = f"{parts.scheme}://{parts.netloc}"
        web_ui = self.environment.web_ui
        if web_ui is not None and self.live is not None:
            from switchover.locust.page.request_checks import guard_forms
            from switchover.locust.page.routes import register

            require_guarded_page(self._options, target, host=web_ui.host, has_login=web_ui.web_login)
            guard_forms(web_ui, self.environment)
            register(self.environment, self.live)
        if self._headless:
            # --run-time counts from the start of the test. The run starts before the test, so the load
            # gets the full time.
            self._run = self._start_run()
            self._is_prepared = True

    def test_start(self) -> None:
        if self._is_prepared:
            self._is_prepared = False
            return
        self._end_run()
        try:
            self._run = self._start_run()
        except SwitchoverError as error:
            self._refuse(str(error))

    def spawning_complete(self) -> None:
        if self._run is not None:
            self._run.spawned()

    def test_stop(self) -> None:
        if self._run is not None:
            self._run.stop()

    def quitting(self) -> None:
        self._has_quit = True
        deliver_interrupt_to_main()
        try:
            self._stop_users()
            self._end_run()
        except KeyboardInterrupt:
            self._leave_unjudged()
        if self._conducted is not None and not any(result.refused for result in self._results):
            self.environment.process_exit_code = 0
        else:
            codes = [result.code for result in self._results]
            self.environment.process_exit_code = exit_code(self.environment.process_exit_code, codes)

    def quit(self) -> None:
        if not self._printed and self._conducted is None and self._results:
            self._printed = True
            print_result(self._results[-1], as_json=bool(getattr(self.environment.parsed_options, "json", False)))

    def at_exit(self) -> None:
        """Save the samples if the program ends without the event `quitting`, for example after a second Ctrl-C."""
        if self._run is None:
            return
        self._run.save()
        if not self._has_quit:
            self._end_run()

    def report_defect(self, where: str, error: Exception) -> None:
        """Report an internal error of this plugin only once. The user's test continues."""
        what = f"{type(error).__name__}: {error}"
        if what in self._defects:
            return
        self._defects.add(what)
        text = f"incomplete: {where} failed: {what}"
        logger.warning("Switchover: %s", text, exc_info=bool(os.environ.get("SWITCHOVER_DEBUG")))
        if self._run is not None:
            self._run.add_note(text)

    @property
    def _headless(self) -> bool:
        return bool(getattr(self.environment.parsed_options, "headless", False))

    def _start_run(self) -> LoadRun | None:
        """Start a run, which then waits for the load. If no Switchover option is set, an error causes only a warning.

        Raises SwitchoverError if the run cannot begin.
        """
        environment = self.environment
        options, target = check_options(environment.parsed_options)
        configure(*options.timeouts_s, self.clock)
        directory = self._conducted or self._new_directory(options)
        if directory is None:
            return None
        controller = None if self._conducted is not None else self._controller(options, directory)
        description = RunDescription(
            run=directory.name,
            directory=str(directory),
            clock_domain=clock_domain(),
            anchor_ns=self.clock.anchor_ns,
            identity=target.identity if target else IdentitySettings(),
            late_us=round(options.drill.late_s * 1e6),
            timeouts_s=options.timeouts_s,
        )
        if environment.parsed_options is not None:
            setattr(environment.parsed_options, OPTION, to_builtins(description))
        return LoadRun(self, options, directory, description, controller)

    def _new_directory(self, options: Options) -> Path | None:
        try:
            return create_run_directory(options.drill.out.absolute(), run_id(self._name(options)))
        except RunDirectoryError as error:
            if options.ask_for_anything:
                raise
            logger.warning("Switchover: nothing is recorded: %s", error)
            return None

    def _controller(self, options: Options, directory: Path) -> Controller | None:
        host = host_of(self.environment)
        try:
            url = host and public_url(host)
            settings = controller_settings(options, directory, self._name(options), url, command_line())
            return Controller(settings, self.clock)
        except SwitchoverError as error:
            if options.ask_for_a_controller:
                with contextlib.suppress(OSError):
                    directory.rmdir()
                raise
            logger.warning("Switchover: only the load is recorded, without probes and telemetry: %s", error)
            return None

    def _name(self, options: Options) -> str:
        return options.drill.fault or Path(self.environment.locustfile or "locust").stem

    def _refuse(self, text: str) -> None:
        """Report why the run is refused, and end the current greenlet, so that the load does not start."""
        logger.error("Switchover: %s", text)
        if self.live is not None:
            self.live.refusal = text
        self._results.append(RunResult(None, None, text, self._options))
        raise gevent.GreenletExit

    def _stop_users(self) -> None:
        """Stop the users before the exit code is set. After Ctrl-C or SIGTERM, Locust would stop the users only after
        this method."""
        if self._run is not None and isinstance(self.environment.runner, LocalRunner):
            self.environment.runner.stop()

    def _end_run(self) -> None:
        run = self._run
        if run is None:
            return
        run.stop()
        if not run.finished and self._conducted is None:
            logger.info("Switchover: waiting for the last measurements and the verdict")
        if self.channel is not None:
            self.channel.wait(lambda: run.finished, RUN_END_LIMIT_S)
        while not run.finished:
            gevent.sleep(POLL_S)
        if self._run is run:
            self._run = None
            self._results.append(RunResult(run.directory, run.conducted, run.error, run.options))

    def _leave_unjudged(self) -> None:
        """Save the recorded samples without a verdict, after a second Ctrl-C. The controller process continues."""
        run, self._run = self._run, None
        if run is not None:
            run.save()
            self._results.append(RunResult(run.directory, None, "interrupted before the run was judged", run.options))

    def _traffic(self, client: str, message: Mapping[str, Any]) -> None:
        if self._run is not None and self._run.worker_list is not None:
            self._run.worker_list.receive(client, message)
        elif self.channel is not None:
            self.channel.send(ACKNOWLEDGED, {"run": message["run"], "number": message["number"]}, client)

    def _clock_question(self, client: str, message: Mapping[str, Any]) -> None:
        if self.channel is not None:
            answer = {"sent_ns": message["sent_ns"], "now_ns": self.clock.now_ns()}
            self.channel.send(CLOCK_ANSWER, answer, client)
