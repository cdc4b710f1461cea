"""The two-sided ledger that accounting fills: what the client counted, what a source counted, and why not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Line:
    """One comparison of two counts of the same thing."""

    name: str
    client: int
    source: int
    said_by: str
    """Who the source is."""
    node: str = ""
    generation: str = ""
    explained_by: Mapping[str, int] = field(default_factory=dict)
    """Requests of the difference by the fact that accounts for them."""
    unaccounted: int = 0

    @property
    def difference(self) -> int:
        return self.client - self.source

    @property
    def explained(self) -> int:
        return sum(self.explained_by.values())


@dataclass(frozen=True, slots=True)
class Accounting:
    """All comparisons of a run."""

    dedicated: bool
    lines: tuple[Line, ...] = ()
    uncounted: tuple[str, ...] = ()
    """Balancers whose counters were not read from before the load on, and backends whose log no request names."""

    @property
    def observed(self) -> bool:
        """Somebody other than the client's own schedule had a say."""
        return any(line.node for line in self.lines)

    @property
    def equal(self) -> int:
        """Comparisons without any difference."""
        return sum(line.difference == 0 and line.unaccounted == 0 for line in self.lines)

    @property
    def explained(self) -> int:
        """Requests of differences that are accounted for."""
        return sum(line.explained for line in self.lines)

    @property
    def unaccounted(self) -> int | None:
        """Requests that no named fact explains. None where foreign traffic makes equality meaningless, where no
        balancer and no backend was asked, or where one that was to be asked did not answer."""
        if not self.dedicated or not self.observed or self.uncounted:
            return None
        return sum(line.unaccounted for line in self.lines)


class Pool:
    """Requests that may account for a surplus of a source, each of them once."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self._left = dict(sizes)

    def take(self, wanted: int) -> dict[str, int]:
        """Up to `wanted`, in the order in which the reasons were named."""
        taken: dict[str, int] = {}
        for reason, size in self._left.items():
            part = min(size, wanted - sum(taken.values()))
            if part > 0:
                taken[reason] = part
                self._left[reason] -= part
        return taken


def compare(
    name: str,
    client: int,
    source: int,
    said_by: str,
    *,
    node: str,
    generation: str = "",
    surplus: Sequence[Pool] = (),
    deficit: Sequence[Pool] = (),
) -> Line:
    """One line: what the source has more is looked for in the `surplus` pools, what it lacks in `deficit`."""
    missing = client - source
    explained: dict[str, int] = {}
    for pool in deficit if missing > 0 else surplus:
        for reason, size in pool.take(abs(missing) - sum(explained.values())).items():
            explained[reason] = explained.get(reason, 0) + size
    return Line(
        name=name,
        client=client,
        source=source,
        said_by=said_by,
        node=node,
        generation=generation,
        explained_by=explained,
        unaccounted=abs(missing) - sum(explained.values()),
    )
