"""Worlds whose truth is known: a load, the outages of its service, and the logs that its hosts would write.

`World.of(seed)` draws one. Loops are closed or open, fast and slow requests mix, requests are refused, hang or are
sent again, some fail at random, hosts have clocks of their own, and logs may be cut.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from switchover.figures.silences import figure_of
from switchover.model.interval import Span
from switchover.verdict.record import Silences

SECOND = 1_000_000
BEGIN = 1_767_225_600 * SECOND + 417_123
HEADER = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success"
NOT_SENT = "Non HTTP response code: java.net.BindException", "Cannot assign requested address"
APART_US = 12 * SECOND
"""Between two outages of a world: with no good completion between them a log shows one."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, in microseconds of the true time."""

    start_us: int
    end_us: int
    user: int
    how: str
    """`good`, `failed`, or `unsent`."""


@dataclass(frozen=True, slots=True)
class Host:
    """One load generator and its log."""

    skew_us: int
    """Its clock is ahead by so much."""
    asked: tuple[Asked, ...]

    def rows(self) -> Iterator[str]:
        """As JMeter writes them: whole milliseconds, in the order of their ends."""
        for one in self.asked:
            code, message = {"good": ("200", "OK"), "failed": ("503", "Busy")}.get(one.how, NOT_SENT)
            started_ms, took_ms = (one.start_us + self.skew_us) // 1000, (one.end_us - one.start_us) // 1000
            yield (
                f"{started_ms},{took_ms},home,{code},{message},users 1-{one.user},{str(one.how == 'good').lower()}"
            )

    def truths(self, outages: Sequence[Span]) -> list[Span]:
        """The outages by its clock, as far as its log goes."""
        begun = min(one.start_us for one in self.asked)
        ended = max(one.end_us for one in self.asked)
        within = (Span(max(begun, one.from_us), min(ended, one.to_us)) for one in outages)
        return [Span(one.from_us + self.skew_us, one.to_us + self.skew_us) for one in within if one.duration_us > 0]


@dataclass(frozen=True, slots=True)
class World:
    outages: tuple[Span, ...]
    hosts: tuple[Host, ...]
    text: str

    @classmethod
    def of(cls, seed: int) -> "World":
        return _Drawn(random.Random(seed)).world()

    def write(self, folder: Path) -> list[Path]:
        paths = []
        for number, host in enumerate(self.hosts):
            path = folder / f"host-{number}.jtl"
            path.write_text("\n".join([HEADER, *host.rows()]) + "\n", encoding="utf-8")
            paths.append(path)
        return paths

    def untrue(self, found: Sequence[Silences]) -> list[str]:
        """Where a figure does not contain the truth; empty where all do."""
        assert len(found) == len(self.hosts)
        return [
            why
            for host, one in zip(self.hosts, found, strict=True)
            for why in _untrue(host.truths(self.outages), one)
        ]


def _untrue(truths: Sequence[Span], found: Silences) -> Iterator[str]:
    for truth in truths:
        high_ms = figure_of(found).high
        if high_ms is not None and truth.duration_us > high_ms * 1000:
            yield f"an outage of {truth.duration_us} us, and nothing longer than {high_ms} ms is said"
    if found.outage is not None:
        low, high = found.outage.low_ms * 1000, None if found.outage.high_ms is None else found.outage.high_ms * 1000
        met = [one.duration_us for one in truths if one.overlaps(Span(found.outage.from_us, found.outage.to_us))]
        if not any(low <= length and (high is None or length <= high) for length in met):
            yield f"{low} to {high} us said, {met} us true"


