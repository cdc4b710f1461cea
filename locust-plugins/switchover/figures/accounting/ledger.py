"""The two-sided ledger that accounting fills: what the client counted, what a source counted, and why not."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from switchover.verdict.record import Accounting, Line


def make_line(
    name: str,
    client: int,
    source: int,
    said_by: str,
    *,
    node: str = "",
    generation: str = "",
    explained_by: Mapping[str, int] = MappingProxyType({}),
    unaccounted: int,
) -> Line:
    """Compare two counts of the same thing. `said_by`: the source of the second count."""
    return Line(
        name=name,
        node=node or None,
        generation=generation or None,
        client=client,
        source=source,
        said_by=said_by,
        difference=client - source,
        explained_by=dict(explained_by),
        unaccounted=unaccounted,
    )


def add_up(dedicated: bool, lines: Sequence[Line] = (), uncounted: Sequence[str] = ()) -> Accounting:
    """Add up all comparisons of a run.

    `uncounted`: balancers whose counters were not read from before the load on, and backends whose log no request
    names.

    `unaccounted` is None if other traffic makes equality meaningless, if no balancer and no backend was asked, or if
    one of them did not answer.
    """
    is_known = dedicated and any(line.node for line in lines) and not uncounted
    return Accounting(
        dedicated=dedicated,
        equal=sum(line.difference == 0 and line.unaccounted == 0 for line in lines),
        explained=sum(sum(line.explained_by.values()) for line in lines),
        unaccounted=sum(line.unaccounted for line in lines) if is_known else None,
        uncounted=list(uncounted),
        lines=list(lines),
    )


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
    return make_line(
        name,
        client,
        source,
        said_by,
        node=node,
        generation=generation,
        explained_by=explained,
        unaccounted=abs(missing) - sum(explained.values()),
    )
