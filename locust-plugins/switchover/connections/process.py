"""The process of the held connections. The process reads a spec and messages about changes from stdin.

The process stops cleanly on SIGTERM, on SIGINT and at the end of stdin. Stdin also ends when the parent dies.
"""

import asyncio
import gc
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from switchover.connections.connection import Route
from switchover.connections.h2 import run_h2
from switchover.connections.numbered import run_tcp
from switchover.connections.records import STATUS_S, HeldRecords
from switchover.connections.slot import Lateness, Shared, Slot
from switchover.connections.spec import HeldSpec, KeptOpen
from switchover.connections.sse import run_sse
from switchover.connections.transfers import IDLE_PAUSE_S, PAUSE_S, post_repeatedly, run_download, run_upload
from switchover.connections.websocket import run_websocket
from switchover.http.address import resolve
from switchover.http.head import HeadReader
from switchover.http.tls import server_name, tls_context
from switchover.model.clock import Clock
from switchover.model.held_kind import HeldKind
from switchover.process.json_child import send_or_drop
from switchover.process.measuring_child import measure, raise_descriptor_limit

_BY_PLACE: Mapping[HeldKind, Callable[[Slot], Awaitable[None]]] = {
    HeldKind.POOLED: partial(post_repeatedly, pause_s=PAUSE_S),
    HeldKind.IDLE: partial(post_repeatedly, pause_s=IDLE_PAUSE_S),
    HeldKind.DOWNLOAD: run_download,
    HeldKind.UPLOAD: run_upload,
    HeldKind.SSE: run_sse,
    HeldKind.WEBSOCKET: run_websocket,
    HeldKind.TCP: run_tcp,
}


async def run_places(kind: HeldKind, slots: Sequence[Slot]) -> None:
    if kind is HeldKind.H2:
        await run_h2(slots)
        return
    await asyncio.gather(*(_BY_PLACE[kind](slot) for slot in slots))


ROWS_AT_ONCE = 200
"""The maximum number of rows that are formatted at once. Formatting these rows takes 5 ms, in which the process reads
no data."""
_STDIN = 0


class HeldProcess:
    def __init__(self, spec: HeldSpec, clock: Clock) -> None:
        self._parent = os.getppid()
        self._spec = spec
        self._warning = raise_descriptor_limit(spec.connections)
        self._records = HeldRecords(spec, clock.anchor_ns)
        self._lateness = Lateness()
        self._shared = Shared(spec, HeadReader(spec.identity), self._records, self._lateness)
        self._slots = {load.kind: self._places(load) for load in spec.loads}

    async def run(self) -> dict[str, Any]:
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stopped.set)
        os.set_blocking(_STDIN, False)
        loop.add_reader(_STDIN, self._read_stdin, stopped)
        tasks = [asyncio.create_task(run_places(kind, slots)) for kind, slots in self._slots.items()]
        tasks += [asyncio.create_task(self._lateness.watch()), asyncio.create_task(self._report_status(stopped))]
        ended = asyncio.create_task(stopped.wait())
        done, _ = await asyncio.wait([ended, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for over in done - {ended}:
            over.result()
        self._records.close()
        return self._records.account() | {
            "connections": {kind: len(slots) for kind, slots in self._slots.items()},
            "late_ms": round(self._lateness.longest_ms, 1),
            "warning": self._warning,
        }

    def start(self) -> dict[str, Any]:
        return asyncio.run(self.run())

    def _places(self, load: KeptOpen) -> list[Slot]:
        endpoint = self._spec.endpoint
        tcp = load.kind is HeldKind.TCP
        endpoint = replace(endpoint, url=f"http://{urlsplit(load.url).netloc}" if tcp else load.url)
        tls = None
        if endpoint.url.startswith("https:"):
            protocol = "h2" if load.kind is HeldKind.H2 else "http/1.1"
            tls = tls_context(endpoint.ca, endpoint.insecure, protocol)
        route = Route(resolve(endpoint.host, endpoint.port), tls, server_name(endpoint))
        return [Slot(load, number, route, endpoint, self._shared) for number in range(1, load.count + 1)]

    def _read_stdin(self, stopped: asyncio.Event) -> None:
        data = os.read(_STDIN, 65536)
        self._records.read_messages(data)
        if not data:
            asyncio.get_running_loop().remove_reader(_STDIN)
            stopped.set()

    async def _report_status(self, stopped: asyncio.Event) -> None:
        while True:
            await asyncio.sleep(STATUS_S)
            if os.getppid() != self._parent:
                stopped.set()
            self._records.flush(ROWS_AT_ONCE)
            send_or_drop(self._status())

    def _status(self) -> dict[str, Any]:
        workers: Counter[str] = Counter()
        for slots in self._slots.values():
            workers.update(slot.on_process for slot in slots if slot.is_open and slot.worker)
        is_open = {kind: sum(slot.is_open for slot in slots) for kind, slots in self._slots.items()}
        return self._records.status() | {"workers": dict(workers), "open": is_open}


def main() -> None:
    gc.freeze()
    measure(lambda spec: HeldProcess(HeldSpec.from_json(spec), Clock.of_process()).start)
