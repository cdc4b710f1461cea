"""Runs side by side: every figure of each, and what of the differences is more than chance or a bound can make."""

from collections.abc import Sequence

from switchover.analysis.compare.comparison import Figure, Side
from switchover.analysis.compare.events import events
from switchover.analysis.compare.requests import requests


def compare(sides: Sequence[Side]) -> list[Figure]:
    """Every figure that at least two sides have, against the first."""
    figures = [*events(sides), *requests(sides, "probes", "probes"), *requests(sides, "load", "samples")]
    return [figure for figure in figures if sum(value.value is not None for value in figure.values) > 1]
