"""Figures as text, with whole-number arithmetic, so that every implementation prints the same digits."""

from switchover.analysis.outage import Outage, OutageKind


def milliseconds(microseconds: int) -> str:
    """`3,412 ms`: whole milliseconds, halves upwards."""
    return f"{(microseconds + 500) // 1000:,} ms"


def bound(outage: Outage) -> str:
    """What the figure may be too long by: milliseconds rounded up, but no more than the figure itself."""
    early_ms = min(-(-outage.early_us // 1000), (outage.duration_us + 500) // 1000)
    return f"(−{early_ms:,}/+0)"  # noqa: RUF001


def outage_text(outage: Outage) -> str:
    """An outage in one phrase."""
    if outage.kind is OutageKind.NONE:
        return "none: less than one interval"
    length = f"{milliseconds(outage.duration_us)} {bound(outage)}"
    if outage.censored:
        surely_ms = (outage.duration_us - outage.early_us) // 1000  # a lower bound is not rounded up
        length = f"at least {surely_ms:,} ms, not recovered"
    if outage.kind is OutageKind.PARTIAL:
        length = f"{length}, partial"
    return length if outage.recovered or outage.censored else f"{length}, not recovered"


def window(low_ms: float | None, high_ms: float | None) -> str:
    """What theory says: `2,609 to 3,609 ms`."""
    if low_ms is None:
        return "unknown"
    if high_ms is None:
        return f"at least {low_ms:,.0f} ms"
    return f"{low_ms:,.0f} to {high_ms:,.0f} ms"


def share(part: int, total: int) -> str:
    """`12 of 4,000 (0.3 %)`"""
    return f"{part:,} of {total:,} ({part / total * 100:.3g} %)" if total else "none was sent"


def shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
