"""The start of a run: its directory, its conductor, and its description for the workers."""

import contextlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING

import gevent
from locust.env import Environment

from switchover.drill.options import DrillSettings
from switchover.drill.remote import Conductor
from switchover.locust.clients import configure
from switchover.locust.load_settings import command_line, host_of
from switchover.locust.option_checks import check_options
from switchover.locust.options import Options, conductor_settings
from switchover.locust.run import LoadRun, ReportDefect
from switchover.locust.workers.clock_sync import clock_domain
from switchover.locust.workers.messages import MessageChannel
from switchover.locust.workers.run_description import OPTION, RunDescription
from switchover.model.clock import Clock
from switchover.model.errors import RunDirectoryError, SwitchoverError
from switchover.model.identity import IdentitySettings
from switchover.model.redaction import public_url
from switchover.rundir.run_directory import create_run_directory, run_id

if TYPE_CHECKING:
    from switchover.locust.page.live_run import LiveRun

logger = logging.getLogger(__name__)


class RunStart:
    """Starts the runs of one environment. Without options of ours an error is a warning, and the test goes on."""

    def __init__(
        self,
        environment: Environment,
        clock: Clock,
        *,
        conducted: Path | None,
        channel: MessageChannel | None,
        live: "LiveRun | None",
        report_defect: ReportDefect,
    ) -> None:
        self._environment = environment
        self._clock = clock
        self._conducted = conducted
        self._channel = channel
        self._live = live
        self._report_defect = report_defect

    def start(self) -> LoadRun | None:
        """A run that waits for its load. If it cannot begin: None where nothing was asked for, or SwitchoverError."""
        environment = self._environment
        options, target = check_options(environment.parsed_options)
        configure(options.resends, options.timeout_connect_s, options.timeout_read_s, self._clock)
        directory = self._conducted or self._new_directory(options)
        if directory is None:
            return None
        conductor = None if self._conducted is not None else self._conductor(options, directory)
        description = RunDescription(
            run=directory.name,
            directory=str(directory),
            clock_domain=clock_domain(),
            anchor_ns=self._clock.anchor_ns,
            identity=target.identity if target else IdentitySettings(),
            late_us=round(options.drill.late_s * 1e6),
            resends=options.resends,
            timeout_connect_s=options.timeout_connect_s,
            timeout_read_s=options.timeout_read_s,
        )
        if environment.parsed_options is not None:
            setattr(environment.parsed_options, OPTION, description.to_message())
        return LoadRun(
            environment,
            options,
            directory,
            description,
            self._clock,
            conductor,
            channel=self._channel,
            live=self._live,
            report_defect=self._report_defect,
        )

    def _new_directory(self, options: Options) -> Path | None:
        try:
            return create_run_directory(options.drill.out.absolute(), run_id(self._name(options)))
        except RunDirectoryError as error:
            if options.ask_for_anything:
                raise
            logger.warning("Switchover: nothing is recorded: %s", error)
            return None

    def _conductor(self, options: Options, directory: Path) -> Conductor | None:
        host = host_of(self._environment)
        try:
            url = public_url(host) if host else None
            settings = conductor_settings(options, directory, self._name(options), url, command_line())
            return start_conductor(settings, self._clock)
        except SwitchoverError as error:
            if options.ask_for_a_conductor:
                with contextlib.suppress(OSError):
                    directory.rmdir()
                raise
            logger.warning("Switchover: the load is only recorded: %s", error)
            return None

    def _name(self, options: Options) -> str:
        return options.drill.fault or Path(self._environment.locustfile or "locust").stem


def start_conductor(settings: DrillSettings, clock: Clock) -> Conductor:
    """Start the conductor and wait until it is ready. SwitchoverError if it refuses.

    It takes seconds, and this greenlet may be killed or interrupted meanwhile (a user stops a test that is about to
    start): then the conductor ends as well.
    """
    starting = gevent.spawn(_started, settings, clock)
    try:
        found: Conductor | SwitchoverError = starting.get()
    except (gevent.GreenletExit, KeyboardInterrupt):
        starting.link(_abandon)
        raise
    if isinstance(found, SwitchoverError):
        raise found
    return found


def _started(settings: DrillSettings, clock: Clock) -> Conductor | SwitchoverError:
    """Start it; an error is returned, for gevent prints one that a greenlet raises even if it is caught."""
    try:
        return Conductor.start(settings, clock)
    except SwitchoverError as error:
        return error


def _abandon(started: gevent.Greenlet) -> None:
    if isinstance(started.value, Conductor):
        started.value.abandon()
