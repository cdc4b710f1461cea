"""Checks of the options of a run: everything that can be refused before there is any load."""

import os

from switchover.drill.options import DrillSettings
from switchover.drill.prepare import meant_recipe
from switchover.drill.remote.plans import FIRST_AT_S
from switchover.locust.options import NOTHING_CHOSEN, Options, read_options
from switchover.locust.page.request_checks import is_loopback
from switchover.model.errors import UsageError
from switchover.rundir.run_directory import EXTERNAL
from switchover.streaming.influx.destination import choose_database
from switchover.streaming.parent import check_metrics
from switchover.target.model import Target
from switchover.target.reader import load_target


def check_options(namespace: object) -> tuple[Options, Target | None]:
    """The options of a run, and its target. SwitchoverError, in one line, if they do not fit together."""
    options = read_options(namespace)
    headless = bool(getattr(namespace, "headless", False)) and not getattr(namespace, "headful", False)
    run_time = getattr(namespace, "run_time", None)
    require_plan(options.drill, by_hand=not headless, run_time_s=float(run_time) if run_time and headless else None)
    target = target_of(options.drill)
    choose_database(options.drill.influx, target.influx if target else None, os.environ)
    check_metrics(options.drill.prometheus)
    host = getattr(namespace, "web_host", None)
    if host is not None and not headless:
        require_guarded_page(options, target, host=host, has_login=bool(getattr(namespace, "web_login", False)))
    return options, target


def require_guarded_page(options: Options, target: Target | None, *, host: str, has_login: bool) -> None:
    """Refuse a page that lets strangers fire an armed fault. `host`: where it listens; empty for all addresses."""
    drill = options.drill
    meant = drill.fault or drill.change
    is_armed = target is not None and target.lab is None and drill.arm and meant is not None
    if is_armed and not (has_login or options.open_page or is_loopback(host)):
        raise UsageError(
            f"anyone who reaches the web page could fire {meant}: add --web-host 127.0.0.1 or "
            "--web-login, or --switchover-open-page to mean it"
        )


def require_plan(drill: DrillSettings, *, by_hand: bool, run_time_s: float | None) -> None:
    """Check names and times. `by_hand`: the web page can fire the fault; `run_time_s`: None for no end."""
    fault, change, fault_at_s, heal_at_s = drill.fault, drill.change, drill.fault_at_s, drill.heal_at_s
    if fault is None and change is None and fault_at_s is not None:
        raise UsageError("--switchover-fault-at needs --switchover-fault NAME: what is to be fired?")
    if fault is not None and change is not None:
        raise UsageError(f"--switchover-fault {fault} and --switchover-change {change}: one run has one of them")
    if change is not None and heal_at_s is not None:
        raise UsageError("--switchover-heal-at is for a fault: each change is taken back in its own time")
    if change is not None and drill.target is None:
        raise UsageError("--switchover-change needs --switchover-target FILE: the change's commands stand in it")
    if fault_at_s is None and heal_at_s is not None:
        raise UsageError("--switchover-heal-at needs --switchover-fault-at: nothing is fired by then")
    if fault is not None and drill.target is None:
        raise UsageError("--switchover-fault needs --switchover-target FILE: the fault's commands stand in it")
    if fault == EXTERNAL and fault_at_s is not None:
        raise UsageError("--switchover-fault external has no --switchover-fault-at: somebody else fires it")
    if fault is not None and fault != EXTERNAL and fault_at_s is None and not by_hand:
        raise UsageError(f"--switchover-fault {fault} needs --switchover-fault-at: when is it to be fired?")
    if fault_at_s is not None and heal_at_s is not None and heal_at_s <= fault_at_s:
        raise UsageError(
            f"--switchover-heal-at ({heal_at_s:g}s) is not after --switchover-fault-at ({fault_at_s:g}s)"
        )
    if change is None and (drill.times, drill.every_s) != (NOTHING_CHOSEN.times, NOTHING_CHOSEN.every_s):
        raise UsageError("--switchover-times and --switchover-every need --switchover-change NAME")
    last_s = (FIRST_AT_S if fault_at_s is None else fault_at_s) + drill.times * drill.every_s
    if change is not None and run_time_s is not None and last_s > run_time_s:
        raise UsageError(
            f"the last of {drill.times} changes would be over {last_s:g}s after the start, behind the end of the run "
            f"(--run-time {run_time_s:g}s)"
        )
    if drill.probe_rate == 0 and drill.kept_rate:
        raise UsageError("--switchover-kept-rate needs the other probes: --switchover-probe-rate must not be 0")
    for option, at_s in (("--switchover-fault-at", fault_at_s), ("--switchover-heal-at", heal_at_s)):
        if at_s is not None and run_time_s is not None and at_s >= run_time_s:
            raise UsageError(f"{option} ({at_s:g}s) lies behind the end of the run (--run-time {run_time_s:g}s)")


def target_of(drill: DrillSettings) -> Target | None:
    """The target that the file describes, checked for the fault or change that is meant; None without a file."""
    if drill.target is None:
        return None
    target = load_target(drill.target)
    for table, name in (("fault", drill.fault), ("change", drill.change)):
        if name is not None:
            meant_recipe(target, table, name, drill)
    return target
