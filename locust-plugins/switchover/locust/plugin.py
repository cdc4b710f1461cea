"""The listeners for Locust's events, which call the leader or the worker."""

import atexit
import functools
import logging
import sys
import time
from collections.abc import Callable
from typing import Any

import gevent
import locust
from gevent.event import Event
from locust.argument_parser import LocustArgumentParser
from locust.env import Environment
from locust.event import Events
from locust.runners import MasterRunner, WorkerRunner

from switchover.locust import clients, interrupt
from switchover.locust.leader import Leader
from switchover.locust.option_checks import check_options
from switchover.locust.options import ARM, NOTHING_CHOSEN, add_arguments
from switchover.locust.run_report import UNDONE
from switchover.locust.workers.worker import Worker
from switchover.model.errors import SwitchoverError

INIT_S = 15.0
"""The maximum time, in seconds, that `test_start` waits for the end of `init`, usually some milliseconds."""
CONNECT_S = 15.0

ARM_NOT_TYPED = (
    "switchover: warning: the environment or a configuration file cannot arm a fault; nothing is armed unless "
    "--switchover-arm is typed on the command line\n"
)

logger = logging.getLogger(__name__)


@functools.cache
def register() -> None:
    try:
        clients.install()
    except Exception as error:
        logger.warning("Switchover: Locust's clients cannot be watched: %s: %s", type(error).__name__, error)
    hooks, events = Hooks(), locust.events
    events.init_command_line_parser.add_listener(hooks.add_arguments)
    events.init.add_listener(hooks.init)
    events.test_start.add_listener(hooks.test_start)
    # Locust calls listeners in reverse order, so the runner's listener, which is added later, is called first.
    events.quitting.add_listener(hooks.quitting)


class Hooks:
    """Listeners for the events of one Locust environment. An internal error never ends a user's test."""

    def __init__(self) -> None:
        self._checked = self._warned = False
        self._leader: Leader | None = None
        self._worker: Worker | None = None
        self._initialised = Event()

    def add_arguments(self, parser: LocustArgumentParser, **_: Any) -> None:
        """Add the arguments, and refuse contradictory options during parsing, before Locust forks or connects."""
        add_arguments(parser)
        parse = parser.parse_known_args

        def parse_known_args(*arguments: Any, **named: Any) -> Any:
            parsed = parse(*arguments, **named)
            _, typed = parser.get_source_to_settings_dict().get("command_line", {}).get("", (None, []))
            if getattr(parsed[0], ARM) and NOTHING_CHOSEN.typed("arm") not in typed:
                setattr(parsed[0], ARM, False)
                if not self._warned:
                    self._warned = True
                    sys.stderr.write(ARM_NOT_TYPED)
            if not self._checked:
                self._checked = True
                try:
                    if not parsed[0].worker:
                        check_options(parsed[0])
                except SwitchoverError as error:
                    parser.error(str(error))
            return parsed

        setattr(parser, "parse_known_args", parse_known_args)  # noqa: B010

    def init(self, environment: Environment, **_: Any) -> None:
        """Start the leader or the worker. Without a runner, for example when one user is debugged, do nothing."""
        if environment.runner is None:
            return
        try:
            # The time of gevent's loop is from before the loading of files. Locust's next timers would include the
            # loading time in the run time.
            gevent.get_hub().loop.update_now()
            interrupt.deliver_interrupt_to_main()
            if isinstance(environment.runner, WorkerRunner):
                worker = self._worker = Worker(environment, environment.runner)
                # This listener must be called before the listener of the runner, which disconnects from the master.
                _listen(environment.events, worker, ("test_start", "test_stop", "quitting"))
            else:
                leader = self._leader = Leader(environment)
                leader.prepare()
                _listen(environment.events, leader, ("test_start", "spawning_complete", "test_stop", "quit"))
        except SwitchoverError as error:
            sys.stderr.write(f"switchover: {error}\n")
            _quit_workers(environment)
            sys.exit(error.exit_code)
        except KeyboardInterrupt:
            sys.stderr.write("switchover: interrupted before the run began\n")
            _quit_workers(environment)
            sys.exit(UNDONE)
        except Exception as error:
            logger.warning("Switchover: nothing is recorded: %s: %s", type(error).__name__, error)
        finally:
            self._initialised.set()

    def test_start(self, environment: Environment, **_: Any) -> None:
        """Wait for `init`, then start the worker's recording.

        If a worker joins late, Locust starts its users as soon as the worker is connected, perhaps before `init` has
        ended.
        """
        is_worker = getattr(environment.parsed_options, "worker", False)
        if is_worker and not self._initialised.is_set() and self._initialised.wait(INIT_S) and self._worker:
            _listener_of(self._worker, "test_start")()

    def quitting(self, **_: Any) -> None:
        if self._leader is not None:
            _listener_of(self._leader, "quitting")()


def _listen(events: Events, process: Leader | Worker, names: tuple[str, ...]) -> None:
    for name in names:
        getattr(events, name).add_listener(_listener_of(process, name))
    atexit.register(_listener_of(process, "at_exit"))


def _listener_of(process: Leader | Worker, name: str) -> Callable[..., None]:
    """Return a listener for Locust's events that accepts any arguments and never raises an `Exception`."""
    answer: Callable[[], None] = getattr(process, name)

    @functools.wraps(answer)
    def listener(**_: Any) -> None:
        try:
            answer()
        except Exception as error:
            process.report_defect(name, error)

    return listener


def _quit_workers(environment: Environment) -> None:
    """End the forked workers. Otherwise, they would wait for a master that has ended."""
    runner = environment.runner
    if not isinstance(runner, MasterRunner):
        return
    forked = getattr(environment.parsed_options, "processes", None) or 0
    limit_s = time.monotonic() + CONNECT_S
    while len(runner.clients) < forked and time.monotonic() < limit_s:
        gevent.sleep(0.05)
    runner.quit()
