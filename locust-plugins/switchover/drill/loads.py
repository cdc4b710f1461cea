"""The load and the held connections of a drill."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from switchover.connections.spec import (
    HeldLoad,
    HeldProgress,
    HeldSpec,
    KeptOpen,
    RetryingClient,
    choose_loads,
    require_packages,
    require_retrying_client,
)
from switchover.drill.options import DrillSettings
from switchover.load.jmeter import JMeterLoad, java_arguments
from switchover.load.jmeter_plan import find_jmeter, require_plain_target, require_plan
from switchover.load.load_process import JMETER, LOCUST, NO_LOAD, ChosenLoad, Load
from switchover.load.locust import LocustLoad, require_locust
from switchover.model.errors import UsageError
from switchover.rundir.run_records import HeldAccount
from switchover.rundir.sample_log import HELD_FILE, RETRYING_CLIENT_FILE
from switchover.target.model import Target

if TYPE_CHECKING:
    from switchover.drill.fire_and_heal import FaultControl
    from switchover.drill.wait import PhaseTimer


def choose_generator(settings: DrillSettings, note: Callable[[str], None]) -> DrillSettings:
    """Return the settings with a load generator: the chosen generator, otherwise a default. Raises UsageError if the
    load cannot run."""
    if settings.generator is None:
        settings = replace(settings, generator=LOCUST if settings.plan or find_spec("locust") else NO_LOAD)
        if settings.generator == NO_LOAD:
            note("only probes, no load: Locust is not installed (the extra 'locust')")
    if settings.jmeter_home is not None and settings.generator != JMETER:
        raise UsageError("--jmeter-home is for --generator jmeter")
    if settings.generator == NO_LOAD:
        if settings.plan is not None:
            raise UsageError("--plan needs a load: remove --generator none")
    elif settings.generator == JMETER:
        find_jmeter(settings.jmeter_home)
        java_arguments()
        if settings.plan is not None:
            require_plan(settings.plan)
    else:
        require_locust(settings.plan)
    return settings


def new_load(settings: DrillSettings, target: Target) -> Load | None:
    if settings.generator == NO_LOAD:
        return None
    chosen = ChosenLoad(settings.users, settings.spawn_rate, settings.plan, settings.late_s)
    if settings.generator == JMETER:
        if settings.plan is None:
            require_plain_target(target)
        return JMeterLoad(find_jmeter(settings.jmeter_home), chosen, target)
    return LocustLoad(chosen, target)


NO_TIMEOUT_S = 3600.0
"""A time-out in seconds that is longer than any drill."""


def choose_held_loads(settings: DrillSettings, target: Target) -> tuple[KeptOpen, ...]:
    """Return the held connections that the user chose. Without a choice, a drill with changes gets the default
    connections. If the drill also has a load, the target file must have [connections] for this default."""
    is_usual = settings.change is not None and (bool(target.connections) or settings.generator == NO_LOAD)
    if settings.connections is None and not is_usual:
        if settings.retrying_client:
            connections = settings.typed("connections")
            raise UsageError(
                f"{settings.typed('retrying-client')} needs pooled connections: add {connections} pooled=30"
            )
        return ()
    loads = choose_loads(settings.connections or {}, target.connections)
    require_packages()
    if settings.retrying_client:
        require_retrying_client(loads)
    return loads


@dataclass(frozen=True, slots=True)
class HeldLoads:
    """The held connections of a drill, and the retrying client, which repeats lost requests."""

    running: tuple[HeldLoad, ...] = ()

    @classmethod
    @contextmanager
    def run_alongside(
        cls, loads: tuple[KeptOpen, ...], settings: DrillSettings, control: "FaultControl", timer: "PhaseTimer"
    ) -> "Iterator[HeldLoads]":
        """Run the loads during the block, and collect their results. With a fault, the time-out of streams is longer
        than the drill, so streams behave like a client without a time-out."""
        if not loads:
            yield cls()
            return
        is_of_changes = settings.change is not None
        with_retrying_clients = settings.retrying_client and is_of_changes

        def start(of: type[HeldLoad], log: str, kept: tuple[KeptOpen, ...]) -> HeldLoad:
            spec = HeldSpec(
                endpoint=control.target.endpoint,
                log=control.current.directory / log,
                loads=kept,
                identity=control.target.identity,
                timeout_stream_s=None if is_of_changes else NO_TIMEOUT_S,
                seed=settings.seed or 0,
                method="PUT" if with_retrying_clients else "POST",
            )
            started = of(spec, control.clock)
            control.run.parts.append(log)
            control.collector.watch(started.name.split()[0], started.pid)
            timer.watch(started)
            return started

        started: list[HeldLoad] = []
        try:
            started.append(start(HeldLoad, HELD_FILE, loads))
            if with_retrying_clients:
                started.append(start(RetryingClient, RETRYING_CLIENT_FILE, (require_retrying_client(loads),)))
            yield cls(tuple(started))
        finally:
            accounts = [control.run.take_seals(load.stop()) for load in started]
            control.run.warnings += [account["warning"] for account in accounts if account.get("warning")]
            for account in accounts[:1]:
                retrying = {"retrying_clients": accounts[1:]} if accounts[1:] else {}
                control.run.connections = HeldAccount.of(account | retrying)

    @property
    def is_running(self) -> bool:
        return bool(self.running)

    def begin_change(self, number: int) -> None:
        for load in self.running:
            load.begin_change(number)

    def settle_change(self, number: int) -> None:
        for load in self.running:
            load.settle_change(number)

    def progress(self) -> HeldProgress:
        return self.running[0].progress() if self.running else HeldProgress()
