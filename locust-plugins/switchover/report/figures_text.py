"""Format figures as text, in the same way for each form of a report. Functions take durations in milliseconds.
Durations below a second are printed in milliseconds, longer durations in seconds with two decimals. The ends of
intervals in seconds have three decimals. Lower ends are rounded down, and upper ends are rounded up."""

import math
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from switchover.verdict.record import Limit, Outage, OutageKind, Silence, Unit, Verdict

UNKNOWN = "unknown"
NOTHING = "-"
_EXACT = 1e-6
"""The largest floating-point error of a duration, in milliseconds."""


def duration(ms: float | None) -> str:
    """Format a duration, rounded to the nearest unit, for example `412 ms` or `4.03 s`."""
    if ms is None:
        return UNKNOWN
    return f"{math.floor(ms + 0.5):,} ms" if ms < 999.5 else f"{ms / 1000:,.2f} s"


def at_most(ms: float) -> str:
    """Format an upper bound, rounded up, for example `≤ 41 ms` or `≤ 1.24 s`."""
    return f"≤ {_whole_up(ms):,} ms" if ms <= 999 else f"≤ {_seconds_up(ms)}"


def at_least(ms: float) -> str:
    """Format a lower bound, rounded down, for example `≥ 41 ms` or `≥ 9.98 s`."""
    return f"≥ {_whole_down(ms):,} ms" if ms < 1000 else f"≥ {math.floor(ms / 10 + _EXACT) / 100:,.2f} s"


def interval(low: float, high: float) -> str:
    """Format an interval, rounded outwards, for example `4.013–4.029` (seconds) or `0–41 ms`."""
    if high < 999.5:
        return f"{_whole_down(low):,}–{_whole_up(high):,} ms"
    return f"{_whole_down(low) / 1000:,.3f}–{_whole_up(high) / 1000:,.3f}"


def window(low: float | None, high: float | None) -> str:
    if low is None:
        return UNKNOWN
    if high is None:
        return at_least(low)
    if high < 999.5:
        return f"{low:,.0f}–{high:,.0f} ms" if high - low >= 1 else f"{high:,.0f} ms"
    return f"{low / 1000:,.2f}–{high / 1000:,.2f} s" if low else f"0–{high / 1000:,.2f} s"


def signed(ms: float | None) -> str:
    return UNKNOWN if ms is None else f"{ms / 1000:+,.3f} s"


def tolerance(ms: float | None) -> str:
    return "" if ms is None else f"±{duration(ms)}"


def latency(ms: float | None) -> str:
    return NOTHING if ms is None else f"{ms:,.1f}"


def count(number: float | None) -> str:
    return NOTHING if number is None else f"{number:,.0f}"


def of_total(part: int, total: int) -> str:
    return f"{part:,} of {total:,}"


def percent(part: float, total: float) -> str:
    """Format a percentage without an exponent, for example `0.3 %` or `0.000005 %`."""
    return f"{Decimal(f'{part / total * 100:.3g}'):f} %" if total else NOTHING


def upper_percent(share: float) -> str:
    """Format an upper bound of a share, rounded up, for example `1.0 %` or `91 %`."""
    tenths = math.ceil(share * 1000 - _EXACT)
    return f"{tenths / 10:.1f} %" if tenths < 100 else f"{math.ceil(tenths / 10)} %"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def utc(at_us: float | None) -> str:
    return "" if at_us is None else f"{datetime.fromtimestamp(at_us / 1e6, UTC):%Y-%m-%d %H:%M:%S.%f}"[:-3]


def length(outage: Any) -> str:
    """Format the length of an outage, for example `4.03 s`, `≤ 41 ms` (none) or `≥ 9.98 s` (not recovered)."""
    if outage.kind == OutageKind.NONE:
        return at_most(outage.detection_limit_ms)
    return at_least(outage.low_ms) if outage.high_ms is None else duration(outage.high_ms)


def length_bounds(outage: Any) -> str:
    """Format the interval of an outage; empty if the text of `length` is already a bound."""
    return "" if outage.kind == OutageKind.NONE or outage.high_ms is None else interval(outage.low_ms, outage.high_ms)


