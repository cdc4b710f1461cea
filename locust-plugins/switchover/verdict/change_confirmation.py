"""Evidence that changes had an effect. The sources of the evidence are independent of the commands of the changes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from switchover.evidence.held_rows import HeldRows
from switchover.evidence.node_life import NodeLife
from switchover.evidence.ownership import MASTER, Ownership
from switchover.rundir.measurements import ADVERT, CERTIFICATE_EVENT, EVENT
from switchover.rundir.points import Point
from switchover.rundir.run_directory import ChangeRun, FaultRun
from switchover.telemetry.balancers import BalancerState

SCRAPED_WITHIN_US = 2_000_000
"""The time, in microseconds, until a scrape shows a change: one scrape interval plus the duration of a scrape."""


class ChangeSource(StrEnum):
    GENERATION = "generation"
    """Scrapes show that a new process of the balancer answers."""
    WORKER = "worker"
    """Responses on held connections show that a new process of the balancer answers."""
    FRONTEND = "frontend"
    """Scrapes show that the status of a frontend changed."""
    SERVER = "server"
    """Scrapes show that the status of a server changed."""
    WEIGHT = "weight"
    """Scrapes show that the weight of a server changed."""
    OWNER = "owner"
    """Ownership sources show that the address moved to another node."""
    PRIORITY = "priority"
    """VRRP adverts on the network show that a node announces a new priority."""
    CERTIFICATE = "certificate"
    """Probes on new connections show that the server sends a new certificate."""


class SeenChange(NamedTuple):
    """The effect of one change according to each source: True (seen), False (denied), or None (unknown)."""

    change: ChangeRun
    by: Mapping[ChangeSource, bool | None]

    @property
    def seen(self) -> bool | None:
        if any(self.by.values()):
            return True
        return False if any(effect is False for effect in self.by.values()) else None


def look_at_changes(
    made: Sequence[ChangeRun],
    described: FaultRun,
    lives: Mapping[str, NodeLife],
    ownership: Ownership,
    rows: HeldRows | None,
    end_us: int,
    points: Iterable[Point] = (),
) -> list[SeenChange]:
    """Check if each change had an effect before the next change began. If the change names no sources, every source
    can confirm the change, but no source can deny the change. No source can deny a change shortly before the end of
    the run."""
    points = list(points)
    certificates = [
        (point.time_ns // 1000, point.tags.get("id", ""))
        for point in points
        if point.measurement == EVENT and point.tags.get("kind") == CERTIFICATE_EVENT
    ]
    workers = _workers(rows) if rows else []
    sources = _Sources(described.master, lives, ownership, workers, _priorities(points), certificates)
    named = [ChangeSource(name) for name in described.sources if name in set(ChangeSource)]
    checked = []
    for before, change, following in zip([None, *made], made, [*made[1:], None], strict=False):
        earlier_us, undone_us = (before.from_us or 0, before.undo_from_us or 0) if before else (0, 0)
        until_us = (following and following.from_us) or end_us
        window = _Window(change.from_us or 0, until_us, earlier_us, undone_us or earlier_us)
        by = {kind: sources.effect(kind, window) for kind in named or ChangeSource}
        if not named or (following is None and end_us - window.from_us < SCRAPED_WITHIN_US):
            by = {kind: effect or None for kind, effect in by.items()}
        checked.append(SeenChange(change, by))
    return checked


def _workers(rows: HeldRows) -> list[tuple[int, int, str]]:
    """For each connection, list the balancer processes that its responses name, with the times of the first and last
    response. A new process takes over waiting connections, so a connection may be older than its process."""
    workers = rows.rows(
        "SELECT min(start_us + latency_us), max(end_us), balancer || ' ' || worker FROM {requests} "
        "WHERE worker <> '' AND code <> '' GROUP BY thread, balancer, worker ORDER BY 1"
    )
    return [(int(first_us), int(last_us), worker) for first_us, last_us, worker in workers]


def _priorities(points: Iterable[Point]) -> dict[str, list[tuple[int, int]]]:
    """List the announced priorities of each node in the order of time, without the priority 0 of a resigning
    master."""
    announced: dict[str, list[tuple[int, int]]] = {}
    for point in points:
        priority = point.fields.get("priority")
        if point.measurement == ADVERT and isinstance(priority, int) and priority:
            announced.setdefault(point.tags.get("node", ""), []).append((point.time_ns // 1000, priority))
    return announced


class _Window(NamedTuple):
    """The time from a change until the next change, and the times of the previous change."""

    from_us: int
    until_us: int
    earlier_us: int
    """The time when the previous change started."""
    undone_us: int
    """The time when the undo of the previous change started. Without an undo: the start of the change."""

    def has(self, at_us: int) -> bool:
        return self.from_us <= at_us < self.until_us


class _Sources(NamedTuple):
    master: str | None
    lives: Mapping[str, NodeLife]
    ownership: Ownership
    workers: Sequence[tuple[int, int, str]]
    priorities: Mapping[str, Sequence[tuple[int, int]]]
    certificates: Sequence[tuple[int, str]]
    """The times when probes on new connections received a new certificate, and the certificate."""

    def effect(self, kind: ChangeSource, window: _Window) -> bool | None:
        """Return True if the source shows an effect of the change, False if the source shows that there was no
        effect; None: unknown."""
        match kind:
            case ChangeSource.WORKER:
                return self._other_worker(window)
            case ChangeSource.OWNER:
                return self._is_moved(window)
            case ChangeSource.PRIORITY:
                return _any(self._other_priorities(window))
            case ChangeSource.CERTIFICATE:
                return self._other_certificate(window)
            case _:
                return _any(self._other_states(kind, window))

    def _other_states(self, kind: ChangeSource, window: _Window) -> Iterator[bool]:
        for life in self.lives.values():
            before, after = life.last_before(window.from_us), life.between(window.from_us, window.until_us)
            states = _facts(before, kind) if before and after else {}
            if states:
                yield any(
                    _facts(later, kind).get(name, state) != state for later in after for name, state in states.items()
                )

    def _other_worker(self, window: _Window) -> bool | None:
        begin_us, earlier_us = window.from_us, window.earlier_us
        before = {
            worker
            for first_us, last_us, worker in self.workers
            if earlier_us <= first_us < begin_us or first_us < begin_us <= last_us
        }
        since = [worker for first_us, _, worker in self.workers if begin_us < first_us < window.until_us]
        return any(worker not in before for worker in since) if before and since else None

    def _other_priorities(self, window: _Window) -> Iterator[bool]:
        for announced in self.priorities.values():
            before = [priority for at_us, priority in announced if at_us < window.from_us]
            since = [priority for at_us, priority in announced if window.has(at_us)]
            if before and since:
                yield any(priority != before[-1] for priority in since)

    def _other_certificate(self, window: _Window) -> bool | None:
        """Return True if probes received a certificate that no probe received between the previous undo and this
        change."""
        before = [shown for shown in self.certificates if shown[0] < window.from_us]
        if not before:
            return None
        shown_since_undo = {name for at_us, name in before if at_us >= window.undone_us} or {before[-1][1]}
        return any(name not in shown_since_undo for at_us, name in self.certificates if window.has(at_us))

    def _is_moved(self, window: _Window) -> bool | None:
        nodes = self.ownership.nodes - {self.master or ""}
        changes = [change for node in nodes for change in self.ownership.of(node) if window.has(change.at_us)]
        return any(change.holds or change.state == MASTER for change in changes) if nodes else None


def _any(effects: Iterator[bool]) -> bool | None:
    known_effects = list(effects)
    return any(known_effects) if known_effects else None


def _facts(state: BalancerState, kind: ChangeSource) -> Mapping[str, object]:
    if kind is ChangeSource.GENERATION:
        return {"generation": state.generation}
    facts: Mapping[str, object] = getattr(state, f"{kind}s")
    return facts
