"""The data that the Locust master has about each worker of a run: the traffic, the last message and the clock."""

import logging
import platform
import time
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import gevent
from locust.runners import MasterRunner
from msgspec import Meta, ValidationError, convert

from switchover.locust.recording.process_recording import TakeLines
from switchover.locust.recording.recorder import part_name
from switchover.locust.workers.messages import ACKNOWLEDGED, POLL_S, MessageChannel
from switchover.model.clock import Clock
from switchover.rundir.journal import Journal
from switchover.rundir.journal_tail import LatestTotals
from switchover.rundir.measurements import MEASUREMENTS, REQUESTS, USERS
from switchover.rundir.points import Point, format_point, parse_point
from switchover.rundir.seal import Seal, Seals

SILENT_S = 8.0
"""The time, in seconds, without a message after which a worker is silent. A worker sends a message each second."""
LINE_LIMIT = 64 * 1024
"""The maximum number of characters of a line that a worker sends. A line whose histogram has latencies up to an hour
has a few thousand characters."""
START, LATE = "start", "late"
STOPPED, LOST = "stopped", "lost"
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
TIME_NAMESPACE = Path("/proc/self/ns/time")

Text = Annotated[str, Meta(max_length=1000)]
Count = Annotated[int, Meta(ge=0)]


def worker_name(index: int) -> str:
    """Return the worker's name, made from Locust's worker index, which does not change while the master runs."""
    return f"worker-{index + 1}"


def clock_domain() -> str:
    """Return a name for the monotonic clock. Processes with the same boot and time namespace share this clock."""
    try:
        return f"{BOOT_ID.read_text(encoding='ascii').strip()}/{TIME_NAMESPACE.readlink()}"
    except OSError:
        # On systems other than Linux, the network card identifies the machine.
        return f"{platform.node()}/{uuid.getnode():x}"


