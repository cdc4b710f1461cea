"""Checks of the options of a run, before the load starts."""

import os

from switchover.drill.options import DrillSettings
from switchover.drill.prepare import meant_recipe
from switchover.locust.options import Options, read_options
from switchover.locust.page.request_checks import is_loopback
from switchover.model.errors import UsageError
from switchover.streaming.influx.destination import choose_database
from switchover.streaming.parent import check_metrics
from switchover.target.model import Target
from switchover.target.reader import load_target


def check_options(namespace: object) -> tuple[Options, Target | None]:
    """Return the options and the target of a run. Raises SwitchoverError if options contradict each other."""
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
    """Refuse a web page on which anyone could fire an armed fault. `host`: the listening address of the page; empty:
    all addresses."""
    drill = options.drill
    is_armed = target is not None and target.lab is None and drill.arm and drill.fault is not None
    if is_armed and not (has_login or is_loopback(host)):
        raise UsageError(
            f"anyone who reaches the web page could fire {drill.fault}: add --web-host 127.0.0.1 or --web-login"
        )


def require_plan(drill: DrillSettings, *, by_hand: bool, run_time_s: float | None) -> None:
    """Check the options that set the fault, the time of the fault, and the end of the run.

    `by_hand`: a user can fire the fault on the web page. `run_time_s`: None for a run without an end.
    """
    fault, fault_at_s, heal_at_s = drill.fault, drill.fault_at_s, drill.heal_at_s
    if fault is None and fault_at_s is not None:
        raise UsageError("--switchover-fault-at needs --switchover-fault NAME")
    if fault_at_s is None and heal_at_s is not None:
        raise UsageError("--switchover-heal-at needs --switchover-fault-at: without it, no fault is fired")
    if fault is not None and drill.target is None:
        raise UsageError(
            "--switchover-fault needs --switchover-target FILE: the file contains the commands of the fault"
        )
    if fault is not None and fault_at_s is None and not by_hand:
        raise UsageError(f"--switchover-fault {fault} needs --switchover-fault-at: the time of the fault")
    if fault_at_s is not None and heal_at_s is not None and heal_at_s <= fault_at_s:
        raise UsageError(
            f"--switchover-heal-at ({heal_at_s:g}s) is not after --switchover-fault-at ({fault_at_s:g}s)"
        )
    if drill.probe_rate == 0 and drill.kept_rate:
        raise UsageError("--switchover-kept-rate needs a --switchover-probe-rate above 0")
    for option, at_s in (("--switchover-fault-at", fault_at_s), ("--switchover-heal-at", heal_at_s)):
        if at_s is not None and run_time_s is not None and at_s >= run_time_s:
            raise UsageError(f"{option} ({at_s:g}s) is not before the end of the run (--run-time {run_time_s:g}s)")


def target_of(drill: DrillSettings) -> Target | None:
    """Return the target, or None. Raises SwitchoverError if the target file lacks the chosen fault."""
    if drill.target is None:
        return None
    target = load_target(drill.target)
    if drill.fault is not None:
        meant_recipe(target, "fault", drill.fault, drill)
    return target
