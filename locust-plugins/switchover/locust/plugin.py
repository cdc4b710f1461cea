"""The hooks: Locust's events, and who answers them in this process."""

import atexit
import contextlib
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
from switchover.locust.option_checks import check
from switchover.locust.options import ARM, add_arguments, option_of
from switchover.locust.workers.worker import Follower
from switchover.model.errors import SwitchoverError

INIT_S = 15.0
"""For a process to get from its connection to `init`, which is a matter of milliseconds, on a busy machine."""
CONNECT_S = 15.0
"""For workers that were forked a moment ago, on a busy machine."""

NOT_TYPED = (
    "switchover: warning: the environment or a configuration file cannot arm a fault; nothing is armed unless "
    "--switchover-arm is typed on the command line\n"
)

logger = logging.getLogger(__name__)

_registered: list[Events] = []


def register(events: Events | None = None) -> None:
    """Once for the events of a process, however often it is asked for."""
    events = locust.events if events is None else events
    if events in _registered:
        return
    _registered.append(events)
    try:
        clients.install()
    except Exception as error:
        logger.warning("Switchover: the clients cannot be watched: %s: %s", type(error).__name__, error)
    hooks = Hooks()
    events.init_command_line_parser.add_listener(hooks.add_arguments)
    events.init.add_listener(hooks.init)
    events.test_start.add_listener(hooks.test_start)
    # Locust asks in reverse order: this one comes after the runner's own, which was made later.
    events.quitting.add_listener(hooks.quitting)


class Hooks:
    """Of one set of events. A defect of ours never ends a user's test: it is one line, and the run says so too."""

    def __init__(self) -> None:
        self._checked = self._told = False
        self._leader: Leader | None = None
        self._follower: Follower | None = None
        self._initialised = Event()

    def add_arguments(self, parser: LocustArgumentParser, **_: Any) -> None:
        add_arguments(parser)
        self._check_when_parsed(parser)

    def _check_when_parsed(self, parser: LocustArgumentParser) -> None:
        """What does not fit together is refused with the command line, before Locust forks and before it connects."""
        parse = parser.parse_known_args

        def parse_known_args(*arguments: Any, **named: Any) -> Any:
            found = parse(*arguments, **named)
            if getattr(found[0], ARM) and option_of("arm") not in _typed(parser):
                setattr(found[0], ARM, False)
                if not self._told:
                    self._told = True
                    sys.stderr.write(NOT_TYPED)
            if not self._checked:
                self._checked = True
                try:
                    if not found[0].worker:
                        check(found[0])
                except SwitchoverError as error:
                    parser.error(str(error))
            return found

        setattr(parser, "parse_known_args", parse_known_args)  # noqa: B010

    def init(self, environment: Environment, **_: Any) -> None:
        """Who debugs a single user has no runner, and no run."""
        if environment.runner is None:
            return
        try:
            # Loading took its time, which the timers that Locust starts next would count as time of the run.
            gevent.get_hub().loop.update_now()
            interrupt.deliver_to_main()
            if isinstance(environment.runner, WorkerRunner):
                self._follow(environment, environment.runner)
            else:
                self._lead(environment)
        except SwitchoverError as error:
            sys.stderr.write(f"switchover: {error}\n")
            _send_home(environment)
            sys.exit(error.exit_code)
        except Exception as error:
            logger.warning("Switchover: nothing is recorded: %s: %s", type(error).__name__, error)
        finally:
            self._initialised.set()

    def test_start(self, environment: Environment, **_: Any) -> None:
        """A worker that comes late is told to start as soon as it is connected, which may be before `init`: without
        waiting for that it would make requests that nobody records."""
        is_worker = getattr(environment.parsed_options, "worker", False)
        if is_worker and not self._initialised.is_set() and self._initialised.wait(INIT_S) and self._follower:
            _guarded(self._follower, "test_start")()

    def quitting(self, **_: Any) -> None:
        if self._leader is not None:
            _guarded(self._leader, "quitting")()

    def _lead(self, environment: Environment) -> None:
        leader = self._leader = Leader(environment)
        leader.prepare()
        _listen(environment.events, leader, ("test_start", "spawning_complete", "test_stopping", "test_stop", "quit"))
        atexit.register(_at_exit, leader)

    def _follow(self, environment: Environment, runner: WorkerRunner) -> None:
        follower = self._follower = Follower(environment, runner)
        # Here it comes before the runner's own, which says good-bye to the master.
        _listen(environment.events, follower, ("test_start", "test_stop", "quitting"))
        atexit.register(_at_exit, follower)


def _typed(parser: LocustArgumentParser) -> list[str]:
    """The words of the command line, without what the environment and configuration files add to them."""
    _, words = parser.get_source_to_settings_dict().get("command_line", {}).get("", (None, []))
    return list(words)


def _listen(events: Events, answerer: Leader | Follower, names: tuple[str, ...]) -> None:
    for name in names:
        getattr(events, name).add_listener(_guarded(answerer, name))


def _guarded(answerer: Leader | Follower, name: str) -> Callable[..., None]:
    """A listener for Locust, which calls it with whatever the event has."""
    answer: Callable[[], None] = getattr(answerer, name)

    @functools.wraps(answer)
    def listener(**_: Any) -> None:
        try:
            answer()
        except Exception as error:
            answerer.disturbed(name, error)

    return listener


def _send_home(environment: Environment) -> None:
    """The workers that were forked would wait for a master that is not there any more."""
    runner = environment.runner
    if not isinstance(runner, MasterRunner):
        return
    forked = getattr(environment.parsed_options, "processes", None) or 0
    limit_s = time.monotonic() + CONNECT_S
    while len(runner.clients) < forked and time.monotonic() < limit_s:
        gevent.sleep(0.05)
    runner.quit()


def _at_exit(answerer: Leader | Follower) -> None:
    """However this process ends, short of a kill: what was recorded is in the file."""
    with contextlib.suppress(Exception):
        answerer.at_exit()
