"""Which figures of a closed loop say more about its users than about the service, and by how much.

A user who waits for an answer sends nothing meanwhile; one who is refused at once may be back at once; one with a
long time-out turns a failure into a slow success; one with a kept connection stays with a balancer that has gone.
Probes do none of this, so where the two disagree, one of these is why. All figures are counted in the sample log.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from typing import Any

from switchover.analysis.latency import nearest_rank
from switchover.analysis.outage import PATIENCE, Outage, OutageKind
from switchover.analysis.probes import USUAL_PERCENT
from switchover.failure import FailureKind
from switchover.rundir import Run
from switchover.samples import Sample

NOTICED = 0.10
"""A load that sent this share more or less than its own rate makes was changed by the outage."""
BY_CHANCE = 3
"""Standard deviations of a count of independent requests, beyond which it was not chance either."""
RETURN_US = 100_000
"""Users who are that much later than the probes to notice that the service is back were held up by themselves."""
ANSWERED = frozenset({FailureKind.STATUS, FailureKind.ASSERTION, FailureKind.GENERATOR})
"""Failures that are none of the connection."""


class ArtefactName(StrEnum):
    OMISSION = "omission"
    REFUSALS = "refusals"
    PATIENCE = "patience"
    NO_TIMEOUT = "no_timeout"
    PINNED = "pinned"
    RETURN = "return"
    RESENDS = "resends"


@dataclass(frozen=True, slots=True)
class Artefact:
    """One line for people, and the numbers in it."""

    name: ArtefactName
    text: str
    figures: Mapping[str, int]


def artefacts_of(
    run: Run, samples: Sequence[Sample], outage: Outage | None, baseline_rate: float | None
) -> tuple[Artefact, ...]:
    """`baseline_rate`: of the samples, a second. Without an outage that probes measured little can be compared."""
    found = [*_resent(samples)]
    fired_us = run.plan.fired_from_us
    if fired_us is not None:
        found += _waiting_for_ever(run)
    if fired_us is None or outage is None or outage.kind is OutageKind.PARTIAL:
        return tuple(found)
    horizon_us = run.plan.heal_from_us or run.plan.end_us or fired_us
    from_us, to_us = outage.from_us, outage.to_us
    if outage.kind is OutageKind.NONE or from_us is None or to_us is None:
        from_us = to_us = fired_us
    near = [sample for sample in samples if sample.end_us >= from_us and sample.start_us < horizon_us]
    if to_us > from_us:
        found += _unlike_before(near, from_us, to_us, baseline_rate)
        if not outage.censored:
            found += _patient(run, near, from_us, to_us, _usual_us(samples, fired_us))
            found += _late_to_return(near, to_us, horizon_us, baseline_rate)
    found += _pinned(near, to_us, horizon_us, run.fault.master if run.fault else None)
    return tuple(found)


def _unlike_before(near: Sequence[Sample], from_us: int, to_us: int, rate: float | None) -> Iterator[Artefact]:
    """What the load sent while the service was away, against its own rate while all was well."""
    due = round((rate or 0.0) * (to_us - from_us) / 1e6)
    sent = sum(from_us <= sample.start_us < to_us for sample in near)
    if abs(sent - due) <= max(NOTICED * due, BY_CHANCE * sqrt(due), 1):
        return
    told = f"it sent {sent:,} requests during the outage, where its rate before makes {due:,}"
    figures = {"sent": sent, "due": due}
    if sent < due:
        yield Artefact(
            ArtefactName.OMISSION,
            f"{told} ({1 - sent / due:.0%} fewer): what was not sent is missing from its failed count and its "
            "percentiles (coordinated omission)",
            figures,
        )
    else:
        more = f"{sent / due:.1f} times as many" if due else "none"
        yield Artefact(
            ArtefactName.REFUSALS,
            f"{told} ({more}): who is refused at once is back at once, so its failed count and share say how fast it "
            "was refused, not for how long",
            figures,
        )


def _patient(run: Run, near: Sequence[Sample], from_us: int, to_us: int, usual_us: int) -> Iterator[Artefact]:
    """Requests that were sent into the outage, and answered well behind it."""
    patience_us = PATIENCE * usual_us
    waited = [
        sample.end_us - sample.start_us
        for sample in near
        if sample.success
        and sample.start_us < to_us <= sample.end_us
        and sample.end_us - sample.start_us > patience_us
    ]
    if not waited:
        return
    longest_s = max((limit for limit in _timeouts(run).values() if limit is not None), default=None)
    forever = any(limit is None for limit in _timeouts(run).values())
    limit = "no time-out" if forever else "a time-out" if longest_s is None else f"a time-out of {longest_s:g} s"
    outage_ms = (to_us - from_us) // 1000
    yield Artefact(
        ArtefactName.PATIENCE,
        f"{len(waited):,} of its requests waited for the end of the outage, up to {max(waited) // 1000:,} ms: with "
        f"{limit} they count as slow, not as failed",
        {"waited": len(waited), "longest_ms": max(waited) // 1000, "outage_ms": outage_ms},
    )


def _usual_us(samples: Sequence[Sample], before_us: int) -> int:
    """What its answers usually took, all its labels together; 0 if there were none."""
    times = sorted(s.end_us - s.start_us for s in samples if s.success and s.end_us <= before_us)
    return nearest_rank(times, USUAL_PERCENT) if times else 0


def _waiting_for_ever(run: Run) -> Iterator[Artefact]:
    names = [name for name, limit in _timeouts(run).items() if limit is None]
    if names:
        yield Artefact(
            ArtefactName.NO_TIMEOUT,
            f"{', '.join(names)}: no time-out where a request names none: what hangs is not recorded before it ends, "
            "if it ever does",
            {"classes": len(names)},
        )


def _late_to_return(near: Sequence[Sample], to_us: int, horizon_us: int, rate: float | None) -> Iterator[Artefact]:
    """How much later than the probes the load had its first good answer."""
    good = [sample.end_us for sample in near if sample.success and sample.end_us >= to_us]
    later_us = min(good, default=horizon_us) - to_us
    by_chance_us = BY_CHANCE / rate * 1e6 if rate else 0.0
    if later_us > max(RETURN_US, by_chance_us):
        yield Artefact(
            ArtefactName.RETURN,
            f"its first good answer came {later_us // 1000:,} ms after the probes': its users were still waiting out "
            "their time-outs, retransmissions and pauses",
            {"later_ms": later_us // 1000},
        )


def _pinned(near: Sequence[Sample], to_us: int, horizon_us: int, master: str | None) -> Iterator[Artefact]:
    """Failures on kept connections while new connections were served well."""
    ends = [
        sample.end_us
        for sample in near
        if sample.stream == "kept"
        and not sample.success
        and sample.error not in ANSWERED
        and to_us < sample.end_us < horizon_us
    ]
    if ends:
        last_ms = (max(ends) - to_us) // 1000
        to_whom = f" to {master}" if master else ""
        yield Artefact(
            ArtefactName.PINNED,
            f"{len(ends):,} of its requests on kept connections, pinned{to_whom}, failed up to {last_ms:,} ms after "
            "new connections were served well",
            {"failed": len(ends), "last_ms": last_ms},
        )


def _resent(samples: Sequence[Sample]) -> Iterator[Artefact]:
    again = [sample.attempts - 1 for sample in samples if sample.attempts > 1]
    if again:
        yield Artefact(
            ArtefactName.RESENDS,
            f"{len(again):,} of its requests were sent again behind the test's back, {sum(again):,} times: in each "
            "hides a failure",
            {"requests": len(again), "resends": sum(again)},
        )


def _timeouts(run: Run) -> dict[str, float | None]:
    """Read time-outs in seconds by user class, where the class is one whose client is known; None: it has none."""
    load = run.settings.get("load")
    clients: Any = load.get("clients") if isinstance(load, dict) else None
    if not isinstance(clients, Mapping):
        return {}
    return {
        str(name): float(limit) if isinstance(limit := facts.get("timeout_read_s"), int | float) else None
        for name, facts in clients.items()
        if isinstance(facts, Mapping) and facts.get("client") not in (None, "other")
    }
