"""Reasons about the fault: the fault was not fired, had no effect or was not healed, or the pair is not restored."""

from collections.abc import Iterator, Sequence

from switchover.rundir.measurements import EVENT
from switchover.rundir.points import Point
from switchover.rundir.run_directory import FaultRun, Run
from switchover.verdict.reasons import because, make_reason
from switchover.verdict.record import Confirmation, Reason
from switchover.verdict.restoration import PairChecks

INTERRUPTED = "interrupted"
"""The first word of the fault's error in a run that was stopped; used if run.json has no field `stopped`."""


def was_refused(run: Run) -> bool:
    """Return True if the preflight or a lock refused the run before its first request."""
    is_begun = run.plan.start_us is not None or run.plan.fired_from_us is not None
    return not is_begun and run.fault is not None and bool(run.fault.error)


def fault_reasons(
    run: Run,
    confirmation: Confirmation | None,
    restoration: PairChecks | None,
    points: Sequence[Point],
    restart: str | None = None,
) -> Iterator[Reason]:
    """Yield the reasons in the order of the planned steps. `restart`: the text that `restart_seen` returned."""
    fault, plan = run.fault, run.plan
    error = (fault.error or "") if fault else ""
    why = run.stopped or (error if error.startswith(INTERRUPTED) else "")
    if why:
        yield make_reason("stopped", why=why)
        error = "" if error == why else error
    if (plan.start_us is None or plan.end_us is None) and not was_refused(run):
        yield make_reason("no_end")
    if fault is None or fault.kind == "none":
        yield from _unfired_reasons(run, error)
        return
    if plan.fired_from_us is None:
        if not run.dry_run:
            yield _not_fired(fault.name, error)
        elif error:
            yield make_reason("fault_error", why=error)
        return
    yield from _confirmation_reasons(run, fault, error, confirmation, restart)
    yield from _heal_reasons(run, fault, error, restoration, points)


def _unfired_reasons(run: Run, error: str) -> Iterator[Reason]:
    """Yield the reasons of a run without a prepared fault: JMeter may refuse the fault, or end before the fault."""
    planned = run.settings.fault_planned or run.settings.change
    if planned and not run.dry_run and not run.plan.changes:
        yield _not_fired(planned, error or _why_not_due(run))
    elif error:
        yield make_reason("fault_error", why=error)


def _not_fired(name: str, why: str) -> Reason:
    """Return the reason that the fault was not fired. If the error `why` starts with the text of this reason, the
    start is removed."""
    return make_reason("not_fired", fault=name, why=because(why.removeprefix(f"{name} does not fire: ")))


def _why_not_due(run: Run) -> str:
    at_s, plan = run.settings.fault_at_s, run.plan
    if at_s is None or plan.start_us is None or plan.end_us is None:
        return ""
    lasted_s = (plan.end_us - plan.start_us) / 1e6
    return "" if at_s <= lasted_s else f"it was due after {at_s:g} s, and the run ended after {lasted_s:.1f} s"


def _confirmation_reasons(
    run: Run, fault: FaultRun, error: str, confirmation: Confirmation | None, restart: str | None
) -> Iterator[Reason]:
    """Yield a reason if the effect of the fault is not confirmed. If a source contradicts a command, the source
    decides. A restart of the balancer by its supervisor also confirms a kill."""
    seen = confirmation.seen if confirmation else None
    if confirmation is not None and seen is False:
        denials = "; ".join(check.text for check in confirmation.checks if check.holds is False)
        yield make_reason("no_effect", fault=fault.name, seen=denials)
    elif run.plan.confirmed_us is None and restart is None:
        yield make_reason("not_confirmed", fault=fault.name, why=because(error))
    elif confirmation is not None and seen is None:
        yield make_reason("unconfirmed", fault=fault.name)


def _heal_reasons(
    run: Run, fault: FaultRun, error: str, restoration: PairChecks | None, points: Sequence[Point]
) -> Iterator[Reason]:
    if run.plan.healed_us is None:
        by = _healed_by(run, fault.name, points)
        if by:
            yield make_reason("healed_by_others", fault=fault.name, by=by, why=because(error))
        else:
            yield make_reason("not_healed", fault=fault.name, why=because(error))
        return
    if error and run.plan.confirmed_us is not None:
        yield make_reason("fault_error", why=error)
    if restoration is None:
        return
    broken = "; ".join(check.text for check in restoration.healed if check.holds is False)
    if broken:
        yield make_reason("still_broken", fault=fault.name, seen=broken)
    changed = "; ".join(check.text for check in restoration.others if check.holds is False)
    if changed:
        yield make_reason("not_restored", seen=changed)


def _healed_by(run: Run, fault: str, points: Sequence[Point]) -> str:
    """Return the name of the other program, such as the watchdog, that healed the fault; empty if there is none."""
    prefix, fired_us = f"{fault}: healed by ", run.plan.fired_to_us or run.plan.fired_from_us or 0
    programs = [
        str(point.fields.get("text")).partition(prefix)[2]
        for point in points
        if point.measurement == EVENT and point.tags.get("kind") == "heal" and point.time_ns // 1000 >= fired_us
    ]
    return next(filter(None, reversed(programs)), "")
