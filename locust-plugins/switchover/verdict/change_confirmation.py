"""Effect of changes, by sources that their own commands have nothing to do with."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from switchover.evidence.held_rows import HeldRows
from switchover.evidence.node_life import NodeLife
from switchover.evidence.ownership import MASTER, Ownership
from switchover.rundir.measurements import ADVERT, CERTIFICATE_EVENT, EVENT
from switchover.rundir.points import Point
from switchover.rundir.run_directory import ChangeRun, FaultRun
from switchover.telemetry.balancers import BalancerState

LOOKED_AT_US = 2_000_000
"""A scrape comes each second, and the first may have been under way."""


class ChangeSource(StrEnum):
    GENERATION = "generation"
    """Scrapes: another process answers."""
    WORKER = "worker"
    """The held connections's answers: another process of the balancer than before."""
    FRONTEND = "frontend"
    SERVER = "server"
    WEIGHT = "weight"
    """Scrapes: another status of a frontend, of a server, another weight."""
    OWNER = "owner"
    """The address moved."""
    PRIORITY = "priority"
    """Adverts on the wire: a node announces another VRRP priority than before."""
    CERTIFICATE = "certificate"
    """Fresh probes: they are shown another certificate than before."""


@dataclass(frozen=True, slots=True)
class SeenChange:
    """What the sources of one change say: True it took effect, False it did not, None they could not tell."""

    change: ChangeRun
    by: Mapping[ChangeSource, bool | None]

    @property
    def seen(self) -> bool | None:
        if any(self.by.values()):
            return True
        return False if any(says is False for says in self.by.values()) else None


def look_at_changes(
    made: Sequence[ChangeRun],
    described: FaultRun,
    lives: Mapping[str, NodeLife],
    ownership: Ownership,
    rows: HeldRows | None,
    end_us: int,
    points: Iterable[Point] = (),
) -> list[SeenChange]:
    """Each change until the next one begins. One without named sources may be seen by any, and denied by none; one
    that the end of the run cut short is not denied either."""
    points = list(points)
    workers, priorities = _workers(rows) if rows else [], _priorities(points)
    certificates = _certificates(points)
    named = [ChangeSource(name) for name in described.sources if name in set(ChangeSource)]
    found = []
    for place, change in enumerate(made):
        following = made[place + 1].from_us if place + 1 < len(made) else end_us
        earlier = made[place - 1].from_us if place else 0
        look = _Look(
            change=change,
            earlier_us=earlier or 0,
            until_us=following or end_us,
            master=described.master,
            lives=lives,
            ownership=ownership,
            workers=workers,
            priorities=priorities,
            certificates=certificates,
            undone_us=(made[place - 1].undo_from_us if place else None) or earlier or 0,
        )
        by = {kind: look.by(kind) for kind in named or ChangeSource}
        is_cut = place + 1 == len(made) and end_us - (change.from_us or 0) < LOOKED_AT_US
        if not named or is_cut:
            by = {kind: says or None for kind, says in by.items()}
        found.append(SeenChange(change, by))
    return found


def _workers(rows: HeldRows) -> list[tuple[int, int, str]]:
    """When each connection was told first, and last, which process it is on. It may have been opened long before: a
    new process takes over connections that waited for the old one."""
    found = rows.rows(
        "SELECT min(start_us + latency_us), max(end_us), balancer || ' ' || worker FROM {requests} "
        "WHERE worker <> '' AND code <> '' GROUP BY thread, balancer, worker ORDER BY 1"
    )
    return [(int(begin), int(end), worker) for begin, end, worker in found]


