"""The headers of an answer: read-only, matched without case, in the server's order.

Equal answers share one `Headers`. So it cannot be changed, and is equal only to itself: results can be cached by it.
"""

from collections.abc import ItemsView, Iterable, Iterator, Mapping

Fields = tuple[tuple[bytes, bytes], ...]
"""Header lines as they came."""


class Headers(Mapping[str, str]):
    """A header that came more than once is joined with commas; `get_all` has its lines apart."""

    __slots__ = ("_by_name", "_lines", "_shown")

    def __init__(self, fields: Fields = ()) -> None:
        self._lines = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in fields]
        self._by_name: dict[str, str] = {}
        names: dict[str, str] = {}
        for name, value in self._lines:
            lowered = name.lower()
            names.setdefault(lowered, name)
            known = self._by_name.get(lowered)
            self._by_name[lowered] = value if known is None else f"{known}, {value}"
        self._shown = {name: self._by_name[lowered] for lowered, name in names.items()}

    def __getitem__(self, name: str) -> str:
        return self._by_name[name.lower()]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"Headers({self._shown!r})"

    def items(self) -> ItemsView[str, str]:
        return self._shown.items()

    def get_all(self, name: str, otherwise: Iterable[str] = ()) -> list[str]:
        """The values of all lines with that name."""
        lowered = name.lower()
        return [value for known, value in self._lines if known.lower() == lowered] or list(otherwise)