def outage_notes(outage: Outage) -> list[str]:
    notes = []
    if outage.kind == OutageKind.NONE:
        notes.append("none seen")
    if outage.kind is OutageKind.PARTIAL:
        notes.append("partial: some requests were answered")
    if not outage.recovered:
        notes.append("not recovered")
    if outage.gap_count > 1:
        notes.append(f"{outage.gap_count:,} gaps")
    if outage.later_gap_count:
        notes.append(counted(outage.later_gap_count, "later gap"))
    return notes


def limit_figure(limit: Limit) -> tuple[str, str]:
    """Format the figure of a limit and the interval of the figure, for example `("3.38 s", "3.376–3.383")`."""
    low, high = limit.low, limit.high
    if low is None:
        return "not measured", ""
    if limit.unit is Unit.MILLISECONDS:
        if high is None:
            return at_least(low), ""
        if low == high:
            return duration(high), ""
        return (at_most(high), "") if low == 0 else (duration(high), interval(low, high))
    form = count if limit.unit is Unit.REQUESTS else _share
    if high is None:
        return f"≥ {form(low)}", ""
    return form(high), "" if low == high else f"{form(low)}–{form(high)}"


def limit_text(limit: Limit) -> str:
    """Format a limit, for example `3.00 s`, `50 ms`, `1 %` or `20`; `usual` if the number is not known yet."""
    value = limit.limit
    if value is None:
        return "usual"
    if limit.unit is Unit.MILLISECONDS:
        return f"{value:g} ms" if value < 1000 else f"{_trimmed(value / 1000)} s"
    return f"{value * 100:g} %" if limit.unit is Unit.SHARE else f"{value:,.0f}"


def split_brain(verdict: Verdict) -> tuple[str, str]:
    figure = verdict.split_brain
    if figure is None:
        return UNKNOWN, "not every balancer has a VIP ownership source"
    if not figure.overlaps:
        return (at_most(figure.high_ms), "within the uncertainty of the clocks") if figure.high_ms else ("none", "")
    note = "by the arrival of the lines, because the clocks are unknown" if figure.high_ms is None else ""
    return duration(verdict.split_brain_ms), note


def accounting(verdict: Verdict) -> tuple[str, str]:
    figure = verdict.accounting
    if figure is None:
        return UNKNOWN, "'switchover report' compares the counts"
    if figure.unaccounted is None:
        if not figure.dedicated:
            return UNKNOWN, "the target is not dedicated"
        return UNKNOWN, f"no counters from {', '.join(figure.uncounted)}" if figure.uncounted else "no counters"
    if figure.unaccounted:
        return f"{counted(figure.unaccounted, 'request')} unaccounted", ""
    return "all requests accounted for", ""


def silence(gap: Silence) -> str:
    """Format a time without a response, for example `3.61 s (nothing failed; 12 requests in progress)`."""
    return f"{_seconds_up(gap.duration_ms if gap.high_ms is None else gap.high_ms)} ({_requests_in(gap)})"


def proven(gap: Silence) -> str:
    """Format the outage that a log proves, for example `3.42 s (3.412–3.421) from … UTC; 2 failed: refused 2; …`."""
    at = f"from {utc(gap.from_us)} UTC; {_requests_in(gap)}"
    if gap.high_ms is None:
        return f"{at_least(gap.low_ms)}, to the end of the log, {at}"
    return f"{duration(gap.high_ms)} ({interval(gap.low_ms, gap.high_ms)}) {at}"


def kinds(by_kind: dict[str, int], most: int = 4) -> str:
    ranked = sorted(by_kind.items(), key=lambda item: -item[1])
    return ", ".join(f"{kind} {number:,}" for kind, number in ranked[:most])


def _requests_in(gap: Silence) -> str:
    failed = f"{gap.failed:,} failed: {kinds(gap.by_kind, 9)}" if gap.failed else "nothing failed"
    return f"{failed}; {counted(gap.in_progress, 'request')} in progress"


def _seconds_up(ms: float) -> str:
    return f"{math.ceil(ms / 10 - _EXACT) / 100:,.2f} s"


def _share(value: float) -> str:
    return f"{Decimal(f'{value * 100:.3g}'):f} %"


def _trimmed(seconds: float) -> str:
    return f"{seconds:,.3f}".removesuffix("0")


def _whole_up(ms: float) -> int:
    return math.ceil(ms - _EXACT)


def _whole_down(ms: float) -> int:
    return math.floor(ms + _EXACT)
