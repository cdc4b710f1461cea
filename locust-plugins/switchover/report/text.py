"""Figures as text, with whole-number arithmetic, so that every implementation prints the same digits."""

from decimal import Decimal

from switchover.analysis.limit_result import LimitResult, State, figure_text
from switchover.analysis.outage import Outage, OutageKind
from switchover.analysis.split_brain import SplitBrain
from switchover.analysis.timeline import Row, Step
from switchover.analysis.verdict import Verdict


def milliseconds(microseconds: int) -> str:
    """`3,412 ms`: whole milliseconds, halves upwards."""
    return f"{(microseconds + 500) // 1000:,} ms"


def no_less_than(microseconds: float) -> str:
    """A lower bound in whole milliseconds: it is not rounded up."""
    return f"{int(microseconds // 1000):,} ms"


def no_more_than(microseconds: float) -> str:
    """An upper bound in whole milliseconds: it is not rounded down."""
    return f"{int(-(-microseconds // 1000)):,} ms"


def seconds_down(microseconds: float) -> str:
    """`4.013`: a lower bound, not rounded up."""
    return f"{microseconds // 1000 / 1000:,.3f}"


def seconds_up(microseconds: float, decimals: int = 3) -> str:
    """`4.03`: an upper bound, not rounded down."""
    step = 10 ** (6 - decimals)
    return f"{-(-microseconds // step) * step / 1e6:,.{decimals}f}"


def bound(outage: Outage) -> str:
    """What the figure may be too long by: milliseconds rounded up, but no more than the figure itself."""
    return _bound(int(outage.length.low), outage.duration_us)


def _bound(low_us: int, high_us: int) -> str:
    early_ms = min(-(-(high_us - low_us) // 1000), (high_us + 500) // 1000)
    return f"(−{early_ms:,}/+0)"  # noqa: RUF001


def at_most(outage: Outage) -> str:
    """`3,412 ms`; `≤ 11 ms` where none was seen, `≥ 9,999 ms` where it was not seen to end."""
    if outage.kind is OutageKind.NONE:
        return f"≤ {no_more_than(outage.detection_limit_us)}"
    return f"≥ {no_less_than(outage.length.low)}" if outage.censored else milliseconds(outage.duration_us)


def outage_text(outage: Outage) -> str:
    """An outage in one phrase; where there was none, how long one may have been without being seen."""
    if outage.censored:
        return length_text(outage.kind, int(outage.length.low), None, outage.detection_limit_us)
    return length_text(
        outage.kind, int(outage.length.low), outage.duration_us, outage.detection_limit_us, recovered=outage.recovered
    )


def length_text(
    kind: str, low_us: int, high_us: int | None, detection_limit_us: int, *, recovered: bool = True
) -> str:
    """`high_us` None: it was not seen to end."""
    if kind == OutageKind.NONE:
        return f"none longer than {no_more_than(detection_limit_us)}"
    if high_us is None:
        length = f"at least {no_less_than(low_us)}, not recovered"
    else:
        length = f"{milliseconds(high_us)} {_bound(low_us, high_us)}"
    if kind == OutageKind.PARTIAL:
        length = f"{length}, partial"
    return length if recovered or high_us is None else f"{length}, not recovered"


def split_brain_text(found: SplitBrain) -> str:
    """`none`; `at most 312 ms` where the overlap is within the clocks' bounds, so it may be a handover."""
    if found.overlaps:
        return milliseconds(found.total_us)
    return f"at most {no_more_than(found.length.high)}" if found.length.high else "none"


def window(low_ms: float | None, high_ms: float | None) -> str:
    """What theory says: `2,609 to 3,609 ms`."""
    if low_ms is None:
        return "unknown"
    if high_ms is None:
        return f"at least {low_ms:,.0f} ms"
    return f"{low_ms:,.0f} to {high_ms:,.0f} ms"


def share(part: int, total: int) -> str:
    """`12 of 4,000 (0.3 %)`; a very small share, too, in decimals: `1 of 20,000,000 (0.000005 %)`"""
    return f"{part:,} of {total:,} ({Decimal(f'{part / total * 100:.3g}'):f} %)" if total else "none was sent"


def shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def in_ms(microseconds: int) -> str:
    """A latency: `12.3`"""
    return f"{microseconds / 1000:,.1f}"


def what_was_done(verdict: Verdict) -> str:
    """`haproxy-kill on lb1, backup lb2`; empty where no fault was to be fired."""
    fault, change, changes = verdict.run.fault, verdict.run.change, verdict.figures.changes
    if change is not None:
        return f"{len(changes.made) if changes else 0} times {change.name} on {change.victim or 'the target'}"
    if fault is None or fault.kind == "none":
        return ""
    backup = f", backup {fault.backup}" if fault.backup and fault.kind == "master" else ""
    return f"{fault.name} on {fault.victim or 'the target'}{backup}"


def after_kill(row: Row) -> str:
    return "unknown" if row.after_kill_us is None else f"{row.after_kill_us / 1000:+,.1f} ms"


def give_or_take(row: Row) -> str:
    return "" if row.bound_us is None else f"±{row.bound_us / 1000:,.1f}"


def step_cells(row: Row) -> tuple[str, str, str, str]:
    """The step, when it came, give or take how much, and who saw it."""
    return row.step.value, after_kill(row), give_or_take(row), observed(row)


SOURCE_NEEDED = {
    Step.DETECTION: "Keepalived's FIFO on the victim (vip_owner), or HAProxy's counters for a backend",
    Step.ELECTED: "a vip_owner on each balancer",
    Step.FIRST_IMPAIRMENT: "the prober",
    Step.CLEAN: "the prober",
}
"""What in the target file would show a step that no source saw."""


def observed(row: Row) -> str:
    """The source of a step; where it is unknown, the one that would have seen it."""
    if row.at_us is None and row.source == "unknown" and row.step in SOURCE_NEEDED:
        return f"unknown: {SOURCE_NEEDED[row.step]} would show it"
    return f"{row.source}; order unknown" if row.order_unknown else row.source


def limit_status(result: LimitResult) -> str:
    return result.state.value.upper() if result.state is State.EXCEEDED else result.state.value


def limit_value(result: LimitResult) -> str:
    return "" if result.figure is None else figure_text(result)


def detection_limit_text(outage: Outage) -> str:
    """Beside an outage that was seen: what may have come besides."""
    return f"nothing else longer than {no_more_than(outage.detection_limit_us)}"
