"""The workers of a run in the master: which take part, what they send, which are silent."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

import gevent
from locust.runners import MasterRunner
from msgspec import Meta, ValidationError, convert

from switchover.locust.recording.run_description import part_name
from switchover.locust.workers.messages import ACKNOWLEDGED, MessageChannel
from switchover.model.clock import Clock
from switchover.rundir.journal import Journal
from switchover.rundir.latest_totals import LatestTotals
from switchover.rundir.measurements import MEASUREMENTS, REQUESTS, USERS
from switchover.rundir.points import Point, format_point, parse_point
from switchover.rundir.seal import Seal, Seals

SILENT_S = 8.0
"""A worker without a message for this long counts as silent: it sends one each second, and Locust allows 4 s."""
EARLY_S = 3.0
"""Ctrl-C reaches all processes at once, and some end sooner than the master notices."""
LAST_WORDS_S = 60.0
"""Time for the workers to end their users and send the rest, on top of Locust's own stop timeout."""
POLL_S = 0.02
LINE_LIMIT = 64 * 1024
"""Characters of a line; a histogram of an hour's spread has some thousand."""
AHEAD_LIMIT = 10_000
"""A message further ahead of the first missing one is dropped; an outbox has 50 under way."""
START, LATE = "start", "late"
STOPPED, LOST = "stopped", "lost"

TakeLines = Callable[[list[str]], None]
Text = Annotated[str, Meta(max_length=1000)]
Count = Annotated[int, Meta(ge=0)]

logger = logging.getLogger(__name__)


def worker_name(index: int) -> str:
    """The name from Locust's number of a worker, which counts from 0 and stays while the master lives."""
    return f"worker-{index + 1}"


@dataclass(frozen=True, slots=True)
class WorkerEnd:
    """A worker's last message: its part, its totals, its clock."""

    path: Text
    here: bool
    """The part is in the master's run directory."""
    samples: Count
    lost: Count
    abandoned: Count
    warnings: Annotated[list[Text], Meta(max_length=50)]
    without_timeout: Annotated[list[Text], Meta(max_length=50)]
    seals: Annotated[list[dict[str, Any]], Meta(max_length=50)]
    clocks: Annotated[list[dict[str, str | int | None]], Meta(max_length=2)]
    """The worker's clock against the master's, before and after; empty where they have the same."""
    offset_us: int | None
    bound_us: Count | None


@dataclass(slots=True)
class WorkerState:
    run: str
    worker: str
    client: str
    joined: str
    heard_s: float
    """When its last message came, on the monotonic clock."""
    points: int = 0
    """Requests in the traffic that it sent."""
    end: WorkerEnd | None = None
    ended_s: float | None = None
    """When that came, on the monotonic clock."""
    silent: bool = False
    refused: int = 0
    """Lines that are not of its traffic, and last messages of another form: they were dropped."""
    received_up_to: int = 0
    """The number up to which every message is here."""
    _early: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    """Messages that overtook one that was sent earlier."""
    _totals: LatestTotals[int] = field(default_factory=lambda: LatestTotals(0))

    def receive(self, message: Mapping[str, Any]) -> list[str]:
        """The lines that are new with this message, in the order in which they were sent."""
        number = int(message["number"])
        if 0 < number - self.received_up_to <= AHEAD_LIMIT:
            self._early[number] = message
        lines: list[str] = []
        while self.received_up_to + 1 in self._early:
            self.received_up_to += 1
            known = self._early.pop(self.received_up_to)
            for line in known["lines"]:
                point = self._check_line(line)
                if point is None:
                    self.refused += 1
                    continue
                self._count(point)
                lines.append(line)
            if known["end"] is not None:
                self._take_end(known["end"])
        return lines

    def _check_line(self, line: object) -> Point | None:
        """The point of a line; None if it is none, or not of this worker's traffic in this run.

        Any process that reaches Locust's port can send messages, and a line goes into the journal, and from there
        into a database: it must be one point of this worker's own traffic.
        """
        if not isinstance(line, str) or len(line) > LINE_LIMIT:
            return None
        try:
            point = parse_point(line)
        except ValueError:
            return None
        tags, allowed = point.tags, MEASUREMENTS.get(point.measurement)
        if allowed is None or point.measurement not in (REQUESTS, USERS):
            return None
        is_own = tags.get("run") == self.run and tags.get("worker") == self.worker
        is_known = tags.keys() <= {*allowed.tags, "run", "worker"} and point.fields.keys() <= allowed.fields.keys()
        # Written anew it must be the same: no tag twice, no line end within a name.
        is_same = format_point(point.measurement, tags, point.fields, point.time_ns) == line
        return point if is_own and is_known and is_same else None

    def _take_end(self, end: object) -> None:
        try:
            self.end = convert(end, WorkerEnd)
            convert(self.end.seals, list[Seal])
        except ValidationError:
            self.end = None
            self.refused += 1

    def _count(self, point: Point) -> None:
        count = point.fields.get("count")
        if point.measurement == REQUESTS and isinstance(count, int):
            series = repr(sorted(point.tags.items()))
            self.points += count - self._totals.replace(point.time_ns, series, count)

    def facts(self) -> dict[str, Any]:
        """As `LoadFacts.workers` has it; None where only the worker knows and has not said."""
        end = asdict(self.end) if self.end is not None else {}
        return {
            "worker": self.worker,
            "host": self.host,
            "part": self.part,
            "points": self.points,
            "joined": self.joined,
            "ended": STOPPED if self.end is not None else LOST,
            **{name: end.get(name) for name in ("here", "samples", "lost", "abandoned", "offset_us", "bound_us")},
        }

    def facts_so_far(self) -> dict[str, Any]:
        """Facts while the run is on: a worker that has not ended is not lost, and its points count as recorded."""
        if self.end is not None:
            return self.facts()
        return self.facts() | {"samples": self.points, "ended": LOST if self.silent else None}

    @property
    def host(self) -> str:
        """The first part of the name that Locust gives a worker."""
        return self.client.rpartition("_")[0]

    @property
    def part(self) -> str | None:
        return part_name(self.worker) if self.received_up_to or self._early else None

    @property
    def is_silent(self) -> bool:
        return self.end is None and time.monotonic() - self.heard_s > SILENT_S

    def warnings(self) -> list[str]:
        """Differences, one line each, with the worker's name."""
        if self.part is None:
            return [f"{self.worker} recorded nothing: does its locustfile import switchover.locust?"]
        if self.end is None:
            return [
                f"{self.worker} went away without a word: {self.points:,} requests are in the traffic that it "
                "sent, its sample log may have more, and how many it made is unknown"
            ]
        found = [f"{self.worker}: {''.join(filter(str.isprintable, text))}" for text in self.end.warnings]
        if self.refused:
            found.append(f"{self.worker} sent {self.refused:,} lines that are not of its traffic: they were dropped")
        if self.end.samples != self.points:
            found.append(f"{self.worker} recorded {self.end.samples} requests, but {self.points} are in its traffic")
        if not self.end.here:
            where = f"{self.host}:{''.join(filter(str.isprintable, self.end.path))}"
            found.append(f"the sample log of {self.worker} is {where}: bring it here, and 'switchover report' it too")
        return found


