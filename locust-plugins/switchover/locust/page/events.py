"""What happened, as the journal's events tell it: a bounded list, and the moments that a timeline marks."""

from collections import deque
from dataclasses import dataclass

from switchover.rundir.points import Point

EVENTS_LIMIT = 200
"""The newest events that are kept; the journal has them all."""
TEXT_LIMIT = 300


@dataclass(frozen=True, slots=True)
class Happening:
    at_us: int
    kind: str
    node: str
    text: str


class Happenings:
    """Reads `switchover_event` points. Of each kind the first one stays known, however many follow."""

    def __init__(self) -> None:
        self._events: deque[Happening] = deque(maxlen=EVENTS_LIMIT)
        self._first: dict[str, Happening] = {}
        self.count = 0

    def read(self, point: Point) -> None:
        tags = point.tags
        text = str(point.fields.get("text", ""))[:TEXT_LIMIT]
        event = Happening(point.time_ns // 1000, tags.get("kind", ""), tags.get("node", ""), text)
        self._events.append(event)
        self.count += 1
        if len(self._first) < EVENTS_LIMIT:
            self._first.setdefault(event.kind, event)

    def first(self, kind: str) -> Happening | None:
        return self._first.get(kind)

    def first_us(self, kind: str) -> int | None:
        event = self._first.get(kind)
        return event.at_us if event else None

    def listed(self) -> list[Happening]:
        """In order of time."""
        return sorted(self._events, key=lambda event: event.at_us)
