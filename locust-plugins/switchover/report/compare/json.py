"""Runs side by side as data; docs/history.md says what its fields are."""

from collections.abc import Sequence
from typing import Any

from switchover.analysis.compare.bootstrap import LEVEL
from switchover.analysis.compare.comparison import Differing, Figure, Side

SCHEMA = 1
_DIGITS = 9


def to_json(sides: Sequence[Side], setting: Sequence[Differing], figures: Sequence[Figure]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "confidence": LEVEL,
        "sides": [
            {
                "name": side.name,
                "runs": [verdict.run.id for verdict in side.verdicts],
                "valid": not side.reasons,
                "reasons": side.reasons,
            }
            for side in sides
        ],
        "setting": [{"name": one.name, "values": list(one.values)} for one in setting],
        "figures": [_figure(figure) for figure in figures],
    }


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "name": figure.name,
        "phase": figure.phase or None,
        "unit": figure.unit.value,
        "values": [
            {"value": _rounded(value.value), "low": _rounded(value.low), "high": _rounded(value.high)}
            for value in figure.values
        ],
        "differences": [
            {
                "value": _rounded(one.value),
                "low": _rounded(one.interval.low if one.interval else None),
                "high": _rounded(one.interval.high if one.interval else None),
                "finding": one.finding.name.lower(),
                "note": one.note,
            }
            for one in figure.differences
        ],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
