"""The load that a drill starts, by its settings."""

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec

from switchover.drill.options import DrillSettings
from switchover.load.jmeter import JMeterLoad, java_arguments
from switchover.load.jmeter_home import find_jmeter
from switchover.load.jmeter_plan import require_plan
from switchover.load.load import JMETER, LOCUST, NO_LOAD, ChosenLoad, Load
from switchover.load.locust import LocustLoad, require_locust
from switchover.model.errors import UsageError
from switchover.target.model import Target


def choose_generator(settings: DrillSettings, note: Callable[[str], None]) -> DrillSettings:
    """The settings with a generator: Locust where none was asked for and it is installed. UsageError, before anything
    is started, for a load that cannot run."""
    if settings.generator is None:
        settings = replace(settings, generator=LOCUST if settings.plan or find_spec("locust") else NO_LOAD)
        if settings.generator == NO_LOAD:
            note("only probes, no load: Locust is not installed (the extra 'locust')")
    if settings.jmeter_home is not None and settings.generator != JMETER:
        raise UsageError("--jmeter-home is for --generator jmeter")
    if settings.generator == NO_LOAD:
        if settings.plan is not None:
            raise UsageError("--plan needs a load: leave out --generator none")
    elif settings.generator == JMETER:
        find_jmeter(settings.jmeter_home)
        java_arguments()
        if settings.plan is not None:
            require_plan(settings.plan)
    else:
        require_locust(settings.plan)
    return settings


def new_load(settings: DrillSettings, target: Target) -> Load | None:
    """The load of one drill; None: only the metronome."""
    if settings.generator == NO_LOAD:
        return None
    chosen = ChosenLoad(settings.users, settings.spawn_rate, settings.plan, settings.late_s)
    if settings.generator == JMETER:
        return JMeterLoad(find_jmeter(settings.jmeter_home), chosen, target)
    return LocustLoad(chosen, target)
