"""The exchanges of the held connections, their rows in connections.jtl, and the counts while the process runs."""

import json
from collections import Counter
from dataclasses import dataclass, field
from time import monotonic_ns
from typing import Any

from switchover.connections.spec import HeldSpec
from switchover.http.head import AnswerHead, TimedRequest, sample_of
from switchover.model.failure_kind import FailureKind
from switchover.model.held_kind import HeldKind
from switchover.model.redaction import public_url
from switchover.rundir.sample_log import EndedBy, HeldWriter
from switchover.target.model import StatusRanges

STATUS_S = 0.1
"""The interval between two status reports, in seconds. A status shows whether connections still use an old balancer
process."""


@dataclass(slots=True, eq=False)
class HeldExchange(TimedRequest):
    """One request or message, which becomes a row of connections.jtl."""

    thread: str
    start_ns: int = field(default_factory=monotonic_ns, kw_only=True)
    head: AnswerHead | None = None
    nbytes: int = 0
    attempts: int = 0
    """The number of attempts to send the request: 1 as soon as its first byte was passed to the kernel. Only the
    retrying client makes more attempts."""
    ended_by: EndedBy | None = None
    position: int | None = None
    worker: str = ""

    def fail(self, error: FailureKind, message: str, ended_by: EndedBy | None = None) -> None:
        self.error, self.message, self.ended_by = error, message, ended_by

    def check_status(self, status: int, expected: StatusRanges) -> bool:
        if status not in expected:
            self.fail(FailureKind.STATUS, f"status {status} is not among {expected}")
        return status in expected


class HeldRecords:
    """The rows and the counts of the held connections. Rows that are lost because the disk is full are counted."""

    def __init__(self, spec: HeldSpec, anchor_ns: int) -> None:
        self._anchor_ns = anchor_ns
        self._rest = b""
        self._writer = HeldWriter(spec.log)
        self._urls = {load.kind: public_url(load.url) for load in spec.loads}
        self._changes: list[tuple[int, int | None]] = []
        """The times when each change started and settled, in ns of the monotonic clock."""
        self._waiting: list[tuple[HeldKind, HeldExchange, int | None]] = []
        """The exchanges that are not written yet, each with its kind and the number of its change. Exchanges wait
        here because a reload ends hundreds of exchanges at once."""
        self._written: Counter[HeldKind] = Counter()
        self._failed: Counter[HeldKind] = Counter()
        self._generator_errors = 0
        self._last_loss = ""

    def read_messages(self, data: bytes) -> None:
        """Read the parent's messages. Each message is a JSON line: `{"change": n}` or `{"settled": n}`."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "change" in message:
                self._changes.append((monotonic_ns(), None))
            elif "settled" in message and self._changes:
                self._changes[-1] = (self._changes[-1][0], monotonic_ns())

    def conclude(self, kind: HeldKind, exchange: HeldExchange) -> None:
        exchange.end_ns = exchange.end_ns or monotonic_ns()
        error = exchange.error
        self._written[kind] += 1
        if error is FailureKind.GENERATOR:
            self._generator_errors += 1
        elif error is not None:
            self._failed[kind] += 1
            self._last_loss = f"{kind}: {exchange.message}"
        self._waiting.append((kind, exchange, self._change_of(exchange)))

    def _change_of(self, exchange: HeldExchange) -> int | None:
        """Return the latest change that began before the exchange ended, and had not settled when the exchange
        began."""
        for number in range(len(self._changes), 0, -1):
            began_ns, settled_ns = self._changes[number - 1]
            if began_ns <= exchange.end_ns:
                return None if settled_ns is not None and settled_ns < exchange.start_ns else number
        return None

    def status(self) -> dict[str, Any]:
        return {
            "requests": sum(self._written.values()),
            "failed": dict(self._failed),
            "generator_errors": self._generator_errors,
            "last_loss": self._last_loss,
        }

    def account(self) -> dict[str, Any]:
        """Return the final status, the checksums (`seals`), and the number of rows that could not be written
        (`lost`)."""
        return self.status() | {"lost": self._writer.lost, "seals": self._writer.seals}

    def flush(self, at_most: int | None = None) -> None:
        limit = len(self._waiting) if at_most is None else max(at_most, len(self._waiting) // 10)
        batch, self._waiting = self._waiting[:limit], self._waiting[limit:]
        for kind, exchange, change in batch:
            row = sample_of(
                exchange,
                exchange.head,
                self._anchor_ns,
                label=kind,
                thread=exchange.thread,
                nbytes=exchange.nbytes,
                url=self._urls[kind],
                attempts=exchange.attempts,
                stream=kind,
            )
            self._writer.write_row(
                row, ended_by=exchange.ended_by, position=exchange.position, worker=exchange.worker, change=change
            )
        self._writer.flush()

    def close(self) -> None:
        self.flush()
        self._writer.close()
