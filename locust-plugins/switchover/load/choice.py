"""Which load the options of `switchover drill` ask for."""

import argparse
import sys
from importlib.util import find_spec

from switchover.load.jmeter import JMeterLoad, JMeterSettings, java_arguments
from switchover.load.jmeter_home import find_jmeter
from switchover.load.jmeter_plan import require_plan
from switchover.load.load import JMETER, LOCUST, NO_LOAD, Load
from switchover.load.locust import LocustLoad, LocustSettings, require_locust
from switchover.model.errors import UsageError
from switchover.target.model import Target


def check_load(arguments: argparse.Namespace) -> None:
    """Refuse a load that cannot run, before anything is started.

    Where no generator was asked for, it is Locust if that is installed.
    """
    if arguments.generator is None:
        arguments.generator = LOCUST if arguments.plan or find_spec("locust") else NO_LOAD
        if arguments.generator == NO_LOAD and arguments.typed is None:
            print("switchover: only probes, no load: Locust is not installed (the extra 'locust')", file=sys.stderr)
    if arguments.jmeter_home is not None and arguments.generator != JMETER:
        raise UsageError("--jmeter-home is for --generator jmeter")
    if arguments.generator == NO_LOAD:
        if arguments.plan is not None:
            raise UsageError("--plan needs a load: leave out --generator none")
    elif arguments.generator == JMETER:
        find_jmeter(arguments.jmeter_home)
        java_arguments()
        if arguments.plan is not None:
            require_plan(arguments.plan)
    else:
        require_locust(arguments.plan)


def load_of(arguments: argparse.Namespace, target: Target) -> Load | None:
    """A new one for each drill; None: only the metronome."""
    if arguments.generator == NO_LOAD:
        return None
    chosen = arguments.users, arguments.spawn_rate, arguments.plan, arguments.late
    if arguments.generator == JMETER:
        return JMeterLoad(JMeterSettings(find_jmeter(arguments.jmeter_home), *chosen), target)
    return LocustLoad(LocustSettings(*chosen), target)
