"""The threads that feed `OwnershipLog`: each thread parses the lines of one ownership source."""

import os
import select
import stat
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from switchover.http.address import find_addresses
from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.process.stream import LineSplitter, Mark, SourceLine, Stream
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command, Fifo
from switchover.telemetry.address_list import (
    AddressLine,
    ask_interfaces,
    local_to_utc_ns,
    parse_address_line,
    show_command,
)
from switchover.telemetry.clock_offset import ClockOffset, measure_offset
from switchover.telemetry.fetch import SCRAPE_S
from switchover.telemetry.health import Health, defect
from switchover.telemetry.keepalived import OwnershipLog, parse_notification

RETRY_S = 0.05
"""The interval between two attempts to open a missing FIFO."""
_REPLACED_S = 0.25
"""The interval at which an open FIFO is compared with the file at its path."""
_CHUNK = 65536


@dataclass(slots=True)
class FifoReader:
    """Reads the lines of a FIFO. Use each reader in only one thread. A FIFO that was replaced is opened again."""

    _source: Fifo
    _clock: Clock
    _descriptor: int | None = None
    _splitter: LineSplitter = field(default_factory=LineSplitter)
    _looked_ns: int = 0
    _missing_reported: bool = False

    def poll(self, timeout_s: float) -> list[SourceLine | Mark]:
        """Return new lines, after a wait of at most `timeout_s`. Never raises: for an error, the result contains a
        `Mark` with the reason."""
        if self._descriptor is None:
            return self._open(timeout_s)
        poller = select.poll()
        poller.register(self._descriptor, select.POLLIN)
        events = poller.poll(round(min(timeout_s, _REPLACED_S) * 1000))
        arrived_ns = self._clock.now_ns()
        if not events:
            is_replaced = arrived_ns - self._looked_ns >= _REPLACED_S * 1e9 and self._is_replaced(arrived_ns)
            return [self._closed("the FIFO was replaced", arrived_ns)] if is_replaced else []
        try:
            piece = os.read(self._descriptor, _CHUNK)
        except OSError:
            return []  # another reader was faster
        if piece:
            return list(self._splitter.feed(piece, arrived_ns))
        # No process has the FIFO open for writing. A new descriptor reports nothing until a new writer opens the
        # FIFO.
        return [self._closed("the writer has closed the FIFO", arrived_ns)]

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _closed(self, reason: str, at_ns: int) -> Mark:
        self.close()
        return Mark(False, at_ns, f"{self._source}: {reason}")

    def _open(self, timeout_s: float) -> list[SourceLine | Mark]:
        reason = "is not a FIFO"
        try:
            self._descriptor = os.open(self._source.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            if stat.S_ISFIFO(os.fstat(self._descriptor).st_mode):
                self._missing_reported = False
                self._splitter = LineSplitter()
                return [Mark(True, self._clock.now_ns())]
        except OSError as error:
            reason = error.strerror or "cannot be opened"
        mark = self._closed(reason, self._clock.now_ns())
        time.sleep(min(RETRY_S, timeout_s))
        marks = [] if self._missing_reported else [mark]
        self._missing_reported = True
        return [*marks]

    def _is_replaced(self, at_ns: int) -> bool:
        """Return True if a new FIFO has replaced the open FIFO, because Keepalived was restarted."""
        self._looked_ns = at_ns
        assert self._descriptor is not None
        try:
            return not os.path.samestat(Path(self._source.path).stat(), os.fstat(self._descriptor))
        except OSError:
            return False


POLL_S = 0.2
"""The maximum wait for lines before the next check of `stop`."""
RECHECK_S = 1.0
"""The delay from the first query to a second query, which detects changes that happened before `ip monitor`
listened."""
ALIVE_S = 5.0
"""The interval of queries to a remote node, because an ssh connection that only waits does not detect a dead node."""
MISSES = 2
"""The number of consecutive failed queries that makes the state unknown."""


def sources_of(node: Node, ownership: OwnershipLog, clock: Clock) -> "Iterator[FifoSource | AddressSource]":
    for source in node.vip_owner:
        if isinstance(source, Fifo):
            yield FifoSource(node, source, ownership, clock)
        else:
            yield AddressSource(node, source, ownership, clock)


class FifoSource:
    """Records the states that Keepalived writes to its FIFO. `ready` is set after the first attempt to read the
    state."""

    def __init__(self, node: Node, source: Fifo, ownership: OwnershipLog, clock: Clock) -> None:
        self.ready = threading.Event()
        self.health = Health(ownership.journal, clock, node.name, "vip_owner")
        self._node = node.name
        self._ownership = ownership
        self._clock = clock
        self._reader = FifoReader(source, clock)
        self._opened = 0

    def run(self, stop: threading.Event) -> None:
        try:
            self._read_first_state()
            while not stop.is_set():
                for item in self._reader.poll(POLL_S):
                    self._handle(item)
        except Exception as error:
            self.health.failed(defect(error))
            self._ownership.lost(self._node, self._clock.now_ns())
        finally:
            self.ready.set()
            self._reader.close()

    def _read_first_state(self) -> None:
        """Read the lines that waited in the FIFO. Only the last line of each instance describes the current state."""
        for item in self._reader.poll(0):
            self._handle(item)
        history = self._reader.poll(0) if self._opened else []
        lines = [parse_notification(item.text) for item in history if isinstance(item, SourceLine)]
        latest = {line.instance: line for line in lines if line is not None}
        now_ns = self._clock.now_ns()
        for notification in latest.values():
            self._ownership.notified(self._node, notification, now_ns, "notify FIFO", changed=False)
        if not latest:
            self._ownership.unknown(self._node, now_ns)
        self.ready.set()

    def _handle(self, item: SourceLine | Mark) -> None:
        if isinstance(item, SourceLine):
            notification = parse_notification(item.text)
            if notification is not None:
                how = "notify FIFO, on arrival"
                self._ownership.notified(self._node, notification, item.arrived_ns, how, changed=True)
        elif item.is_open:
            self._opened += 1
            self.health.works()
        elif self._opened:
            self._ownership.silent(self._node, item.at_ns)
        else:
            self.health.failed(item.reason)


class AddressSource:
    """Records the changes of the virtual address that `ip -ts monitor address` prints on a node."""

    def __init__(self, node: Node, source: Command, ownership: OwnershipLog, clock: Clock) -> None:
        self.ready = threading.Event()
        self.health = Health(ownership.journal, clock, node.name, "vip_owner")
        self._node = node
        self._ownership = ownership
        self._clock = clock
        self._stream = Stream(source, clock)
        self._monitor = source
        self._vip: frozenset[str] = frozenset()
        self._interfaces: set[str] = set()
        self._holds: bool | None = None
        self._recheck_at: float | None = None
        self._offset: ClockOffset | None = None
        self._asker = ThreadPoolExecutor(1, "telemetry")
        """The thread that queries a remote node, so that queries do not delay the reading of lines."""
        self._ask_at: float | None = None
        self._question: tuple[int, Future[frozenset[str] | None]] | None = None
        """The time of the pending query, and its future answer."""
        self._misses = 0
        self._alive_ns: int | None = None
        """The time of the last line or answer from a remote node."""
        self._doubted_ns: int | None = None
        """The time of the first query whose answer contradicts the known state, if no line has reported a change."""
        self._moved_ns = 0
        """The arrival time of the last line about the virtual address."""
        self._unknown: tuple[int, int] | None = None
        """The last interval in which the state was unknown. A line that arrives late may describe a change in this
        interval."""

    def run(self, stop: threading.Event) -> None:
        try:
            while not stop.is_set():
                self._handle_lines(POLL_S)
                if self._recheck_at is not None and time.monotonic() >= self._recheck_at:
                    self._recheck()
                self._ask_again()
        except Exception as error:
            self._lose(defect(error), self._clock.now_ns())
        finally:
            self.ready.set()
            self._stream.close()
            self._asker.shutdown(wait=False)

    def _handle(self, item: SourceLine | Mark) -> None:
        if isinstance(item, SourceLine):
            line = parse_address_line(item.text)
            self._is_alive_at(item.arrived_ns)
            if line is not None and line.address in self._vip:
                self._move(line, item.arrived_ns)
        elif item.is_open:
            self._look(first=True)
            self._recheck_at = time.monotonic() + RECHECK_S
            if not self._node.shared_clock and show_command(self._monitor) is not None:
                self._ask_at = time.monotonic() + ALIVE_S
            self.ready.set()
        else:
            self._lose(item.reason, item.at_ns)

    def _move(self, line: AddressLine, arrived_ns: int) -> None:
        (self._interfaces.discard if line.deleted else self._interfaces.add)(line.interface)
        self.health.works()
        self._moved_ns = arrived_ns
        self._doubted_ns = None
        at_ns, how = self._time_of(line, arrived_ns)
        was_unknown = self._unknown is not None and self._unknown[0] <= at_ns < self._unknown[1]
        if bool(self._interfaces) != self._holds or was_unknown:
            self._set(bool(self._interfaces), at_ns, how)

    def _set(self, holds: bool | None, at_ns: int, how: str, *, changed: bool = True) -> None:
        self._holds = holds
        self._ownership.address(self._node.name, holds, at_ns, how, changed=changed)

    def _is_alive_at(self, at_ns: int) -> None:
        if not self._node.shared_clock:
            self._alive_ns = max(self._alive_ns or 0, at_ns)

    def _ask_again(self) -> None:
        """Query a remote node at intervals, and process its answers."""
        question = self._question
        if question is not None and question[1].done():
            self._handle_lines(0)
            if self._question is question:
                self._question = None
                self._take_answer(*question)
        is_due = self._ask_at is not None and time.monotonic() >= self._ask_at
        if self._question is None and is_due and self._vip:
            self._ask_at = time.monotonic() + ALIVE_S
            answer = self._asker.submit(ask_interfaces, self._monitor, self._vip, SCRAPE_S)
            self._question = self._clock.now_ns(), answer

    def _take_answer(self, asked_ns: int, answer: "Future[frozenset[str] | None]") -> None:
        error = answer.exception()
        if error is not None:
            if not isinstance(error, TelemetryError):
                raise error
            self._misses += 1
            if self._misses == MISSES:
                self.health.failed(str(error))
                self._forget(self._clock.now_ns())
            return
        self._misses = 0
        self.health.works()
        if self._moved_ns >= asked_ns:
            return  # A line that arrived after the query is newer than the answer.
        interfaces = answer.result() or frozenset()
        holds = bool(interfaces)
        if self._holds is not None and holds != self._holds:
            if self._doubted_ns is None:
                self._doubted_ns, self._ask_at = asked_ns, time.monotonic()
                return  # The line about the change may still arrive. The next answer decides.
            self._forget(self._doubted_ns)
        self._doubted_ns = None
        self._is_alive_at(asked_ns)
        self._interfaces = set(interfaces)
        if holds != self._holds:
            if self._holds is None and self._unknown is not None:
                self._unknown = (self._unknown[0], asked_ns)
            self._set(holds, asked_ns, "ip address show, found later")

    def _forget(self, at_ns: int) -> None:
        """Set the state to unknown, from the time of the last answer or line."""
        self._doubted_ns = None
        if self._holds is not None:
            since_ns = at_ns if self._alive_ns is None else min(at_ns, self._alive_ns + 1)
            self._unknown = (since_ns, at_ns)
            self._interfaces.clear()
            self._set(None, since_ns, "", changed=False)

    def _time_of(self, line: AddressLine, arrived_ns: int) -> tuple[int, str]:
        """Return the time of a line and the source of this time: the node's time stamp if the clock offset is known,
        otherwise the arrival."""
        if line.stamp_ns is None or self._offset is None:
            return arrived_ns, "ip monitor, on arrival"
        if self._node.shared_clock:
            at_ns = self._clock.from_wall_ns(line.stamp_ns)
        else:
            at_ns = line.stamp_ns - self._offset.offset_us * 1000
        at_ns = min(local_to_utc_ns(at_ns, arrived_ns), arrived_ns)
        bound = self._offset.bound_us
        return at_ns, f"ip monitor, ±{bound / 1000:.1f} ms" if bound else "ip monitor"

    def _look(self, *, first: bool) -> None:
        """Query the addresses once. `first` is True if there is no earlier state."""
        asked_ns = self._clock.now_ns()
        interfaces: frozenset[str] | None = None
        try:
            if first:
                self._offset = self._measured_offset()
            if first or not self._vip:
                self._vip = frozenset(find_addresses(self._ownership.vip, SCRAPE_S))
            interfaces = ask_interfaces(self._monitor, self._vip, SCRAPE_S)
            self._is_alive_at(asked_ns)
            self.health.works()
        except (TelemetryError, OSError) as error:
            self.health.failed(str(error))
        if interfaces is not None:
            self._interfaces = set(interfaces)
            if first or bool(interfaces) != self._holds:
                self._set(bool(interfaces), asked_ns, "ip address show, found later", changed=not first)
        elif first:
            self._set(None, asked_ns, "", changed=False)

    def _measured_offset(self) -> ClockOffset | None:
        """Return the offset of the node's clock. None: unknown, so arrival times are used."""
        try:
            return measure_offset(self._node, self._clock)
        except TelemetryError:
            return None

    def _recheck(self) -> None:
        """Process the lines that have arrived, then query the addresses again. If the target's name does not resolve,
        plan another query."""
        self._recheck_at = None
        self._handle_lines(0)
        self._look(first=False)
        if not self._vip:
            self._recheck_at = time.monotonic() + RECHECK_S

    def _handle_lines(self, wait_s: float) -> None:
        for item in self._stream.poll(wait_s):
            self._handle(item)

    def _lose(self, reason: str, at_ns: int) -> None:
        self.health.failed(reason)
        self._recheck_at = self._ask_at = self._question = None
        self._misses = 0
        self._forget(at_ns)
        self.ready.set()
