"""Reasons about changes: a change had no effect or was not undone, or the load during the changes is not reliable."""

from collections.abc import Iterator, Sequence

from switchover.evidence.run_data import RunData
from switchover.figures.changes.changes import ChangeFigures
from switchover.figures.events import Events
from switchover.rundir.run_directory import ChangeRun, FaultRun
from switchover.rundir.run_records import HeldAccount
from switchover.verdict.change_confirmation import SeenChange, look_at_changes
from switchover.verdict.most_failed import most_failed
from switchover.verdict.reasons import because, make_reason
from switchover.verdict.record import Reason
from switchover.verdict.validity import LOAD_SHARE, failed_before


def change_reasons(data: RunData, events: Events, figures: ChangeFigures | None) -> Iterator[Reason]:
    described = data.run.change
    made = data.run.plan.made_changes
    if described is None or not made:
        return
    yield from _proof_reasons(described, made)
    seen = look_at_changes(
        made, described, events.lives, events.ownership, data.connections, events.end_us, data.points
    )
    yield from _confirmation_reasons(described, seen)
    yield from _load_reasons(data, figures, made[0].from_us or 0)
    before = f"end_us < {made[0].from_us or 0}"
    yield from failed_before(data.samples, before, LOAD_SHARE, "load_failed_before")
    yield from failed_before(data.probes, before, 0, "failed_before")


def _proof_reasons(described: FaultRun, made: Sequence[ChangeRun]) -> Iterator[Reason]:
    for change in made:
        name = f"change {change.number}, {described.name}"
        if change.confirmed_us is None:
            yield make_reason("not_confirmed", fault=name, why=because(change.error))
        elif change.undo_from_us is not None and change.undone_us is None:
            yield make_reason("not_healed", fault=name, why=because(change.error))
        elif change.error:
            yield make_reason("fault_error", why=change.error)


def _confirmation_reasons(described: FaultRun, seen: Sequence[SeenChange]) -> Iterator[Reason]:
    denied = [checked for checked in seen if checked.seen is False]
    if denied:
        by = ", ".join(kind for kind, effect in denied[0].by.items() if effect is False)
        first = f"the first is change {denied[0].change.number} (sources: {by})"
        yield make_reason("no_effect", fault=described.name, seen=f"{len(denied)} of {len(seen)} changes, {first}")
    elif not any(checked.seen for checked in seen):
        yield make_reason("unconfirmed", fault=described.name)


def _load_reasons(data: RunData, figures: ChangeFigures | None, first_us: int) -> Iterator[Reason]:
    account = data.run.connections or HeldAccount()
    accounts = [("the held connections", account)] if data.run.settings.connections or account.lost else []
    accounts += [("the retrying client", client) for client in account.retrying_clients]
    for _, held_account in accounts:
        if held_account.requests is None:
            yield make_reason("no_account", why=because(held_account.warning))
    for name, held_account in accounts:
        if held_account.lost:
            yield make_reason("samples_lost", worker=name, lost=held_account.lost)
    if figures is not None and figures.lost_before and data.connections is not None:
        common = because(most_failed(data.connections, f"end_us < {first_us}"))
        yield make_reason("load_failed_before", failed=figures.lost_before, total=figures.asked_before, most=common)
