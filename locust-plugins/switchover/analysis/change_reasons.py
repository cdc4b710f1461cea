"""Reasons about changes: they had no effect, were not taken back, or the load that felt them cannot be trusted."""

from collections.abc import Iterator, Sequence

from switchover.analysis.change_effect import SeenChange, look_at_changes
from switchover.analysis.change_figures import ChangeFigures
from switchover.analysis.events import Events
from switchover.analysis.most_failed import most_failed
from switchover.analysis.reason import Reason, ReasonCode, because
from switchover.analysis.requests.columns import SENT
from switchover.analysis.requests.table import Requests
from switchover.analysis.run_data import RunData
from switchover.analysis.trust import LOAD_SHARE
from switchover.rundir.change_run import ChangeRun
from switchover.rundir.run_directory import FaultRun
from switchover.rundir.run_records import PatientAccount


def change_reasons(data: RunData, events: Events, figures: ChangeFigures | None) -> Iterator[Reason]:
    described = data.run.change
    made = [ChangeRun.of(one) for one in data.run.plan.changes]
    if described is None or not made:
        return
    yield from _proof_reasons(described, made)
    seen = look_at_changes(made, described, events.lives, events.ownership, data.patient, events.end_us, data.points)
    yield from _effect_reasons(described, seen)
    yield from _load_reasons(data, figures, made[0])
    yield from _failed_before(data.samples, made[0], LOAD_SHARE, ReasonCode.LOAD_FAILED_BEFORE)
    yield from _failed_before(data.probes, made[0], 0, ReasonCode.FAILED_BEFORE)


def _proof_reasons(described: FaultRun, made: Sequence[ChangeRun]) -> Iterator[Reason]:
    for change in made:
        name = f"change {change.number}, {described.name}"
        if change.confirmed_us is None:
            yield Reason(ReasonCode.NOT_CONFIRMED, {"fault": name, "why": because(change.error)})
        elif change.undo_from_us is not None and change.undone_us is None:
            yield Reason(ReasonCode.NOT_HEALED, {"fault": name, "why": because(change.error)})
        elif change.error:
            yield Reason(ReasonCode.FAULT_ERROR, {"why": change.error})


def _effect_reasons(described: FaultRun, seen: Sequence[SeenChange]) -> Iterator[Reason]:
    denied = [one for one in seen if one.seen is False]
    if denied:
        by = ", ".join(kind for kind, says in denied[0].by.items() if says is False)
        first = f"the first of them change {denied[0].change.number}, as its witnesses say ({by})"
        times = f"{len(denied)} of {len(seen)} times, {first}"
        yield Reason(ReasonCode.NO_EFFECT, {"fault": described.name, "seen": times})
    elif not any(one.seen for one in seen):
        yield Reason(ReasonCode.UNWITNESSED, {"fault": described.name})


def _load_reasons(data: RunData, figures: ChangeFigures | None, first: ChangeRun) -> Iterator[Reason]:
    account = data.run.patient or PatientAccount()
    if account.requests is None and data.run.settings.patient:
        yield Reason(ReasonCode.NO_ACCOUNT, {"why": because(account.warning)})
    for twin in account.twins:
        if twin.requests is None:
            yield Reason(ReasonCode.NO_ACCOUNT, {"why": because(twin.warning)})
    for name, lost in (("the patient load", account.lost), *(("its twin", twin.lost) for twin in account.twins)):
        if lost:
            yield Reason(ReasonCode.SAMPLES_LOST, {"worker": name, "lost": lost})
    if figures is not None and figures.lost_before and data.patient is not None:
        most = because(most_failed(data.patient, f"end_us < {first.from_us or 0}"))
        counted = {"failed": figures.lost_before, "total": figures.asked_before}
        yield Reason(ReasonCode.LOAD_FAILED_BEFORE, {**counted, "most": most})


def _failed_before(requests: Requests, first: ChangeRun, share: float, code: ReasonCode) -> Iterator[Reason]:
    """More than this share of what was sent failed before the first change."""
    before = f"end_us < {first.from_us or 0} AND {SENT}"
    failed, total = requests.count(f"{before} AND NOT success"), requests.count(before)
    if failed > share * total:
        most = because(most_failed(requests, before))
        yield Reason(code, {"failed": failed, "total": total, "most": most})
