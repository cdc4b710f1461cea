"""What happened, from the journal's events: a bounded list, and when what was done."""

from collections import deque
from dataclasses import dataclass

from switchover.rundir.points import Point

EVENTS_LIMIT = 200
"""The newest events that are kept; the journal has them all."""
TEXT_LIMIT = 300


@dataclass(frozen=True, slots=True)
class Moments:
    """When what was done, in microseconds; None: not yet."""

    start_us: int | None = None
    fired_us: int | None = None
    heal_us: int | None = None
    end_us: int | None = None

    def phase_at(self, at_us: int) -> str:
        """The phase to which a moment belongs; what is healed at the end has no failback to see."""
        if self.fired_us is None or at_us < self.fired_us:
            return "baseline"
        is_over = self.heal_us is None or (self.end_us is not None and self.heal_us >= self.end_us)
        return "switchover" if is_over or at_us < (self.heal_us or 0) else "failback"


@dataclass(frozen=True, slots=True)
class JournalEvent:
    at_us: int
    kind: str
    node: str
    text: str


class EventHistory:
    """Reads `switchover_event` points. Of each kind the first one is kept, also when many follow."""

    def __init__(self) -> None:
        self._events: deque[JournalEvent] = deque(maxlen=EVENTS_LIMIT)
        self._first: dict[str, JournalEvent] = {}

    def read(self, point: Point) -> None:
        tags = point.tags
        text = str(point.fields.get("text", ""))[:TEXT_LIMIT]
        event = JournalEvent(point.time_ns // 1000, tags.get("kind", ""), tags.get("node", ""), text)
        self._events.append(event)
        if len(self._first) < EVENTS_LIMIT:
            self._first.setdefault(event.kind, event)

    def first_us(self, kind: str) -> int | None:
        event = self._first.get(kind)
        return event.at_us if event else None

    def listed(self) -> list[JournalEvent]:
        """In order of time."""
        return sorted(self._events, key=lambda event: event.at_us)
