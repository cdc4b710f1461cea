"""The event loop: what is due is sent first, then what has arrived is read, then what is over is ended."""

import select
from collections.abc import Callable
from time import monotonic_ns

from switchover.prober.account import ProbeStream
from switchover.prober.records import Records
from switchover.prober.sockets import ProbeSockets

BURST = 16
"""Probes sent in a row when behind, and events read in a row: neither may hold up the other for long."""
FLUSH_NS = 100_000_000
"""How much of the sample log a SIGKILL can cost."""
STATUS_NS = 1_000_000_000

_NEVER_NS = 1 << 63


class Loop:
    """Runs until `stop`, then until the last probe under way has ended."""

    def __init__(
        self,
        epoll: select.epoll,
        sockets: ProbeSockets,
        records: Records,
        streams: list[tuple[ProbeStream, bool]],
        *,
        tick: Callable[[int], None],
        control: Callable[[int], None],
    ) -> None:
        """`streams`: each with whether it keeps connections. `tick` is called once a second with the time,
        `control` with a descriptor that is ready and no connection's."""
        self._epoll = epoll
        self._sockets = sockets
        self._records = records
        self._streams = streams
        self._tick = tick
        self._control = control
        self._stopping = False
        self._next_due_ns = 0

    def stop(self) -> None:
        """Send nothing more; every slot that is behind us counts as scheduled, no later one."""
        self._stopping = True
        self._next_due_ns = _NEVER_NS

    def run(self) -> None:
        # epoll_wait(2) counts in whole ms; select(2), asked about the one epoll descriptor, in µs.
        sockets, records, epoll = self._sockets, self._records, self._epoll
        epoll_alone = (epoll.fileno(),)
        next_flush_ns = next_status_ns = monotonic_ns()
        while sockets.open or not self._stopping:
            now_ns = monotonic_ns()
            if now_ns >= self._next_due_ns:
                self._send_due(now_ns)
            wait_ns = min(self._next_due_ns, sockets.next_expiry_ns, next_flush_ns, next_status_ns) - monotonic_ns()
            if wait_ns > 0 and not select.select(epoll_alone, (), (), wait_ns / 1e9)[0]:
                events = []
            else:
                events = epoll.poll(0, BURST)
            connections = sockets.connections
            for fd, _ in events:
                connection = connections.get(fd)
                if connection is not None:
                    sockets.ready(connection)
                else:
                    self._control(fd)
            now_ns = monotonic_ns()
            if now_ns >= sockets.next_expiry_ns and len(events) < BURST:
                # All that had arrived has been read: no probe is timed out whose answer was waiting here.
                sockets.expire(now_ns)
            records.record_batch()
            if now_ns >= next_flush_ns:
                records.flush()
                next_flush_ns = now_ns + FLUSH_NS
            if now_ns >= next_status_ns:
                self._tick(now_ns)
                next_status_ns = now_ns + STATUS_NS

    def _send_due(self, now_ns: int) -> None:
        next_due_ns = _NEVER_NS
        for stream, keep in self._streams:
            schedule = stream.schedule
            schedule.give_up_stale(now_ns)
            sent = 0
            while schedule.next_due_ns <= now_ns and sent < BURST:
                self._sockets.send(stream, schedule.take(), keep=keep)
                sent += 1
            if schedule.next_due_ns < next_due_ns:
                next_due_ns = schedule.next_due_ns
        self._next_due_ns = next_due_ns
