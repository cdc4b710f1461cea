"""What the charts draw, as data: seconds from the fault (or from the start of the run), never a point per request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from switchover.analysis.machine import machine_seconds
from switchover.analysis.outage import Gap, Outage, OutageKind
from switchover.analysis.phases import Phase
from switchover.analysis.verdict import Verdict
from switchover.report.page.colours import Colours
from switchover.report.page.series import Latencies, RequestSeries, summed
from switchover.report.page.source_tables import expected_shares
from switchover.report.page.telemetry import LIMIT, Held, Line, counted
from switchover.report.page.time_grid import Grid
from switchover.report.text import after_kill, at_most, give_or_take, milliseconds, no_less_than, window
from switchover.rundir.points import Point
from switchover.rundir.run_directory import Run

SPANS_LIMIT = 200


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """The axis that all charts share."""

    zero_us: int
    from_us: int
    to_us: int

    def at(self, time_us: int) -> float:
        """Seconds, to the tenth of a millisecond."""
        return round((time_us - self.zero_us) / 1e6, 4)


def charts_of(
    verdict: Verdict,
    phases: Sequence[Phase],
    clock: TimeAxis,
    grid: Grid,
    series: Mapping[str, RequestSeries],
    points: Sequence[Point],
    owners: Sequence[Held],
    colours: Colours,
) -> dict[str, Any]:
    """`series`: by what people call the population. The keys are what `assets/*.js` read."""
    return {
        **charts_over_time(verdict.run, clock, grid, series, points, colours),
        "phases": [{"name": p.name.value, "from": clock.at(p.from_us), "to": clock.at(p.to_us)} for p in phases],
        "timeline": _timeline(verdict, clock, owners) if verdict.events.is_fired else None,
        "shares": _shares(verdict, points),
    }


def charts_over_time(
    run: Run,
    clock: TimeAxis,
    grid: Grid,
    series: Mapping[str, RequestSeries],
    points: Sequence[Point],
    colours: Colours,
) -> dict[str, Any]:
    """Of requests, counters and the machine: what no verdict is needed for."""
    plan = run.plan
    stretches = grid.stretches()
    return {
        "zero_us": clock.zero_us,
        "zero_is": "the kill" if plan.fired_from_us is not None else "the start",
        "from": clock.at(clock.from_us),
        "to": clock.at(clock.to_us),
        "marks": [
            {"name": name, "at": clock.at(at_us)}
            for name, at_us in (("fault", plan.fired_from_us), ("heal", plan.heal_from_us))
            if at_us is not None and clock.from_us <= at_us <= clock.to_us
        ],
        "starts": [clock.at(from_us) for from_us, _ in stretches],
        "widths": [round(width_us / 1e6, 4) for _, width_us in stretches],
        "late_ms": run.settings.late_ms,
        "populations": [_population(name, one, grid.size) for name, one in series.items() if one.total],
        "counters": [
            {
                "node": one.node,
                "requests": _line(one.requests, clock),
                "sessions": _line(one.sessions, clock),
                "queued": _line(one.queued, clock),
                "errors": _line(one.errors, clock),
            }
            for one in counted(points)
        ],
        "machine": _machine(points, clock),
        "colours": {"backends": dict(colours.backends), "balancers": dict(colours.balancers)},
    }


def _timeline(verdict: Verdict, clock: TimeAxis, owners: Sequence[Held]) -> dict[str, Any]:
    fit, plan = verdict.figures.prediction, verdict.run.plan
    kill_us = plan.fired_from_us or 0
    predicted = None if fit is None else band_of(fit.low_ms, fit.high_ms, kill_us, clock)
    overlaps = verdict.figures.split_brain.overlaps if verdict.figures.split_brain else ()
    return {
        "steps": [
            {
                "name": row.step.value,
                "at": None if row.at_us is None else clock.at(row.at_us),
                "bound": None if row.bound_us is None else round(row.bound_us / 1e6, 4),
                "text": " ".join(filter(None, (after_kill(row), give_or_take(row)))),
                "source": row.source,
            }
            for row in verdict.events.timeline
        ],
        "predicted": predicted,
        "away": [*_away("outage", verdict.events.outage, clock), *_away("failback", verdict.events.failback, clock)],
        "heal": None if plan.heal_from_us is None else clock.at(plan.heal_from_us),
        "owners": owners_drawn(owners, clock),
        "overlaps": [
            {"from": clock.at(o.from_us), "to": clock.at(o.to_us), "text": milliseconds(o.duration_us)}
            for o in overlaps[:SPANS_LIMIT]
        ],
    }


def band_of(low_ms: float | None, high_ms: float | None, kill_us: int, clock: TimeAxis) -> dict[str, Any] | None:
    """In which the service was to be back by theory."""
    if low_ms is None:
        return None
    high = None if high_ms is None else clock.at(kill_us + round(high_ms * 1000))
    return {"low": clock.at(kill_us + round(low_ms * 1000)), "high": high, "text": window(low_ms, high_ms)}


def owners_drawn(owners: Sequence[Held], clock: TimeAxis) -> list[dict[str, Any]]:
    return [{"node": h.node, "from": clock.at(h.from_us), "to": clock.at(h.to_us)} for h in owners[:SPANS_LIMIT]]


def _away(name: str, outage: Outage | None, clock: TimeAxis) -> list[dict[str, Any]]:
    """The outage itself, or the gaps of one that was partial; and every later gap."""
    if outage is None or outage.from_us is None or outage.to_us is None:
        return []
    spans = [(name, outage.from_us, outage.to_us, at_most(outage))]
    if outage.kind is OutageKind.PARTIAL:
        spans = [(name, from_us, to_us, "") for from_us, to_us in drawn_gaps(outage.gaps)]
    spans += [
        (f"later gap, {name}", gap.from_us, gap.to_us, _longest(gap)) for gap in outage.later_gaps[:SPANS_LIMIT]
    ]
    return [
        {"name": what, "from": clock.at(from_us), "to": clock.at(to_us), "text": text}
        for what, from_us, to_us, text in spans
    ]


def _longest(gap: Gap) -> str:
    """With a sign where it was not seen to end."""
    return milliseconds(gap.duration_us) if gap.closed else f"≥ {no_less_than(gap.length.low)}"


def drawn_gaps(gaps: Sequence[Gap]) -> list[tuple[int, int]]:
    """No more than can be told apart: of many gaps, those that lie close together are one."""
    close_us = (gaps[-1].to_us - gaps[0].from_us) // SPANS_LIMIT if len(gaps) > SPANS_LIMIT else 0
    drawn: list[tuple[int, int]] = []
    for gap in gaps:
        if drawn and gap.from_us - drawn[-1][1] < close_us:
            drawn[-1] = (drawn[-1][0], max(drawn[-1][1], gap.to_us))
        else:
            drawn.append((gap.from_us, gap.to_us))
    return drawn


def _population(name: str, series: RequestSeries, size: int) -> dict[str, Any]:
    backends = sorted({backend for backend, _ in series.answered})
    balancers = sorted({balancer for _, balancer in series.answered})
    return {
        "name": name,
        "backends": {
            one: summed((counts for (backend, _), counts in series.answered.items() if backend == one), size)
            for one in backends
        },
        "balancers": {
            one: summed((counts for (_, balancer), counts in series.answered.items() if balancer == one), size)
            for one in balancers
        },
        "late": series.late,
        "failed": dict(series.failed),
        "from_send": _milliseconds(series.from_send),
        "from_schedule": _milliseconds(series.from_schedule),
        "lag": _milliseconds(series.lag),
        "users": series.users,
    }


def _milliseconds(found: Latencies | None) -> dict[str, list[float | None]] | None:
    if found is None:
        return None
    columns = (("p50", found.p50_us), ("p99", found.p99_us), ("max", found.max_us))
    return {name: [None if us is None else us / 1000 for us in column] for name, column in columns}


def _line(line: Line, clock: TimeAxis) -> dict[str, list[float | None]]:
    return {"x": [clock.at(at_us) for at_us, _ in line], "y": [value for _, value in line]}


def _machine(points: Sequence[Point], clock: TimeAxis) -> list[dict[str, float | int | None]]:
    seconds = machine_seconds(points)
    return [
        {
            "from": clock.at(second.from_us),
            "to": clock.at(second.to_us),
            "stolen_ms": second.stolen_ms,
            "waited_ms": second.waited_ms,
            "softirq_ms": second.softirq_ms,
            "running": second.running,
        }
        for second in seconds[:: -(-len(seconds) // LIMIT) or 1]
    ]


def _shares(verdict: Verdict, points: Sequence[Point]) -> list[dict[str, Any]]:
    expected = expected_shares(verdict, points)
    return [
        {
            "phase": phase.value,
            "backends": dict(found.get("backends", {})),
            "balancers": dict(found.get("balancers", {})),
            "expected": dict(expected.get(phase, {})),
        }
        for phase, found in verdict.figures.distribution.by_phase.items()
    ]
