"""Figures as text. Every form prints a figure by the same function of this module.

Durations are passed in milliseconds. Below a second they are printed in milliseconds. Otherwise they are printed in
seconds with two decimals, or three at an end of an interval. Lower ends are rounded down, upper ends up. None is
unknown.
"""

import math
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from switchover.verdict.record import Limit, Outage, OutageKind, Silence, Unit, Verdict

UNKNOWN = "unknown"
NOTHING = "-"
_EXACT = 1e-6
"""A bound of the difference between binary and decimal fractions."""


def duration(ms: float | None) -> str:
    """Return a duration, rounded to the nearest: `412 ms`, `4.03 s`."""
    if ms is None:
        return UNKNOWN
    return f"{math.floor(ms + 0.5):,} ms" if ms < 999.5 else f"{ms / 1000:,.2f} s"


def at_most(ms: float) -> str:
    """Return an upper bound, rounded up: `≤ 41 ms`, `≤ 1.24 s`."""
    return f"≤ {_whole_up(ms):,} ms" if ms <= 999 else f"≤ {math.ceil(ms / 10 - _EXACT) / 100:,.2f} s"


def at_least(ms: float) -> str:
    """Return a lower bound, rounded down: `≥ 41 ms`, `≥ 9.98 s`."""
    return f"≥ {_whole_down(ms):,} ms" if ms < 1000 else f"≥ {math.floor(ms / 10 + _EXACT) / 100:,.2f} s"


def interval(low: float, high: float) -> str:
    """Return an interval, rounded outwards: `4.013–4.029` for seconds, `0–41 ms`."""
    if high < 999.5:
        return f"{_whole_down(low):,}–{_whole_up(high):,} ms"
    return f"{_whole_down(low) / 1000:,.3f}–{_whole_up(high) / 1000:,.3f}"


def window(low: float | None, high: float | None) -> str:
    """Return a predicted window: `2.61–4.61 s`."""
    if low is None:
        return UNKNOWN
    if high is None:
        return at_least(low)
    if high < 999.5:
        return f"{low:,.0f}–{high:,.0f} ms" if high - low >= 1 else f"{high:,.0f} ms"
    return f"{low / 1000:,.2f}–{high / 1000:,.2f} s" if low else f"0–{high / 1000:,.2f} s"


def signed(ms: float | None) -> str:
    """Return a time after the fault: `+0.14 s`."""
    return UNKNOWN if ms is None else f"{ms / 1000:+,.3f} s"


def tolerance(ms: float | None) -> str:
    return "" if ms is None else f"±{duration(ms)}"


def latency(ms: float | None) -> str:
    """Return milliseconds with one decimal: `12.3`."""
    return NOTHING if ms is None else f"{ms:,.1f}"


def count(number: float | None) -> str:
    return NOTHING if number is None else f"{number:,.0f}"


def of_total(part: int, total: int) -> str:
    return f"{part:,} of {total:,}"


def percent(part: float, total: float) -> str:
    """Return a percentage: `0.3 %`. Small shares have no exponent: `0.000005 %`."""
    return f"{Decimal(f'{part / total * 100:.3g}'):f} %" if total else NOTHING


def upper_percent(share: float) -> str:
    """Return an upper bound of a share, rounded up: `1.0 %`, `91 %`."""
    tenths = math.ceil(share * 1000 - _EXACT)
    return f"{tenths / 10:.1f} %" if tenths < 100 else f"{math.ceil(tenths / 10)} %"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def utc(at_us: float | None) -> str:
    try:
        return "" if at_us is None else f"{datetime.fromtimestamp(at_us / 1e6, UTC):%Y-%m-%d %H:%M:%S.%f}"[:-3]
    except (OverflowError, ValueError, OSError):
        return UNKNOWN


def length(outage: Any) -> str:
    """Return the length of an outage: `4.03 s`, `≤ 41 ms` without an outage, `≥ 9.98 s` without a recovery."""
    if outage.kind == OutageKind.NONE:
        return at_most(outage.detection_limit_ms)
    return at_least(outage.low_ms) if outage.high_ms is None else duration(outage.high_ms)


def length_bounds(outage: Any) -> str:
    """Return the interval of the outage in `length`; empty if `length` already has it."""
    return "" if outage.kind == OutageKind.NONE or outage.high_ms is None else interval(outage.low_ms, outage.high_ms)


