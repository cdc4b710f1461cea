"""The processor time that the hypervisor and other processes took from the prober (`switchover_machine` points)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from switchover.model.interval import Span
from switchover.rundir.measurements import MACHINE
from switchover.rundir.points import Point

ALL = "all"
NOTICEABLE_SHARE = 0.5
"""A cause explains a probe gap if the cause covers at least this share of the probe gap."""


@dataclass(frozen=True, slots=True)
class MachineSecond:
    """The machine's figures for the time between two readings, about one second."""

    from_us: int
    to_us: int
    stolen_ms: float
    """The stolen time (CPU steal), summed over all processors."""
    running: int
    waited_ms: float | None
    """The time in which the prober waited for a processor; None: unknown."""


def machine_seconds(points: Iterable[Point]) -> list[MachineSecond]:
    """Return the machine's figures for each second, in the order of time. The first reading is only the start of the
    first second."""
    readings = sorted(
        (point for point in points if point.measurement == MACHINE and point.tags.get("processor") == ALL),
        key=lambda point: point.time_ns,
    )
    return [
        MachineSecond(
            from_us=before.time_ns // 1000,
            to_us=after.time_ns // 1000,
            stolen_ms=after.number("stolen_ms") or 0.0,
            running=round(after.number("running") or 0),
            waited_ms=after.number("waited_ms"),
        )
        for before, after in pairwise(readings)
    ]


def name_cause(seconds: Sequence[MachineSecond], probe_gap: Span) -> dict[str, str]:
    """Return why no probe was sent in a probe gap, as the figure `cause` of a reason; empty if no cause is known. The
    machine's figures are for whole seconds, so the figures may include time before and after the probe gap."""
    near = [second for second in seconds if second.from_us < probe_gap.to_us and second.to_us > probe_gap.from_us]
    enough_ms = NOTICEABLE_SHARE * probe_gap.duration_us / 1000
    that = "that second" if len(near) == 1 else f"those {len(near)} seconds"
    stolen_ms, waited_ms = (sum(second.stolen_ms for second in near), sum(second.waited_ms or 0.0 for second in near))
    if stolen_ms > 0 and stolen_ms >= enough_ms:
        return {"cause": f"the hypervisor took CPU time: {stolen_ms:.0f} ms stolen in {that}"}
    if waited_ms > 0 and waited_ms >= enough_ms:
        ran = f"{max(second.running for second in near)} processes ran"
        return {"cause": f"the processors were busy: the prober waited {waited_ms:.0f} ms in {that}, {ran}"}
    return {}
