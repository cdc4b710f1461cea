"""Runs side by side: every figure of each, and what of the differences is more than chance or a bound can make."""

from collections.abc import Sequence

from switchover.analysis.compare_events import events
from switchover.analysis.compare_requests import requests
from switchover.analysis.comparison import Figure, Side


def compare(sides: Sequence[Side]) -> list[Figure]:
    """Every figure that at least two sides have, against the first."""
    figures = [*events(sides), *requests(sides, "probes", "probes"), *requests(sides, "load", "samples")]
    return [figure for figure in figures if sum(value.value is not None for value in figure.values) > 1]