def outage_notes(outage: Outage) -> list[str]:
    """List additional facts about an outage, such as later gaps."""
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
    """Return the figure of a limit, and its interval: `("3.38 s", "3.376–3.383")`."""
    low, high = limit.low, limit.high
    if low is None:
        return "not measured", ""
    if limit.unit is Unit.MILLISECONDS:
        if high is None:
            return at_least(low), ""
        if low == high:
            return duration(high), ""
        return (at_most(high), "") if low == 0 else (duration(high), interval(low, high))
    written = count if limit.unit is Unit.REQUESTS else _share
    if high is None:
        return f"≥ {written(low)}", ""
    return written(high), "" if low == high else f"{written(low)}–{written(high)}"


def limit_text(limit: Limit) -> str:
    """Return a limit: `3.00 s`, `50 ms`, `1 %`, `20`; `usual` for an unknown limit."""
    value = limit.limit
    if value is None:
        return "usual"
    if limit.unit is Unit.MILLISECONDS:
        return f"{value:g} ms" if value < 1000 else f"{_trimmed(value / 1000)} s"
    return f"{value * 100:g} %" if limit.unit is Unit.SHARE else f"{value:,.0f}"


def split_brain(verdict: Verdict) -> tuple[str, str]:
    """Return the length of the split brain, and a note."""
    found = verdict.split_brain
    if found is None:
        return UNKNOWN, "no VIP ownership source on every balancer"
    if not found.overlaps:
        return (at_most(found.high_ms), "within the uncertainty of the clocks") if found.high_ms else ("none", "")
    return duration(
        verdict.split_brain_ms
    ), "by arrival of the lines: clocks unknown" if found.high_ms is None else ""


def accounting(verdict: Verdict) -> tuple[str, str]:
    """Return the result of the accounting of requests, with a note."""
    found = verdict.accounting
    if found is None:
        return UNKNOWN, "'switchover report' computes it"
    if found.unaccounted is None:
        if not found.dedicated:
            return UNKNOWN, "the target is not dedicated"
        return UNKNOWN, f"no counters from {', '.join(found.uncounted)}" if found.uncounted else "no counters"
    if found.unaccounted:
        return f"{counted(found.unaccounted, 'request')} unaccounted", ""
    return "all requests accounted for", ""


def silence(found: Silence) -> str:
    """Return a silence: `3.61 s (nothing failed; 12 requests in progress)`."""
    high = found.high_ms
    longest = f"{math.ceil((found.duration_ms if high is None else high) / 10 - _EXACT) / 100:,.2f} s"
    return f"{longest} ({_held(found)})"


def proven(found: Silence) -> str:
    """Return the outage that a log proves: `3.43 s (3.412–3.421) from … UTC; 2 failed: refused 2; …`."""
    at = f"from {utc(found.from_us)} UTC; {_held(found)}"
    if found.high_ms is None:
        return f"{at_least(found.low_ms)}, to the end of the log, {at}"
    seconds = math.ceil(found.high_ms / 10 - _EXACT) / 100
    low, high = _whole_down(found.low_ms) / 1000, _whole_up(found.high_ms) / 1000
    return f"{seconds:,.2f} s ({low:,.3f}–{high:,.3f}) {at}"


def kinds(by_kind: dict[str, int], most: int = 4) -> str:
    ranked = sorted(by_kind.items(), key=lambda one: -one[1])
    return ", ".join(f"{kind} {number:,}" for kind, number in ranked[:most])


def _held(found: Silence) -> str:
    failed = f"{found.failed:,} failed: {kinds(found.by_kind, 9)}" if found.failed else "nothing failed"
    return f"{failed}; {counted(found.in_progress, 'request')} in progress"


def _share(value: float) -> str:
    return f"{Decimal(f'{value * 100:.3g}'):f} %"


def _trimmed(seconds: float) -> str:
    """Return seconds with at least two decimals and at most three."""
    text = f"{seconds:,.3f}"
    return text.removesuffix("0")


def _whole_up(ms: float) -> int:
    return math.ceil(ms - _EXACT)


def _whole_down(ms: float) -> int:
    return math.floor(ms + _EXACT)
