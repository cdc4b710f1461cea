"""The phases of a run so far, to the second. The analysis has the exact ones, to the microsecond, when it is over."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from switchover.analysis.outage import STABILITY_WINDOW_US
from switchover.analysis.phases import PhaseName
from switchover.locust.page.timeline import Counts, Timeline, TimelineStretch

CLEAN_S = STABILITY_WINDOW_US // 1_000_000


@dataclass(frozen=True, slots=True)
class Moments:
    """When what was done, in microseconds; None: not yet."""

    start_us: int | None = None
    fired_us: int | None = None
    heal_us: int | None = None
    end_us: int | None = None

    @property
    def healed_in_time_us(self) -> int | None:
        """The heal, if it was before the run's end; what is healed at the end has no failback to see."""
        if self.heal_us is None or (self.end_us is not None and self.heal_us >= self.end_us):
            return None
        return self.heal_us


@dataclass(frozen=True, slots=True)
class LivePhase:
    """Whole seconds from `from_s` up to `to_s`; None: it is the present one."""

    name: PhaseName
    from_s: int
    to_s: int | None = None
    clean: bool = False
    """It has ended because the service, which had been impaired, was good again."""


def phases_so_far(timeline: Timeline, moments: Moments) -> list[LivePhase]:
    """The second of the fault belongs to the switchover, that of the heal to the failback."""
    if moments.start_us is None:
        return []
    start_s = moments.start_us // 1_000_000
    if moments.fired_us is None:
        return [LivePhase(PhaseName.BASELINE, start_s)]
    fired_s = moments.fired_us // 1_000_000
    heal_us = moments.healed_in_time_us
    heal_s = None if heal_us is None else heal_us // 1_000_000
    phases = [LivePhase(PhaseName.BASELINE, start_s, fired_s)]
    phases += _around(timeline, PhaseName.SWITCHOVER, PhaseName.ON_BACKUP, fired_s, heal_s)
    if heal_s is not None:
        phases += _around(timeline, PhaseName.FAILBACK, PhaseName.RECOVERED, heal_s, None)
    return phases


def _around(
    timeline: Timeline, event: PhaseName, after: PhaseName, since_s: int, until_s: int | None
) -> list[LivePhase]:
    clean_s = clean_at_s(timeline.stretches(), since_s, until_s)
    if clean_s is None:
        return [LivePhase(event, since_s, until_s)]
    # Where nothing was impaired, this phase is the time for which it was watched.
    to_s = clean_s if clean_s > since_s else since_s + CLEAN_S
    return [LivePhase(event, since_s, to_s, clean=clean_s > since_s), LivePhase(after, to_s, until_s)]


def clean_at_s(stretches: Iterable[TimelineStretch], since_s: int, until_s: int | None) -> int | None:
    """The first second of a stability window that has already lasted, `since_s` if nothing was impaired; None if
    there is no such window yet.

    By the probes, or where there are none by the requests. A second with nothing in it is not clean: where a fault
    hangs connections, nothing ends for a while.
    """
    clean_s = after_s = since_s
    for stretch in stretches:
        if stretch.at_s < since_s or (until_s is not None and stretch.at_s >= until_s):
            continue
        good, failed, late = stretch.probes if any(stretch.probes) else stretch.requests
        if failed or late or not good or stretch.at_s > after_s:
            clean_s = stretch.at_s + (stretch.width_s if failed or late or not good else 0)
        after_s = stretch.at_s + stretch.width_s
        if after_s - clean_s >= CLEAN_S:
            return clean_s
    return None


def lost_so_far_ms(timeline: Timeline, phases: Sequence[LivePhase], probe_rate: float | None) -> float | None:
    """Probes lost in the switchover, divided by their rate; None before a fault, or without probes."""
    counts = counts_by_phase(timeline, phases)
    if (
        not probe_rate
        or PhaseName.SWITCHOVER.value not in counts
        or not any(any(probes) for _, probes in counts.values())
    ):
        return None
    _, (_, failed, late) = counts[PhaseName.SWITCHOVER.value]
    return (failed + late) / probe_rate * 1000


def phase_at(phases: Sequence[LivePhase], at_s: int) -> str:
    """The phase that a second belongs to; what came before the first is counted to it."""
    for phase in reversed(phases):
        if at_s >= phase.from_s:
            return phase.name.value
    return phases[0].name.value if phases else ""


def counts_by_phase(timeline: Timeline, phases: Sequence[LivePhase]) -> dict[str, tuple[Counts, Counts]]:
    """Requests and probes of each phase, by outcome."""
    found: dict[str, tuple[Counts, Counts]] = {phase.name.value: ([0, 0, 0], [0, 0, 0]) for phase in phases}
    borders = [phase.from_s for phase in phases[1:]]
    by_index = list(found.values())
    for stretch in timeline.stretches() if phases else ():
        requests, probes = by_index[bisect_right(borders, stretch.at_s)]
        for index in range(len(requests)):
            requests[index] += stretch.requests[index]
            probes[index] += stretch.probes[index]
    return found
