"""Rows of held connections as a test writes them, and the changes that they are about."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from support.report_runs import nothing
from support.request_tables import table_of
from support.run_directories import written
from switchover.evidence.held_rows import HeldRows, read_held_rows
from switchover.evidence.requests.store import Store
from switchover.evidence.requests.table import Requests
from switchover.model.failure_kind import FailureKind
from switchover.model.held_kind import HeldKind
from switchover.model.identity import NO_ANSWER
from switchover.rundir.run_directory import ChangeRun, FaultRun
from switchover.rundir.sample_log import HELD_FILE, EndedBy, HeldWriter
from synthetic import sample

SECOND_US = 1_000_000
START_US = 1_700_000_000 * SECOND_US
EVERY_US = 5 * SECOND_US


def change(number: int, *, exposed: int = 1, lingering: bool = False) -> ChangeRun:
    """Number 1 begins 5 s after the start, each takes 100 ms and has settled after a second."""
    from_us = START_US + number * EVERY_US
    return ChangeRun(
        number=number,
        from_us=from_us,
        to_us=from_us + 100_000,
        confirmed_us=from_us + 120_000,
        settled_us=None if lingering else from_us + SECOND_US,
        lingering=["lb1 6"] if lingering else [],
        exposed={kind.value: exposed for kind in HeldKind},
    )


class Rows:
    """Writes rows one by one; times in microseconds after the start."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._writer = HeldWriter(log)

    def add(
        self,
        at_us: int,
        *,
        kind: HeldKind = HeldKind.POOLED,
        took_us: int = 1_000,
        error: FailureKind | None = None,
        ended_by: EndedBy | None = None,
        number: int | None = None,
        worker: str = "6",
        place: str = "1.1",
        latency_us: int = 1,
        attempts: int = 1,
        thread: str = "",
    ) -> None:
        """`thread`: of a retrying client; else it is of the kind and the place."""
        row = sample(
            START_US + at_us,
            START_US + at_us + took_us,
            success=error is None,
            error=error,
            identity=None if error is None else NO_ANSWER,
            stream=kind,
            attempts=attempts,
            thread=thread or f"{kind} {place}",
        )._replace(label=kind, latency_us=latency_us)
        self._writer.write_row(row, ended_by=ended_by, position=0, worker=worker, change=number)

    def read(self) -> HeldRows:
        self._writer.close()
        rows = read_held_rows(Store(), [self._log])
        assert rows is not None
        return rows


def no_samples() -> Requests:
    return table_of([])


def end_us(changes: Iterable[ChangeRun]) -> int:
    return max(change.from_us or 0 for change in changes) + 2 * EVERY_US


def series(directory: Path, times: int = 3) -> Path:
    """A run of so many changes: each closes a pooled connection politely, every third loses another and an upload."""
    data = nothing()
    made = [change(number, exposed=10) for number in range(1, times + 1)]
    data.run.change = FaultRun(name="haproxy-reload", kind="master", victim="lb1")
    data.run.plan.start_us, data.run.plan.end_us = START_US, end_us(made)
    data.run.plan.changes = [asdict(one) for one in made]
    rows = Rows(written(directory, data) / HELD_FILE)
    for at_us in range(0, 1_000_000, 2_000):
        rows.add(at_us)
    for one in made:
        at_us = one.number * EVERY_US
        rows.add(at_us + 1, number=one.number, took_us=40_000)
        rows.add(at_us + 2, number=one.number, ended_by=EndedBy.FIN)
        if one.number % 3 == 0:
            rows.add(at_us + 3, number=one.number, error=FailureKind.RESET, ended_by=EndedBy.RST, place="2.1")
            rows.add(at_us + 4, kind=HeldKind.UPLOAD, number=one.number, error=FailureKind.TRUNCATED, worker="")
    rows.read()
    return directory
