"""The threads' work behind `OwnershipLog`: one source per source, from its lines to what they mean."""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

from switchover.http.address import find_addresses
from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.process.stream import Mark, SourceLine, Stream, Turn
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
from switchover.telemetry.fetch import TIMEOUT_S
from switchover.telemetry.fifo import FifoReader
from switchover.telemetry.health import Health, defect
from switchover.telemetry.keepalived import OwnershipLog, parse_notification

POLL_S = 0.2
"""How long a source waits for lines before it looks whether it shall stop."""
RECHECK_S = 1.0
"""`ip monitor` does not say when it has begun to listen; a second look this much later finds what fell between."""
ALIVE_S = 5.0
"""How often a node on another machine is asked for its addresses besides. An ssh that only waits for lines does not
notice that its node is dead, or that the way to it is cut."""
MISSES = 2
"""Questions in a row without an answer after which nothing is known since the last sign of life."""


class Watcher(Protocol):
    """Runs on a thread of its own until `stop` is set."""

    ready: threading.Event
    """Set when the first state is known, or known to be unknown."""

    def run(self, stop: threading.Event) -> None: ...


class OwnershipSource(Watcher, Protocol):
    """One of those that tell which node holds the address."""

    health: Health


def sources_of(node: Node, ownership: OwnershipLog, clock: Clock) -> Iterator[OwnershipSource]:
    """The sources for what the target file says of a node."""
    for source in node.vip_owner:
        if isinstance(source, Fifo):
            yield FifoSource(node, source, ownership, clock)
        else:
            yield AddressSource(node, source, ownership, clock)


class FifoSource:
    """Follows Keepalived's notify FIFO."""

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
            self._first(self._reader.poll(0), stop)
            while not stop.is_set():
                for item in self._reader.poll(POLL_S):
                    self._handle(item, changed=True)
        except Exception as error:
            self.health.failed(defect(error))
            self._ownership.lost(self._node, self._clock.now_ns())
        finally:
            self.ready.set()
            self._reader.close()

    def _first(self, items: list[SourceLine | Mark], stop: threading.Event) -> None:
        """What waits in the FIFO at the first opening is history: only its last line per instance still holds."""
        for item in items:
            self._handle(item, changed=False)
        history = self._reader.poll(0) if self._opened else []
        latest = {}
        for item in history:
            notification = parse_notification(item.text) if isinstance(item, SourceLine) else None
            if notification is not None:
                latest[notification.instance] = notification
        now_ns = self._clock.now_ns()
        for notification in latest.values():
            self._ownership.notified(self._node, notification, now_ns, "notify FIFO", changed=False)
        if not latest:
            self._ownership.unknown(self._node, now_ns)
        self.ready.set()

    def _handle(self, item: SourceLine | Mark, *, changed: bool) -> None:
        if isinstance(item, SourceLine):
            notification = parse_notification(item.text)
            if notification is not None:
                self._ownership.notified(
                    self._node, notification, item.arrived_ns, "notify FIFO, on arrival", changed=changed
                )
        elif item.turn is Turn.OPENED:
            self._opened += 1
            self.health.works()
        elif self._opened:
            self._ownership.silent(self._node, item.at_ns)
        else:
            self.health.failed(item.reason)