class WorkerList:
    """The workers of one run. `take_lines` gets the lines of all of them as they come."""

    def __init__(
        self,
        runner: MasterRunner,
        channel: MessageChannel,
        run: str,
        journal: Journal,
        clock: Clock,
        take_lines: TakeLines,
    ) -> None:
        self._runner = runner
        self._channel = channel
        self._run = run
        self._journal = journal
        self._clock = clock
        self._take_lines = take_lines
        self._states: dict[str, WorkerState] = {}
        self._begun = False
        self._stopped_s = 0.0

    def begin(self) -> None:
        """The load begins: a worker that joins from now on is late."""
        for client in list(self._runner.clients):
            self._state_of(client)
        self._begun = True

    def _state_of(self, client: str) -> WorkerState:
        state = self._states.get(client)
        if state is None:
            name = worker_name(self._runner.get_worker_index(client))
            state = WorkerState(self._run, name, client, LATE if self._begun else START, time.monotonic())
            self._states[client] = state
            if self._begun:
                self._warn(state, f"{state.worker} joined when the run was under way")
        return state

    def receive(self, client: str, message: Mapping[str, Any]) -> None:
        """Take a message of a worker. One of an earlier run is acknowledged and dropped."""
        if message["run"] != self._run:
            self._channel.send(ACKNOWLEDGED, {"run": message["run"], "number": message["number"]}, client)
            return
        state = self._state_of(client)
        state.heard_s = time.monotonic()
        if state.silent:
            state.silent = False
            self._warn(state, f"{state.worker} is back")
        lines = state.receive(message)
        if state.end is not None and state.ended_s is None:
            state.ended_s = state.heard_s
        self._channel.send(ACKNOWLEDGED, {"run": self._run, "number": state.received_up_to}, client)
        if lines:
            self._take_lines(lines)

    def check(self) -> None:
        """Called once a second: name the workers that have joined, and those that are silent."""
        for client, node in self._runner.clients.items():
            if node.user_count:
                self._state_of(client)
        for state in self._states.values():
            if state.is_silent and not state.silent:
                state.silent = True
                self._warn(state, f"nothing was heard of {state.worker} for {SILENT_S:g} s: it may be lost")

    def end(self, stopped_s: float) -> None:
        """Wait until every worker has sent its last message, or is silent.

        `stopped_s`: when the run was asked to stop, on the monotonic clock.
        """
        self._stopped_s = stopped_s
        limit_s = time.monotonic() + float(self._runner.environment.stop_timeout or 0) + LAST_WORDS_S
        while time.monotonic() < limit_s:
            if all(state.end is not None or state.is_silent for state in self._states.values()):
                return
            gevent.sleep(POLL_S)

    def facts(self) -> list[dict[str, Any]]:
        return [state.facts() for state in self._states.values()]

    def facts_so_far(self) -> list[dict[str, Any]]:
        return [state.facts_so_far() for state in self._states.values()]

    def clocks(self) -> list[dict[str, Any]]:
        states = self._states.values()
        return [{"node": one.worker, **reading} for one in states if one.end for reading in one.end.clocks]

    def parts(self) -> list[str]:
        """The files that belong into the run directory; some may still be on other hosts."""
        return [state.part for state in self._states.values() if state.part is not None]

    @property
    def seals(self) -> Seals:
        states = self._states.values()
        return {one.part: one.end.seals for one in states if one.part is not None and one.end and one.end.seals}

    @property
    def without_timeout(self) -> set[str]:
        return {name for state in self._states.values() if state.end for name in state.end.without_timeout}

    @property
    def warnings(self) -> list[str]:
        early = [
            f"{state.worker} ended {self._stopped_s - state.ended_s:.0f} s before the run did"
            for state in self._states.values()
            if state.ended_s is not None and self._stopped_s - state.ended_s > EARLY_S
        ]
        return early + [text for state in self._states.values() for text in state.warnings()]

    def _warn(self, state: WorkerState, text: str) -> None:
        logger.warning("Switchover: %s", text)
        self._journal.event("warning", text, time_ns=self._clock.now_ns(), node=state.worker)
