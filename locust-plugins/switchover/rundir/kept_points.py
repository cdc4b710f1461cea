"""Points that are kept by the million, as a report keeps those of a journal of hours.

`parse_point` gives the points of a series the same measurement and tags; here the names of their fields, and texts,
are there once, too. A point of HAProxy's statistics takes 0.7 KB so, in place of 1.7.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from switchover.rundir.points import FieldValue, Point

_SERIES = 16384
"""As many as are remembered: what comes beyond is kept twice."""


class _KeptFields(Mapping[str, FieldValue]):
    """Its values, at the places of its names."""

    __slots__ = ("_places", "_values")

    def __init__(self, fields: Mapping[str, FieldValue]) -> None:
        self._places = _places_of(tuple(fields))
        self._values = tuple([_text(value) if isinstance(value, str) else value for value in fields.values()])

    def __getitem__(self, name: str) -> FieldValue:
        return self._values[self._places[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def keep(point: Point) -> Point:
    """The same point."""
    return Point(point.measurement, point.tags, _KeptFields(point.fields), point.time_ns)


@lru_cache(_SERIES)
def tag_set(items: tuple[tuple[str, str], ...]) -> frozenset[tuple[str, str]]:
    """The same for the same tags in another order."""
    return frozenset(items)


@lru_cache(_SERIES)
def _places_of(names: tuple[str, ...]) -> Mapping[str, int]:
    return {name: place for place, name in enumerate(names)}


@lru_cache(_SERIES)
def _text(text: str) -> str:
    return text
