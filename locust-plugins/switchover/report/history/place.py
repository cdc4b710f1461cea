"""Where a run lies among its past, as lines and as data."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from switchover.analysis.history.entry import Entry
from switchover.analysis.history.usual import PlaceInPast
from switchover.report.history.text import NOTHING, counted, length_shown

SCHEMA = 1


def places_lines(entry: Entry, places: Sequence[PlaceInPast]) -> Iterator[str]:
    yield f"{entry.run}: {entry.what or 'no fault'} of {entry.target or NOTHING}, {entry.status}"
    for place in places:
        yield f"{place.name}: {length_shown(place.length)}"
        if place.earlier_ms:
            runs = counted(len(place.earlier_ms), "earlier run")
            ends = f"{place.earlier_ms[0]:,.0f} to {place.earlier_ms[-1]:,.0f} ms"
            median = f"median {statistics.median(place.earlier_ms):,.0f} ms"
            yield f"  longer than {place.shorter:,} of {runs} ({ends}, {median})"
        known = "" if place.usual.limit_ms is None else f"up to {place.usual.limit_ms:,.0f} ms; "
        yield f"  {known}{place.usual.why}"
    if not places:
        yield "it has neither an outage nor a failback to hold against others"


def places_json(entry: Entry, places: Sequence[PlaceInPast]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "run": entry.run,
        "target": entry.target,
        "fault": entry.what,
        "verdict": entry.status,
        "figures": [
            {
                "name": place.name.value,
                "length": asdict(place.length),
                "earlier": len(place.earlier_ms),
                "shorter": place.shorter,
                "shortest_ms": place.earlier_ms[0] if place.earlier_ms else None,
                "longest_ms": place.earlier_ms[-1] if place.earlier_ms else None,
                "usual_ms": place.usual.limit_ms,
                "decides": place.usual.decides,
                "why": place.usual.why,
            }
            for place in places
        ],
    }
