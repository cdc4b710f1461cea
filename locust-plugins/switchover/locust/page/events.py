"""What happened, from the journal's events: a bounded list, and the moments that the timeline marks."""

from collections import deque
from dataclasses import dataclass
from typing import Any

from switchover.analysis.phases import PhaseName
from switchover.locust.page.phases import LivePhase, Moments
from switchover.rundir.points import Point

EVENTS_LIMIT = 200
"""The newest events that are kept; the journal has them all."""
TEXT_LIMIT = 300


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
        self.count = 0

    def read(self, point: Point) -> None:
        tags = point.tags
        text = str(point.fields.get("text", ""))[:TEXT_LIMIT]
        event = JournalEvent(point.time_ns // 1000, tags.get("kind", ""), tags.get("node", ""), text)
        self._events.append(event)
        self.count += 1
        if len(self._first) < EVENTS_LIMIT:
            self._first.setdefault(event.kind, event)

    def first(self, kind: str) -> JournalEvent | None:
        return self._first.get(kind)

    def first_us(self, kind: str) -> int | None:
        event = self._first.get(kind)
        return event.at_us if event else None

    def listed(self) -> list[JournalEvent]:
        """In order of time."""
        return sorted(self._events, key=lambda event: event.at_us)


def marks_of(
    moments: Moments, history: EventHistory, nodes: list[dict[str, Any]], phases: list[LivePhase], *, judged: bool
) -> list[dict[str, Any]]:
    """In order of time. The first lasting answer is provisional, to the second, until the analysis has found it."""
    marks = []
    for status, at_us, found, event, over in (
        ("fault", moments.fired_us, "first_success", PhaseName.SWITCHOVER, moments.heal_us),
        ("heal", moments.healed_in_time_us, "failback", PhaseName.FAILBACK, moments.end_us),
    ):
        if at_us is None:
            continue
        event_of_word = history.first(status)
        marks.append(_mark(status, at_us, event_of_word.text if event_of_word else status))
        taken = _first_take_over(nodes, at_us, over)
        if taken is not None:
            marks.append(
                _mark("election" if status == "fault" else "return", taken[0], f"{taken[1]} has the address")
            )
        good = history.first(found)
        if good is not None:
            marks.append(_mark("good", good.at_us, good.text))
        elif not judged:
            marks += [
                _mark("good", phase.to_s * 1_000_000, "clean from here on, to the second", provisional=True)
                for phase in phases
                if phase.name is event and phase.clean and phase.to_s is not None
            ]
    return sorted(marks, key=lambda mark: int(mark["at_us"]))


def _first_take_over(nodes: list[dict[str, Any]], since_us: int, until_us: int | None) -> tuple[int, str] | None:
    """The first time after an event that a node got the address."""
    return min(
        (
            (int(begin), str(node["node"]))
            for node in nodes
            for begin, _ in node["holds"]
            if begin > since_us and (until_us is None or begin < until_us)
        ),
        default=None,
    )


def _mark(kind: str, at_us: int, text: str, *, provisional: bool = False) -> dict[str, Any]:
    return {"kind": kind, "at_us": at_us, "text": text, "provisional": provisional}
