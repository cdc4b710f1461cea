"""Detect the effects of a closed loop on the figures of the load. Probes are sent on a fixed schedule, not in a
closed loop. In a closed loop, a user who waits for a response sends no request. A user who is refused at once may
retry at once. A user may still send on a kept connection to a balancer that lost the VIP."""

from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple

from switchover.evidence.requests.table import Requests, sql_list
from switchover.figures.outage import Outage
from switchover.model.failure_kind import FailureKind
from switchover.rundir.run_directory import Run
from switchover.verdict.record import Artefact, ArtefactName, OutageKind, PhaseName

NOTICED = 0.10
"""The smallest difference between sent and predicted requests that is reported, as a share of the predicted
requests."""
BY_CHANCE = 3
"""Chance explains a difference between sent and predicted requests of up to this number of standard deviations."""
ANSWERED = frozenset({FailureKind.STATUS, FailureKind.ASSERTION, FailureKind.GENERATOR})
"""The kinds of failure after which the connection is still usable."""


class _Event(NamedTuple):
    """A fault or a heal, with the period in which new connections failed, and the samples of the load."""

    name: PhaseName
    from_us: int
    to_us: int
    horizon_us: int
    samples: Requests

    @property
    def had_outage(self) -> bool:
        return self.to_us > self.from_us

    @property
    def title(self) -> str:
        return "the outage" if self.name is PhaseName.SWITCHOVER else "the failback"


def artefacts_of(
    run: Run, requests: Requests, outage: Outage | None, failback: Outage | None, baseline_rate: float | None
) -> list[Artefact]:
    """Return the artefacts of a run: how its closed loop and its resent requests distort the figures of the load.
    Without a fault, only resent requests are counted. `baseline_rate`: samples per second before the fault; None if
    the load began after the fault."""
    plan = run.plan
    artefacts = [*_resent(requests)]
    if plan.fired_from_us is None:
        return artefacts
    end_us = plan.end_us or plan.fired_from_us
    healed_us = plan.heal_from_us or end_us
    for name, measured, since_us, horizon_us in (
        (PhaseName.SWITCHOVER, outage, plan.fired_from_us, healed_us),
        (PhaseName.FAILBACK, failback, healed_us, end_us),
    ):
        if measured is not None and measured.kind is not OutageKind.PARTIAL:
            from_us = since_us if measured.from_us is None else measured.from_us
            event = _Event(
                name, from_us, since_us if measured.to_us is None else measured.to_us, horizon_us, requests
            )
            if event.had_outage and baseline_rate:
                artefacts += _unlike_before(event, baseline_rate)
            artefacts += _stale(event)
    return artefacts


def _unlike_before(event: _Event, rate: float) -> Iterator[Artefact]:
    """Compare the number of requests during the outage or failback with the number that the baseline rate
    predicts."""
    due = round(rate * (event.to_us - event.from_us) / 1e6)
    sent = event.samples.count(f"{event.from_us} <= start_us AND start_us < {min(event.to_us, event.horizon_us)}")
    if abs(sent - due) <= max(NOTICED * due, BY_CHANCE * sqrt(due), 1):
        return
    claim = f"{sent:,} requests were sent during {event.title}, but the rate of the baseline predicts {due:,}"
    figures = {"sent": sent, "due": due}
    if sent < due:
        text = (
            f"{claim} ({1 - sent / due:.0%} fewer): the failed count and the percentiles lack the requests that were "
            "not sent (coordinated omission)"
        )
        yield Artefact(name=ArtefactName.OMISSION, event=event.name, text=text, figures=figures)
    else:
        more = f"{sent / due:.1f} times as many" if due else "none"
        text = (
            f"{claim} ({more}): a user who is refused at once tries again at once, so the failed count depends on "
            "the speed of the refusals, not on the length of the outage"
        )
        yield Artefact(name=ArtefactName.REFUSALS, event=event.name, text=text, figures=figures)


def _stale(event: _Event) -> Iterator[Artefact]:
    """Count failed requests on kept connections after the outage or failback, when new connections worked."""
    failed, last_us = event.samples.row(
        "SELECT count(*), max(end_us) FROM {requests} WHERE stream = 'kept' AND NOT success "
        f"AND error NOT IN {sql_list(ANSWERED)} AND {event.to_us} < end_us AND end_us < {event.horizon_us}"
    )
    if failed:
        last_ms = (last_us - event.to_us) // 1000
        start = "the fault" if event.name is PhaseName.SWITCHOVER else "the heal"
        since = f"the end of {event.title}" if event.had_outage else start
        text = (
            f"{failed:,} requests on kept connections failed, up to {last_ms:,} ms after {since}, while new "
            "connections were served: the kept connections were stale (they led to the balancer that lost the VIP)"
        )
        yield Artefact(
            name=ArtefactName.STALE, event=event.name, text=text, figures={"failed": failed, "last_ms": last_ms}
        )


def _resent(samples: Requests) -> Iterator[Artefact]:
    requests, again = samples.row("SELECT count(*), sum(attempts - 1) FROM {requests} WHERE attempts > 1")
    if requests:
        text = f"the client repeated {requests:,} requests, {again:,} times in all: each repetition hides a failure"
        yield Artefact(
            name=ArtefactName.RESENDS, event=None, text=text, figures={"requests": requests, "resends": int(again)}
        )