def _priorities(points: Iterable[Point]) -> dict[str, list[tuple[int, int]]]:
    """In the order of time; a master that resigns announces 0, which is none."""
    found: dict[str, list[tuple[int, int]]] = {}
    for point in points:
        priority = point.fields.get("priority")
        if point.measurement == ADVERT and isinstance(priority, int) and priority:
            found.setdefault(point.tags.get("node", ""), []).append((point.time_ns // 1000, priority))
    return found


def _certificates(points: Iterable[Point]) -> list[tuple[int, str]]:
    """When new connections were shown which one, where it was another than before."""
    return [
        (point.time_ns // 1000, point.tags.get("id", ""))
        for point in points
        if point.measurement == EVENT and point.tags.get("kind") == CERTIFICATE_EVENT
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """One change, and what is known of the time around it."""

    change: ChangeRun
    earlier_us: int
    until_us: int
    master: str | None
    lives: Mapping[str, NodeLife]
    ownership: Ownership
    workers: Sequence[tuple[int, int, str]]
    priorities: Mapping[str, Sequence[tuple[int, int]]]
    """Announced priorities with their times, by node."""
    certificates: Sequence[tuple[int, str]]
    undone_us: int
    """When the change before began to be taken back."""

    @property
    def from_us(self) -> int:
        return self.change.from_us or 0

    def by(self, kind: ChangeSource) -> bool | None:
        match kind:
            case ChangeSource.GENERATION:
                return _any(self._generations())
            case ChangeSource.WORKER:
                return self._other_worker()
            case ChangeSource.FRONTEND | ChangeSource.SERVER | ChangeSource.WEIGHT:
                return _any(self._statuses(kind))
            case ChangeSource.OWNER:
                return self._moved()
            case ChangeSource.PRIORITY:
                return _any(self._other_priorities())
            case ChangeSource.CERTIFICATE:
                return self._other_certificate()

    def _generations(self) -> Iterator[bool]:
        for life in self.lives.values():
            before, after = life.last_before(self.from_us), life.between(self.from_us, self.until_us)
            if before is not None and after:
                yield any(state.generation != before.generation for state in after)

    def _statuses(self, kind: ChangeSource) -> Iterator[bool]:
        for life in self.lives.values():
            before, after = life.last_before(self.from_us), life.between(self.from_us, self.until_us)
            if before is None or not after:
                continue
            known = _of_kind(before, kind)
            if known:
                yield any(
                    _of_kind(state, kind).get(name, value) != value
                    for state in after
                    for name, value in known.items()
                )

    def _other_worker(self) -> bool | None:
        """A connection was told since that it is on a process that none was on before."""
        before = {worker for begin, _, worker in self.workers if self.earlier_us <= begin < self.from_us}
        before |= {worker for begin, end, worker in self.workers if begin < self.from_us <= end}
        since = [worker for begin, _, worker in self.workers if self.from_us < begin < self.until_us]
        if not before or not since:
            return None
        return any(worker not in before for worker in since)

    def _other_priorities(self) -> Iterator[bool]:
        for announced in self.priorities.values():
            before = [priority for at_us, priority in announced if at_us < self.from_us]
            since = [priority for at_us, priority in announced if self.from_us <= at_us < self.until_us]
            if before and since:
                yield any(priority != before[-1] for priority in since)

    def _other_certificate(self) -> bool | None:
        """Several servers may show theirs in turns: it is none of those."""
        before = [shown for shown in self.certificates if shown[0] < self.from_us]
        if not before:
            return None
        known = {name for at_us, name in before if at_us >= self.undone_us} or {before[-1][1]}
        return any(name not in known for at_us, name in self.certificates if self.from_us <= at_us < self.until_us)

    def _moved(self) -> bool | None:
        others = sorted(self.ownership.nodes - {self.master or ""})
        if not others:
            return None
        return any(
            self.from_us <= change.at_us < self.until_us and (change.holds or change.state == MASTER)
            for node in others
            for change in self.ownership.of(node)
        )


def _any(answers: Iterator[bool]) -> bool | None:
    found = list(answers)
    return any(found) if found else None


def _of_kind(state: BalancerState, kind: ChangeSource) -> Mapping[str, object]:
    if kind is ChangeSource.FRONTEND:
        return state.frontends
    return state.servers if kind is ChangeSource.SERVER else state.weights
