"""The messages of a worker to the master about its part of a run, in order and repeated until acknowledged.

ZeroMQ loses messages in transit when a connection breaks. So every message has a number. The master takes messages in
order, and acknowledges the highest number. A message without acknowledgement is sent again after `AGAIN_S`. A
"""

from collections.abc import Mapping
from typing import Any

AGAIN_S = 3.0
"""Seconds after which a message without acknowledgement is sent again."""
WINDOW = 50
"""The highest number of messages in transit.

While this number is reached, new lines wait in the outbox until a message is acknowledged.
"""


class Outbox:
    """The messages of one worker and one run. Times are in seconds on a monotonic clock."""

    def __init__(self, run: str, worker: str) -> None:
        self._run = run
        self._worker = worker
        self._lines: list[str] = []
        self._number = 0
        self._under_way: dict[int, tuple[float, dict[str, Any]]] = {}
        self._end: Mapping[str, Any] | None = None
        self._end_sent = False

    def put(self, lines: list[str]) -> None:
        self._lines += lines

    def put_end(self, facts: Mapping[str, Any]) -> None:
        self._end = facts

    @property
    def delivered(self) -> bool:
        """True if every message, including the last one, was sent and acknowledged."""
        return self._end_sent and not self._under_way

    def messages_due(self, now_s: float) -> list[dict[str, Any]]:
        """Return the messages to send now. If no message is in transit, this returns one as a sign of life."""
        again = [number for number, (sent_s, _) in self._under_way.items() if now_s - sent_s >= AGAIN_S]
        for number in again:
            self._under_way[number] = (now_s, self._under_way[number][1])
        messages = [self._under_way[number][1] for number in again]
        if len(self._under_way) < WINDOW and not self._end_sent:
            messages.append(self._next(now_s))
        return messages

    def acknowledged(self, number: int) -> None:
        for delivered in [sent for sent in self._under_way if sent <= number]:
            del self._under_way[delivered]

    def _next(self, now_s: float) -> dict[str, Any]:
        lines, self._lines = self._lines, []
        self._number += 1
        message: dict[str, Any] = {
            "run": self._run,
            "worker": self._worker,
            "number": self._number,
            "lines": lines,
            "end": None if self._end is None else dict(self._end),
        }
        self._end_sent = self._end is not None
        self._under_way[self._number] = (now_s, message)
        return message