class _Question:
    """The addresses of a node, asked for on a thread of its own: lines that come meanwhile are read as they come."""

    def __init__(self, ask: Callable[[], frozenset[str] | None], asked_ns: int) -> None:
        self.asked_ns = asked_ns
        self.found: frozenset[str] | None = None
        self.error = ""
        self._thread = threading.Thread(target=self._run, args=(ask,), name="telemetry", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def _run(self, ask: Callable[[], frozenset[str] | None]) -> None:
        try:
            self.found = ask()
        except TelemetryError as error:
            self.error = str(error)


class AddressSource:
    """Follows `ip -ts monitor address` on a node, for the virtual address alone."""

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
        self._ask_at: float | None = None
        self._question: _Question | None = None
        self._misses = 0
        self._alive_ns: int | None = None
        """The last sign of life of a node on another machine."""
        self._doubted_ns: int | None = None
        """When the question was asked whose answer was another than what is known, with no line about it so far."""
        self._moved_ns = 0
        """When the last line about the address came."""
        self._unknown: tuple[int, int] | None = None
        """The last time in which nothing was known: lines that come late may tell of it."""

    def run(self, stop: threading.Event) -> None:
        try:
            while not stop.is_set():
                for item in self._stream.poll(POLL_S):
                    self._handle(item)
                if self._recheck_at is not None and time.monotonic() >= self._recheck_at:
                    self._recheck()
                self._ask_again()
        except Exception as error:
            self._lost(defect(error), self._clock.now_ns())
        finally:
            self.ready.set()
            self._stream.close()

    def _handle(self, item: SourceLine | Mark) -> None:
        if isinstance(item, SourceLine):
            line = parse_address_line(item.text)
            self._is_alive_at(item.arrived_ns)
            if line is not None and line.address in self._vip:
                self._moved(line, item.arrived_ns)
        elif item.turn is Turn.OPENED:
            self._look(first=True)
            self._recheck_at = time.monotonic() + RECHECK_S
            if not self._node.shared_clock and show_command(self._monitor) is not None:
                self._ask_at = time.monotonic() + ALIVE_S
            self.ready.set()
        else:
            self._lost(item.reason, item.at_ns)

    def _moved(self, line: AddressLine, arrived_ns: int) -> None:
        if line.deleted:
            self._interfaces.discard(line.interface)
        else:
            self._interfaces.add(line.interface)
        holds = bool(self._interfaces)
        self.health.works()
        self._moved_ns = arrived_ns
        self._doubted_ns = None
        at_ns, how = self._time_of(line, arrived_ns)
        if holds != self._holds or self._was_unknown_at(at_ns):
            self._holds = holds
            self._ownership.address(self._node.name, holds, at_ns, how, changed=True)

    def _was_unknown_at(self, at_ns: int) -> bool:
        return self._unknown is not None and self._unknown[0] <= at_ns < self._unknown[1]

    def _is_alive_at(self, at_ns: int) -> None:
        if not self._node.shared_clock:
            self._alive_ns = max(self._alive_ns or 0, at_ns)

    def _ask_again(self) -> None:
        """Ask a node on another machine again and again, and take what it has said."""
        question = self._question
        if question is not None and question.is_over:
            self._handle_waiting()
            if self._question is question:
                self._question = None
                self._take_answer(question)
        is_due = self._ask_at is not None and time.monotonic() >= self._ask_at
        if self._question is None and is_due and self._vip:
            self._ask_at = time.monotonic() + ALIVE_S
            ask = partial(ask_interfaces, self._monitor, self._vip)
            self._question = _Question(ask, self._clock.now_ns())

    def _take_answer(self, question: _Question) -> None:
        if question.found is None:
            self._misses += 1
            if self._misses == MISSES:
                self.health.failed(question.error)
                self._forget(self._clock.now_ns())
            return
        self._misses = 0
        self.health.works()
        if self._moved_ns >= question.asked_ns:
            return  # A line that came since is newer.
        holds = bool(question.found)
        if self._holds is not None and holds != self._holds:
            if self._doubted_ns is None:
                self._doubted_ns, self._ask_at = question.asked_ns, time.monotonic()
                return  # The line about it may be on its way: the next answer decides.
            self._forget(self._doubted_ns)
        self._doubted_ns = None
        self._is_alive_at(question.asked_ns)
        self._interfaces = set(question.found)
        if holds != self._holds:
            if self._holds is None and self._unknown is not None:
                self._unknown = (self._unknown[0], question.asked_ns)
            self._holds = holds
            how = "ip address show, found later"
            self._ownership.address(self._node.name, holds, question.asked_ns, how, changed=True)

    def _forget(self, at_ns: int) -> None:
        """Nothing is known since the last sign of life: no news comes while the way is cut."""
        self._doubted_ns = None
        if self._holds is not None:
            since_ns = at_ns if self._alive_ns is None else min(at_ns, self._alive_ns + 1)
            self._unknown = (since_ns, at_ns)
            self._holds = None
            self._interfaces.clear()
            self._ownership.address(self._node.name, None, since_ns, "", changed=False)

    def _time_of(self, line: AddressLine, arrived_ns: int) -> tuple[int, str]:
        """When it happened: by the node's stamp where its clock is known, else not later than the line's arrival."""
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
        """Ask for the addresses once; `first`: nothing is known from before."""
        asked_ns = self._clock.now_ns()
        try:
            if first:
                self._offset = self._measured_offset()
            if first or not self._vip:
                self._vip = frozenset(find_addresses(self._ownership.vip, TIMEOUT_S))
            found = ask_interfaces(self._monitor, self._vip)
        except (TelemetryError, OSError) as error:
            self.health.failed(str(error))
            found = None
        else:
            self._is_alive_at(asked_ns)
            self.health.works()
        if found is None:
            if first:
                self._ownership.address(self._node.name, None, asked_ns, "", changed=False)
            return
        holds = bool(found)
        self._interfaces = set(found)
        if first or holds != self._holds:
            self._ownership.address(
                self._node.name, holds, asked_ns, "ip address show, found later", changed=not first
            )
        self._holds = holds

    def _measured_offset(self) -> ClockOffset | None:
        """Without an offset the node's stamps say nothing here, and arrival has to do."""
        try:
            return measure_offset(self._node, self._clock)
        except TelemetryError:
            return None

    def _recheck(self) -> None:
        """Once the monitor listens for certain, and after what it has said meanwhile. Again where the target's name
        had no address."""
        self._recheck_at = None
        self._handle_waiting()
        self._look(first=False)
        if not self._vip:
            self._recheck_at = time.monotonic() + RECHECK_S

    def _handle_waiting(self) -> None:
        """The lines that have come by now."""
        for item in self._stream.poll(0):
            self._handle(item)

    def _lost(self, reason: str, at_ns: int) -> None:
        self.health.failed(reason)
        self._recheck_at = self._ask_at = self._question = None
        self._misses = 0
        self._forget(at_ns)
        self.ready.set()
