"""What scraped counters say of a change window: lines and data."""

from typing import Any

from switchover.analysis.counter_window import CountedWindow
from switchover.analysis.logs.dates import utc
from switchover.report.history.text import counted
from switchover.report.text import no_less_than, no_more_than

SCHEMA = 1


def lines(found: CountedWindow) -> list[str]:
    """For a screen of any width."""
    scraped = f"{counted(len(found.nodes), 'node')}, scraped every {found.scrape_us / 1e6:.1f} s"
    failed = ", ".join(f"{code} {number:,}" for code, number in found.failed.items())
    return [
        f"window {utc(found.span.from_us)} to {utc(found.span.to_us)} UTC, by HAProxy's counters of {scraped}",
        f"without a good answer  {_outage(found)}",
        f"good answers           {found.good:,}",
        f"failed                 {sum(found.failed.values()):,}" + (f": {failed}" if failed else ""),
    ]


def _outage(found: CountedWindow) -> str:
    low_us, high_us = found.outage.low, found.outage.high
    place = f"after {utc(found.within.from_us)} UTC"
    least = f"at least {no_less_than(low_us)}" if low_us else ""
    if high_us is None and found.within.to_us < found.span.to_us:
        begun = "from before the counters begin"
        return f"{', '.join(filter(None, [least, begun]))}, until {utc(found.within.to_us)} UTC at the latest"
    if high_us is None:
        return f"{least or 'perhaps'} up to the end of the window, {place}"
    most = f"at most {no_more_than(high_us)}"
    text = f"{least}, {most}, {place}" if least else f"{most}, {place}"
    return f"{text}; these counters never tell less than {no_less_than(found.usual_us)}"


def to_json(found: CountedWindow) -> dict[str, Any]:
    high_us = found.outage.high
    return {
        "schema": SCHEMA,
        "from_us": found.span.from_us,
        "to_us": found.span.to_us,
        "nodes": list(found.nodes),
        "scrape_ms": found.scrape_us / 1000,
        "outage": {
            "low_ms": found.outage.low / 1000,
            "high_ms": None if high_us is None else high_us / 1000,
            "from_us": found.within.from_us,
            "to_us": found.within.to_us,
            "usual_ms": found.usual_us / 1000,
        },
        "good": found.good,
        "failed": dict(found.failed),
    }
