"""A slot: keeps one connection open, and opens a new connection after the end of the old connection."""

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic_ns

from switchover.connections.connection import HeldConnection, Route
from switchover.connections.records import HeldExchange, HeldRecords
from switchover.connections.spec import HeldSpec, KeptOpen
from switchover.http.answer import AnswerProgress, CountedAnswer
from switchover.http.head import AnswerHead, HeadReader
from switchover.model.failure_kind import FailureKind, kind_of_os_error
from switchover.rundir.sample_log import EndedBy
from switchover.target.model import Endpoint

STEP_S = 0.02
NOTED_NS = 20_000_000
"""The minimum lateness that is recorded, in nanoseconds. The event loop itself causes shorter lateness."""
LATE_PERIODS_LIMIT = 512


class Lateness:
    def __init__(self) -> None:
        self._late_periods: deque[tuple[int, int]] = deque(maxlen=LATE_PERIODS_LIMIT)
        """The end and the duration, in nanoseconds, of each period in which this process was late."""
        self.longest_ms = 0.0

    async def watch(self) -> None:
        while True:
            before_ns = monotonic_ns()
            await asyncio.sleep(STEP_S)
            now_ns = monotonic_ns()
            late_ns = now_ns - before_ns - round(STEP_S * 1e9)
            if late_ns > NOTED_NS:
                self._late_periods.append((now_ns, late_ns))
                self.longest_ms = max(self.longest_ms, late_ns / 1e6)

    def since_ms(self, start_ns: int) -> float:
        return sum(late_ns for ended_ns, late_ns in self._late_periods if ended_ns >= start_ns) / 1e6


OPEN_WITHIN_S = 0.5
"""The maximum random delay, in seconds, before a connection is reopened, as in real pools."""
STREAM_PAUSE_S = (0.0, 0.2)
RETRY_S = 0.2
"""The pause, in seconds, between two attempts to reopen a connection while no request is due."""
BODY_LIMIT = 1 << 40
"""The maximum size of a body, in bytes. No body reaches this size, even if a stream lasts as long as the run."""