@dataclass(frozen=True, slots=True)
class Anchor:
    """The master's time is the worker's monotonic clock plus `anchor_ns`, ± `bound_ns`."""

    anchor_ns: int
    bound_ns: int

    @classmethod
    def of(cls, sent_ns: int, master_ns: int, received_ns: int) -> "Anchor":
        """Compute the anchor from the master's answer with the time of its clock. The master read its clock between
        `sent_ns` and `received_ns`."""
        low, high = master_ns - received_ns, master_ns - sent_ns
        return cls((low + high) // 2, -(-(high - low) // 2))


@dataclass(frozen=True, slots=True)
class WorkerEnd:
    """A worker's last message: the worker's sample log, totals and clock."""

    path: Text
    here: bool
    samples: Count
    lost: Count
    abandoned: Count
    warnings: Annotated[list[Text], Meta(max_length=50)]
    without_timeout: Annotated[list[Text], Meta(max_length=50)]
    seals: Annotated[list[dict[str, Any]], Meta(max_length=50)]
    clocks: Annotated[list[dict[str, str | int | None]], Meta(max_length=2)]
    """The comparisons with the master's clock, before and after the load. Empty: worker and master share a clock."""
    offset_us: int | None
    bound_us: Count | None


@dataclass(slots=True)
class WorkerState:
    run: str
    worker: str
    client: str
    joined: str
    heard_s: float
    points: int = 0
    end: WorkerEnd | None = None
    silent: bool = False
    refused: int = 0
    """The number of invalid lines and invalid last messages, which were dropped."""
    received_up_to: int = 0
    """The sequence number of the last message before the first missing message."""
    _totals: LatestTotals[int] = field(default_factory=lambda: LatestTotals(0))

    def receive(self, message: Mapping[str, Any]) -> list[str]:
        """Return the new lines of a message. If an earlier message was lost, the result is empty, and the worker
        sends all messages from the lost message on again."""
        if int(message["number"]) != self.received_up_to + 1:
            return []
        self.received_up_to += 1
        lines: list[str] = []
        for line in message["lines"]:
            point = self._check_line(line)
            if point is None:
                self.refused += 1
                continue
            self._count(point)
            lines.append(line)
        if message["end"] is not None:
            self._take_end(message["end"])
        return lines

    def _check_line(self, line: object) -> Point | None:
        """Return the point in a line, or None if it is not exactly one point of this worker's traffic in this run.

        Any process that can reach Locust's port can send messages, whose lines get into the journal and the database.
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
        # Formatting the point must give the same line: no repeated tag, no line end within a name.
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
        """Return the facts for `LoadFacts.workers`. Values that the worker has not sent are None."""
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
        """Return the facts during the run. A worker that still runs and is not silent does not count as lost. For a
        running worker, the number of samples is the number of requests in its traffic so far."""
        if self.end is not None:
            return self.facts()
        return self.facts() | {"samples": self.points, "ended": LOST if self.silent else None}

    @property
    def host(self) -> str:
        return self.client.rpartition("_")[0]

    @property
    def part(self) -> str | None:
        return part_name(self.worker) if self.received_up_to else None

    @property
    def is_silent(self) -> bool:
        return self.end is None and time.monotonic() - self.heard_s > SILENT_S

    def warnings(self) -> list[str]:
        if self.part is None:
            return [f"{self.worker} recorded nothing: does its locustfile import switchover.locust?"]
        if self.end is None:
            return [
                f"{self.worker} ended without a last message: {self.points:,} requests are in the traffic that it "
                "sent; its sample log may have more; the total is unknown"
            ]
        warnings = [f"{self.worker}: {''.join(filter(str.isprintable, text))}" for text in self.end.warnings]
        if self.refused:
            warnings.append(f"{self.worker} sent {self.refused:,} invalid lines, which were dropped")
        if self.end.samples != self.points:
            warnings.append(
                f"{self.worker} recorded {self.end.samples} requests, but its traffic contains {self.points} requests"
            )
        if not self.end.here:
            where = f"{self.host}:{''.join(filter(str.isprintable, self.end.path))}"
            warnings.append(
                f"the sample log of {self.worker} is {where}: copy this log to this machine, and judge all "
                "parts together with 'switchover report'"
            )
        return warnings


LAST_WORDS_S = 60.0
"""The time, in seconds, that workers have to send their data, in addition to Locust's stop timeout."""

logger = logging.getLogger(__name__)


class WorkerList:
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

    def begin(self) -> None:
        """Record the start of the load. A worker that joins after this time is late."""
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
                self._warn(state, f"{state.worker} joined after the start of the run")
        return state

    def receive(self, client: str, message: Mapping[str, Any]) -> None:
        """Process a message of a worker. A message about an earlier run is acknowledged and dropped."""
        if message["run"] != self._run:
            self._channel.send(ACKNOWLEDGED, {"run": message["run"], "number": message["number"]}, client)
            return
        state = self._state_of(client)
        state.heard_s = time.monotonic()
        if state.silent:
            state.silent = False
            self._warn(state, f"{state.worker} sends messages again")
        lines = state.receive(message)
        self._channel.send(ACKNOWLEDGED, {"run": self._run, "number": state.received_up_to}, client)
        if lines:
            self._take_lines(lines)

    def check(self) -> None:
        for client, node in self._runner.clients.items():
            if node.user_count:
                self._state_of(client)
        for state in self._states.values():
            if state.is_silent and not state.silent:
                state.silent = True
                self._warn(state, f"{state.worker} sent no message for {SILENT_S:g} s: the worker may be lost")

    def end(self) -> None:
        limit_s = time.monotonic() + float(self._runner.environment.stop_timeout or 0) + LAST_WORDS_S
        while time.monotonic() < limit_s:
            if all(state.end is not None or state.is_silent for state in self._states.values()):
                return
            gevent.sleep(POLL_S)

    def facts(self) -> list[dict[str, Any]]:
        return [state.facts() for state in self._states.values()]

    def facts_so_far(self) -> list[dict[str, Any]]:
        return [state.facts_so_far() for state in self._states.values()]

    @property
    def _ended(self) -> list[tuple[str, WorkerEnd]]:
        return [(state.worker, state.end) for state in self._states.values() if state.end is not None]

    def clocks(self) -> list[dict[str, Any]]:
        return [{"node": worker, **reading} for worker, end in self._ended for reading in end.clocks]

    def parts(self) -> list[str]:
        return [state.part for state in self._states.values() if state.part is not None]

    @property
    def seals(self) -> Seals:
        return {part_name(worker): end.seals for worker, end in self._ended if end.seals}

    @property
    def without_timeout(self) -> set[str]:
        return {name for _, end in self._ended for name in end.without_timeout}

    @property
    def warnings(self) -> list[str]:
        return [text for state in self._states.values() for text in state.warnings()]

    def _warn(self, state: WorkerState, text: str) -> None:
        logger.warning("Switchover: %s", text)
        self._journal.event("warning", text, time_ns=self._clock.now_ns(), node=state.worker)
