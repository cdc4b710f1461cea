"""The prober process. It reads a spec from stdin, and writes its status each second, and finally its account.

It stops cleanly on SIGTERM, on SIGINT, and at the end of stdin, when the parent closes stdin or dies.
"""

import gc
import os
import resource
import select
import signal
import time
from time import monotonic_ns
from types import FrameType
from typing import Any

from switchover.http.address import resolve
from switchover.http.head import HeadReader
from switchover.model.clock import Clock
from switchover.prober.account import KEPT, ProbeStream, Schedule
from switchover.prober.records import Records
from switchover.prober.sockets import ProbeSockets
from switchover.prober.spec import ProberSpec, exact_rate
from switchover.process.json_child import send_or_drop
from switchover.process.measuring_child import measure, raise_descriptor_limit

BURST = 16
"""The maximum number of probes that one round of the loop sends, and of events that it handles, so that sending and
receiving do not delay each other."""
FLUSH_NS = 100_000_000
"""The interval, in nanoseconds, between two flushes of the sample log. SIGKILL loses at most the samples of one
interval."""
STATUS_NS = 1_000_000_000

_NEVER_NS = 1 << 63


BUSY_LIMIT_US = 200_000
"""If the prober uses the CPU for this time without a pause, it gives up real-time scheduling, so that the balancers
can run."""


def become_realtime() -> None:
    """Request real-time scheduling at its lowest priority.

    At 1,000 probes/s on two busy cores, the 99th percentile of the send lag was 9 to 23 ms with normal scheduling,
    and 0.2 to 0.4 ms with real-time scheduling.
    """
    signal.signal(signal.SIGXCPU, _give_back)
    _, hard = resource.getrlimit(resource.RLIMIT_RTTIME)
    try:
        resource.setrlimit(resource.RLIMIT_RTTIME, (BUSY_LIMIT_US, hard))
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(os.sched_get_priority_min(os.SCHED_RR)))
    except (OSError, ValueError):
        return


def is_realtime() -> bool:
    return os.sched_getscheduler(0) == os.SCHED_RR


def _give_back(_number: int, _frame: FrameType | None) -> None:
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


HEAD_START_NS = 5_000_000
ENDING = (signal.SIGTERM, signal.SIGINT)

_STDIN = 0


class ProberProcess:
    def __init__(self, spec: ProberSpec, clock: Clock) -> None:
        self._clock = clock
        self._parent = os.getppid()
        peer = resolve(spec.endpoint.host, spec.endpoint.port)
        self._warning = raise_descriptor_limit(spec.open_at_most)
        self._epoll = select.epoll()
        self._epoll.register(_STDIN, select.EPOLLIN)
        self._heads = HeadReader(spec.identity)
        self._records = records = Records(spec, clock.anchor_ns)
        self._sockets = ProbeSockets(spec, peer, self._heads, self._epoll, records.add, records.note_certificate)
        # The first due time is at a whole µs of the run's clock.
        anchor_ns = clock.anchor_ns
        start_ns = (monotonic_ns() + anchor_ns + HEAD_START_NS) // 1000 * 1000 - anchor_ns
        fresh = Schedule(start_ns, exact_rate(spec.rate), spec.stale_ns)
        self._streams = [ProbeStream("fresh", fresh)]
        if spec.kept_rate:
            # The two streams are half an interval apart, so that the probes of one stream do not delay the other
            # stream.
            first_ns = start_ns + round(0.5e9 / spec.rate) // 1000 * 1000
            keep_alive = Schedule(first_ns, exact_rate(spec.kept_rate), spec.stale_ns)
            self._streams.append(ProbeStream(KEPT, keep_alive))
        self._stopping = self._must_stop = False
        self._next_due_ns = 0
        for number in ENDING:
            signal.signal(number, self._note_signal)

    def run(self) -> dict[str, Any]:
        become_realtime()
        begun_s, cpu_s = time.monotonic(), time.process_time()
        self._measure()
        percent = round(100 * (time.process_time() - cpu_s) / (time.monotonic() - begun_s), 2)
        realtime = is_realtime()
        self._sockets.close()
        self._records.close()
        names = "more than 256 names of backends or balancers: further names are 'other'"
        fresh, *keep_alive = (stream.account(self._clock.anchor_ns) for stream in self._streams)
        return {
            **fresh,
            "kept": keep_alive[0] if keep_alive else None,
            "cpu_percent": percent,
            "realtime": realtime,
            "lost": self._records.lost,
            "warning": self._records.warning or self._warning or (names if self._heads.who.overflowed else None),
            "seals": self._records.seals,
        }

    def _measure(self) -> None:
        # epoll_wait(2) waits in whole ms. select(2) on the epoll descriptor waits in µs.
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
                elif not os.read(fd, 65536):
                    epoll.unregister(fd)
                    self._stop()
            now_ns = monotonic_ns()
            if now_ns >= sockets.next_expiry_ns and len(events) < BURST:
                # All received data has been read, so no probe times out after its response arrived.
                sockets.expire(now_ns)
            records.record_batch()
            if now_ns >= next_flush_ns:
                records.flush()
                next_flush_ns = now_ns + FLUSH_NS
                if self._must_stop:
                    self._stop()
            if now_ns >= next_status_ns:
                self._tick(now_ns)
                next_status_ns = now_ns + STATUS_NS

    def _send_due(self, now_ns: int) -> None:
        next_due_ns = _NEVER_NS
        for stream in self._streams:
            schedule = stream.schedule
            schedule.give_up_stale(now_ns)
            sent = 0
            while schedule.next_due_ns <= now_ns and sent < BURST:
                self._sockets.send(stream, schedule.take())
                sent += 1
            if schedule.next_due_ns < next_due_ns:
                next_due_ns = schedule.next_due_ns
        self._next_due_ns = next_due_ns

    def _stop(self) -> None:
        self._stopping = True
        self._next_due_ns = _NEVER_NS

    def _note_signal(self, _number: int, _frame: FrameType | None) -> None:
        """Stop at the next flush, so that no send is interrupted."""
        self._must_stop = True

    def _tick(self, now_ns: int) -> None:
        if os.getppid() != self._parent:
            self._stop()
        self._records.flush()
        status, *keep_alive = (stream.status() for stream in self._streams)
        send_or_drop(status | ({"kept": keep_alive[0]} if keep_alive else {}))
        self._records.flush_traffic((now_ns + self._clock.anchor_ns) // 1000)


def main() -> None:
    # Garbage collection would delay probes. Objects that are created from here on have no cycles.
    gc.freeze()
    gc.disable()
    measure(lambda spec: ProberProcess(ProberSpec.from_json(spec), Clock.of_process()).run)
