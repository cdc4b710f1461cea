"""All kinds by name: what runs the places of each."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from switchover.connections.download import run_download
from switchover.connections.h2 import run_h2
from switchover.connections.idle import run_idle
from switchover.connections.pooled import run_pooled
from switchover.connections.slot import Slot
from switchover.connections.sse import run_sse
from switchover.connections.tcp import run_tcp
from switchover.connections.upload import run_upload
from switchover.connections.websocket import run_websocket
from switchover.model.held_kind import HeldKind

_BY_PLACE: Mapping[HeldKind, Callable[[Slot], Awaitable[None]]] = {
    HeldKind.POOLED: run_pooled,
    HeldKind.IDLE: run_idle,
    HeldKind.DOWNLOAD: run_download,
    HeldKind.UPLOAD: run_upload,
    HeldKind.SSE: run_sse,
    HeldKind.WEBSOCKET: run_websocket,
    HeldKind.TCP: run_tcp,
}


async def run_places(kind: HeldKind, slots: Sequence[Slot]) -> None:
    """Keep the connections of a kind open until it is cancelled."""
    if kind is HeldKind.H2:
        await run_h2(slots)
        return
    await asyncio.gather(*(_BY_PLACE[kind](slot) for slot in slots))
