"""The part of the verdict that the page shows, bounded in size for every run."""

from collections.abc import Mapping
from typing import Any

from msgspec import convert

from switchover.report.figures_text import limit_figure, limit_text
from switchover.verdict.record import Limit

LINES_LIMIT = 60
LISTED = 20
NAMES_LIMIT = 8
TEXT_LIMIT = 300
_OUTAGE = (
    *("kind", "low_ms", "high_ms", "detection_limit_ms", "censored", "recovered", "loss_derived_ms", "impaired"),
    *("gap_count", "later_gap_count"),
)
_PLAIN = ("verdict", "exit_code", "valid", "split_brain_ms", "prediction", "generator")
_COUNTS = ("total", "failed", "late")


def excerpt_verdict(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """`verdict.json` as far as the page needs it; what is missing in it is null."""
    lines = _mapping(verdict.get("accounting")).get("lines") or []
    # What does not agree comes first: it needs a look.
    ranked = sorted(lines, key=lambda line: (-int(line.get("unaccounted") or 0), -int(line.get("difference") != 0)))
    return {
        **{name: verdict.get(name) for name in _PLAIN},
        "split_brain_high_ms": _mapping(verdict.get("split_brain")).get("high_ms"),
        "reasons": [{"text": text} for text in _texts([one.get("text") for one in verdict.get("reasons") or []])],
        "warnings": _texts(verdict.get("warnings")),
        **{name: _outage(verdict.get(name)) for name in ("outage", "failback")},
        **{name: _population(verdict.get(name)) for name in ("probes", "samples")},
        "limits": list(map(_limit, list(verdict.get("limits") or [])[:LISTED])),
        "timeline": list(verdict.get("timeline") or [])[:LISTED],
        "shares": {
            phase: {what: _shares(kinds.get(what)) for what in ("balancers", "backends")}
            for phase, kinds in _mapping(_mapping(verdict.get("distribution")).get("by_phase")).items()
        },
        "accounting": {
            **{
                name: _mapping(verdict.get("accounting")).get(name)
                for name in ("dedicated", "equal", "explained", "unaccounted")
            },
            "lines": ranked[:LINES_LIMIT],
            "line_count": len(lines),
        },
    }


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _texts(values: Any) -> list[str]:
    return [str(value)[:TEXT_LIMIT] for value in list(values or [])[:LISTED]]


def _limit(limit: Any) -> dict[str, str]:
    """With its limit and its figure as texts."""
    read = convert(limit, Limit)
    value, bounds = limit_figure(read)
    return {
        "name": read.name,
        "state": read.state,
        "note": read.note,
        "limit": limit_text(read),
        "figure": "" if read.low is None else f"{value} ({bounds})" if bounds else value,
    }


def _shares(counted: Any) -> dict[str, Any]:
    """Of the first names, which is all of them in most runs."""
    return {name: found.get("share") for name, found in list(_mapping(counted).items())[:NAMES_LIMIT]}


def _outage(outage: Any) -> dict[str, Any] | None:
    return {name: outage.get(name) for name in _OUTAGE} if isinstance(outage, Mapping) else None


def _population(population: Any) -> dict[str, Any] | None:
    if not isinstance(population, Mapping):
        return None
    return {
        **{name: population.get(name) for name in _COUNTS},
        "by_kind": _mapping(population.get("by_kind")),
        "by_phase": {
            phase: {**{name: counts.get(name) for name in _COUNTS}, "by_kind": _mapping(counts.get("by_kind"))}
            for phase, counts in _mapping(population.get("by_phase")).items()
        },
    }