class _Drawn:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.lasts_us = chance.randint(25, 70) * SECOND
        self.how = chance.choice(("refused", "refused slowly", "thaw", "lost", "sent again"))
        self.timeout_us = round(self._between(0.3, 12) * SECOND)
        self.slow = chance.choice((0.0, 0.0, 0.05, 0.3))
        self.background = chance.choice((0.0, 0.0, 0.001, 0.01, 0.05))
        self.unsent = chance.choice((0.0, 0.0, 0.0, 0.02))
        self.lost_packets = chance.choice((0.0, 0.0, 0.02))
        self.outages = tuple(self._draw_outages())
        self.pause = self._draw_pause()

    def _between(self, low: float, high: float) -> float:
        """As often between 1 and 2 as between 2 and 4."""
        return float(low * (high / low) ** self.chance.random())

    def _draw_outages(self) -> Iterator[Span]:
        at = BEGIN + round(self.chance.uniform(0.0, 0.6) * self.lasts_us)
        for _ in range(self.chance.choice((0, 1, 1, 1, 2))):
            length = round(self._between(0.05, 9) * SECOND)
            yield Span(at, at + length)
            at += length + APART_US + self.chance.randint(0, 5 * SECOND)

    def _draw_pause(self) -> Span:
        """The generator sends nothing."""
        if self.chance.random() < 0.85:
            return Span(0, 0)
        at = BEGIN + self.chance.randint(0, self.lasts_us)
        return Span(at, at + round(self._between(0.2, 8) * SECOND))

    def world(self) -> World:
        hosts = self.chance.choice((1, 1, 1, 2, 3))
        is_open = self.chance.random() < 0.4
        found = []
        for number in range(hosts):
            skew_us = round(self._between(0.001, 5) * SECOND) * (1 if number % 2 else -1)
            asked = list(self._open() if is_open else self._closed())
            asked.sort(key=lambda one: one.end_us)
            found.append(Host(skew_us, tuple(self._cut(asked))))
        text = f"{'open' if is_open else 'closed'}, {self.how}, background {self.background}, slow {self.slow}"
        return World(self.outages, tuple(found), text)

    def _cut(self, asked: list[Asked]) -> list[Asked]:
        begin, end = 0, len(asked)
        if self.chance.random() < 0.15:
            begin = self.chance.randint(0, len(asked) // 2)
        if self.chance.random() < 0.15:
            end = self.chance.randint(begin + 1, len(asked))
        return asked[begin:end]

    def _open(self) -> Iterator[Asked]:
        rate, at = self._between(2, 150), float(BEGIN)
        number = 0
        while at < BEGIN + self.lasts_us:
            at += self.chance.expovariate(rate) * SECOND
            if not self.pause.from_us <= at < self.pause.to_us:
                number += 1
                yield self._asked(round(at), number)

    def _closed(self) -> Iterator[Asked]:
        think_s = self._between(0.005, 1)
        for user in range(round(self._between(1, 40))):
            at = BEGIN + self.chance.randint(0, SECOND)
            while at < BEGIN + self.lasts_us:
                if self.pause.from_us <= at < self.pause.to_us:
                    at = self.pause.to_us
                one = self._asked(at, user)
                yield one
                at = one.end_us + 1 + round(self.chance.expovariate(1 / think_s) * SECOND)

    def _asked(self, start: int, user: int) -> Asked:
        chance = self.chance
        if chance.random() < self.unsent:
            return Asked(start, start + 50, user, "unsent")
        took = self._between(0.5, 4) * SECOND if chance.random() < self.slow else self._between(0.001, 0.05) * SECOND
        if chance.random() < self.lost_packets:
            took += SECOND
        end, deadline = start + round(took), start + self.timeout_us + (SECOND * 8 if self.slow else 0)
        for away in self.outages:
            if start < away.to_us and end > away.from_us:
                hit = max(start, away.from_us)
                if self.how == "refused":
                    return Asked(start, hit + chance.randint(200, 1500), user, "failed")
                if self.how == "refused slowly":
                    return Asked(start, hit + round(self._between(0.001, 1) * SECOND), user, "failed")
                if self.how == "lost":
                    return Asked(start, max(deadline, hit + 1), user, "failed")
                end = max(end, self._answered(hit, away))
        if end > deadline:
            return Asked(start, deadline, user, "failed")
        if chance.random() < self.background:
            return Asked(start, end, user, "failed")
        return Asked(start, end, user, "good")

    def _answered(self, hit: int, away: Span) -> int:
        """Of a request that hangs."""
        if self.how == "thaw":
            return away.to_us + self.chance.randint(100, 20_000)
        at, wait = hit, SECOND
        while at < away.to_us:
            at, wait = at + wait, 2 * wait
        return at + self.chance.randint(500, 3000)
