"""One colour for each backend and balancer, the same on the whole page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

BACKENDS, BALANCERS = 8, 4
"""As many colours as people tell apart, those who cannot see red or green included; then they are grey."""


@dataclass(frozen=True, slots=True)
class Colours:
    """Classes of the style sheet by name."""

    backends: Mapping[str, str]
    balancers: Mapping[str, str]


def colours_of(backends: Iterable[str], balancers: Iterable[str]) -> Colours:
    return Colours(_assigned(backends, "web", BACKENDS), _assigned(balancers, "lb", BALANCERS))


def _assigned(names: Iterable[str], prefix: str, most: int) -> dict[str, str]:
    named = sorted({name for name in names if name})
    return {name: f"{prefix}-{place}" if place < most else "grey" for place, name in enumerate(named)}
