"""Figures as text, with whole-number arithmetic, so that every implementation prints the same digits."""

from switchover.analysis.outage import Outage, OutageKind


def milliseconds(microseconds: int) -> str:
    """`3,412 ms`: whole milliseconds, halves upwards."""
    return f"{(microseconds + 500) // 1000:,} ms"


def bound(early_us: int) -> str:
    """`(-2/+0)` with a real minus sign: what the figure may be too long by, in milliseconds rounded up."""
    early_ms = -(-early_us // 1000)
    return f"(−{early_ms:,}/+0)" if early_ms else "(−0/+0)"  # noqa: RUF001


def outage_text(outage: Outage) -> str:
    """An outage in one phrase."""
    if outage.kind is OutageKind.NONE:
        interval = "" if outage.interval_us is None else f" ({outage.interval_us / 1000:g} ms)"
        return f"none: less than one probe interval{interval}"
    length = f"{milliseconds(outage.duration_us)} {bound(outage.early_us)}"
    if outage.censored:
        surely_ms = (outage.duration_us - outage.early_us) // 1000  # a lower bound is not rounded up
        length = f"at least {surely_ms:,} ms, not recovered"
    return f"{length}, partial impairment" if outage.kind is OutageKind.PARTIAL else length


def window(low_ms: float | None, high_ms: float | None) -> str:
    """What theory says: `2,609 to 3,609 ms`."""
    if low_ms is None:
        return "unknown"
    if high_ms is None:
        return f"at least {low_ms:,.0f} ms"
    return f"{low_ms:,.0f} to {high_ms:,.0f} ms"


def share(part: int, total: int) -> str:
    """`12 of 4,000 (0.3 %)`"""
    return f"{part:,} of {total:,} ({part / total * 100:.3g} %)" if total else "no requests"