class Slot:
    """The owner of one connection. Only one coroutine uses a slot."""

    def __init__(self, load: KeptOpen, number: int, route: Route, endpoint: Endpoint, shared: "Shared") -> None:
        self.kind = load.kind
        self.number = number
        self.route = route
        self.endpoint = endpoint
        self.shared = shared
        self.random = random.Random(f"{shared.spec.seed} {load.kind} {number}")
        self.connection: HeldConnection | None = None
        self.worker = ""
        self.balancer = ""
        """The balancer of this connection, according to the last response. `worker` is the process id of this
        balancer."""
        self.session: HeldConnection | None = None
        """The HTTP/2 connection that this slot shares with other slots."""
        self._opened = 0

    @property
    def spec(self) -> HeldSpec:
        return self.shared.spec

    @property
    def is_open(self) -> bool:
        return any(
            connection is not None and connection.ended_by is None for connection in (self.connection, self.session)
        )

    @property
    def on_process(self) -> str:
        """The balancer of this connection and its process id. Two balancers may have the same process id."""
        return f"{self.balancer} {self.worker}".strip()

    @asynccontextmanager
    async def exchange(self, due_ns: int = 0) -> AsyncIterator[HeldExchange]:
        """Yield an exchange, and record the exchange after the block. The exchange fails if the connection fails or
        the run ends."""
        exchange = HeldExchange(f"{self.kind} {self.number}.{self._opened}", due_ns=due_ns, worker=self.worker)
        try:
            yield exchange
        except asyncio.CancelledError:
            exchange.fail(FailureKind.GENERATOR, "the run ended during this request")
            self.shared.records.conclude(self.kind, exchange)
            raise
        except TimeoutError:
            self._fail_by_silence(exchange)
        except OSError as error:
            kind = kind_of_os_error(error, connecting=not exchange.attempts)
            exchange.fail(kind, error.strerror or str(error))
            self.drop()
        if exchange.head is not None and exchange.head.worker:
            exchange.worker = self.worker = exchange.head.worker
            self.balancer = exchange.head.identity.balancer
        self.shared.records.conclude(self.kind, exchange)

    async def connect(self, exchange: HeldExchange | None = None) -> HeldConnection:
        self.drop()
        self._opened += 1
        if exchange is not None:
            exchange.thread, exchange.worker = f"{self.kind} {self.number}.{self._opened}", ""
        self.connection = await HeldConnection.open(self.route, self.spec.timeout_connect_s)
        if exchange is not None:
            exchange.connected_ns = monotonic_ns()
        return self.connection

    def drop(self) -> None:
        if self.connection is not None:
            self.connection.close()
        self.connection, self.worker = None, ""

    async def rest(self, pause_s: tuple[float, float]) -> int:
        """Wait for a random time between the two values of `pause_s`. Returns the time at which the wait was due to
        end."""
        due_ns = monotonic_ns() + self.pause_ns(pause_s)
        await self.rest_until(due_ns)
        return due_ns

    def pause_ns(self, pause_s: tuple[float, float]) -> int:
        return round(self.random.uniform(*pause_s) * 1e9)

    async def rest_until(self, due_ns: int) -> None:
        """Wait until `due_ns`. If the connection is closed before `due_ns`, record a graceful close and reconnect."""
        reopen_ns = monotonic_ns() if self.connection is None and not self._opened else 0
        while (left_ns := due_ns - monotonic_ns()) > 0:
            connection = self.connection
            if connection is not None and connection.ended_by is None:
                try:
                    if await connection.more(left_ns / 1e9) or connection.ended_by is not None:
                        await self.close_gracefully(connection)
                except TimeoutError:
                    return
                continue
            reopen_ns = reopen_ns or monotonic_ns() + round(self.random.uniform(0, OPEN_WITHIN_S) * 1e9)
            if reopen_ns <= monotonic_ns():
                try:
                    await self.connect()
                    reopen_ns = 0
                    continue
                except OSError:  # OSError includes TimeoutError; the next due request reports the error
                    reopen_ns = monotonic_ns() + round(RETRY_S * 1e9)
            await asyncio.sleep(max(0.0, min(due_ns, reopen_ns) - monotonic_ns()) / 1e9)

    async def close_gracefully(self, connection: HeldConnection, by: EndedBy | None = None) -> None:
        """Record that a connection was closed while no request was in progress. Such a close is not a loss."""
        async with self.exchange() as exchange:
            exchange.ended_by = by or connection.ended_by or EndedBy.FIN
            exchange.start_ns = exchange.end_ns = connection.ended_ns or monotonic_ns()
        self.drop()

    async def fit_connection(self, exchange: HeldExchange) -> HeldConnection:
        """Return the connection of this slot if the connection is usable, otherwise open a new connection.

        As in urllib3, no request is sent on a connection after the FIN or RST of the server was received.
        """
        connection = self.connection
        if connection is not None:
            if await connection.is_open():
                return connection
            await self.close_gracefully(connection)
        return await self.connect(exchange)

    async def ask(self, request: bytes, due_ns: int) -> None:
        async with self.exchange(due_ns) as exchange:
            connection = await self.send_request(exchange, request)
            answer = self.shared.answer()
            succeeded = await self.read_answer(connection, exchange, answer)
            self.finish(exchange, answer, succeeded=succeeded)

    async def send_request(self, exchange: HeldExchange, request: bytes) -> HeldConnection:
        connection = await self.fit_connection(exchange)
        connection.first_ns = 0
        exchange.attempts, exchange.sent_bytes = 1, len(request)
        connection.send(request)
        return connection

    async def read_answer(
        self,
        connection: HeldConnection,
        exchange: HeldExchange,
        answer: CountedAnswer[AnswerHead],
        *,
        until_head: bool = False,
    ) -> bool:
        """Read the response, or only its head. Returns False on failure, and stores the reason in the exchange."""
        while True:
            if connection.received:
                progress = answer.feed(connection.take())
            elif connection.ended_by is not None:
                progress = answer.end() if connection.ended_by is EndedBy.FIN else AnswerProgress.MORE
            else:
                await connection.more(self.spec.timeout_read_s)
                continue
            exchange.first_ns, exchange.nbytes = connection.first_ns, answer.nbytes
            exchange.head, exchange.position = answer.head, answer.body_bytes
            if progress is AnswerProgress.BROKEN:
                exchange.fail(FailureKind.PROTOCOL, answer.violation)
                return False
            if progress is AnswerProgress.DONE or (until_head and answer.head is not None):
                assert answer.head is not None
                return exchange.check_status(answer.head.status, self.endpoint.expect)
            if connection.ended_by is not None and not connection.received:
                self.fail_by_end(exchange, connection, f"{answer.nbytes} bytes of the answer")
                return False

    def fail_by_end(self, exchange: HeldExchange, connection: HeldConnection, after: str) -> None:
        if connection.ended_by is None:
            exchange.fail(FailureKind.PROTOCOL, f"invalid data after {after}")
        elif connection.ended_by is EndedBy.RST:
            exchange.fail(FailureKind.RESET, f"reset after {after}", EndedBy.RST)
        else:
            exchange.fail(FailureKind.TRUNCATED, f"closed after {after}", EndedBy.FIN)
        exchange.end_ns = connection.ended_ns

    def finish(self, exchange: HeldExchange, answer: CountedAnswer[AnswerHead], *, succeeded: bool) -> None:
        """Close the connection after a failure, or if the response requires a close. Otherwise, keep the connection
        open."""
        if succeeded and answer.head is not None and answer.head.persistent and not answer.surplus:
            return
        if exchange.error is None and exchange.ended_by is None:
            exchange.ended_by = EndedBy.CLOSE
        self.drop()

    def stood_still_ms(self, exchange: HeldExchange, limit_s: float) -> float:
        """Return the lateness of this process since the start of the exchange, in milliseconds, or 0 if the lateness
        is at most a quarter of `limit_s`."""
        late_ms = self.shared.lateness.since_ms(exchange.start_ns)
        return late_ms if late_ms > limit_s * 1000 / 4 else 0.0

    def _fail_by_silence(self, exchange: HeldExchange) -> None:
        connecting = self.connection is None and not exchange.attempts  # h2: several streams share a session
        is_stream = exchange.position is not None
        read_s = self.spec.timeout_of(self.kind) if is_stream else self.spec.timeout_read_s
        limit_s = self.spec.timeout_connect_s if connecting else read_s
        if late_ms := self.stood_still_ms(exchange, limit_s):
            exchange.fail(FailureKind.GENERATOR, f"timed out, but this process was late by {late_ms:.0f} ms")
        elif connecting:
            exchange.fail(FailureKind.CONNECT_TIMEOUT, f"no connection within {limit_s:g} s", EndedBy.SILENCE)
        else:
            exchange.fail(FailureKind.READ_TIMEOUT, f"no data for {limit_s:g} s", EndedBy.SILENCE)
        self.drop()


@dataclass(frozen=True, slots=True)
class Shared:
    spec: HeldSpec
    heads: HeadReader
    records: HeldRecords
    lateness: Lateness

    def answer(self, content: bytearray | None = None) -> CountedAnswer[AnswerHead]:
        return CountedAnswer(self.heads.read, content, BODY_LIMIT)
