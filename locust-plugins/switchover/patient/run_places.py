"""All kinds by name: what runs the places of each."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from switchover.model.patient_kind import PatientKind
from switchover.patient.download import run_download
from switchover.patient.h2 import run_h2
from switchover.patient.idle import run_idle
from switchover.patient.pooled import run_pooled
from switchover.patient.slot import Slot
from switchover.patient.sse import run_sse
from switchover.patient.tcp import run_tcp
from switchover.patient.upload import run_upload
from switchover.patient.websocket import run_websocket

_BY_PLACE: Mapping[PatientKind, Callable[[Slot], Awaitable[None]]] = {
    PatientKind.POOLED: run_pooled,
    PatientKind.IDLE: run_idle,
    PatientKind.DOWNLOAD: run_download,
    PatientKind.UPLOAD: run_upload,
    PatientKind.SSE: run_sse,
    PatientKind.WEBSOCKET: run_websocket,
    PatientKind.TCP: run_tcp,
}


async def run_places(kind: PatientKind, slots: Sequence[Slot]) -> None:
    """Keep the connections of a kind open until it is cancelled."""
    if kind is PatientKind.H2:
        await run_h2(slots)
        return
    await asyncio.gather(*(_BY_PLACE[kind](slot) for slot in slots))
