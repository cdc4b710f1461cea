"""The retrying client: a separate process that sends the load of `pooled` with urllib3 and its default retries.

In a row, `attempts` is the number of all attempts, and the message contains the reason of the first retry.
"""

import os
import random
import select
import signal
import threading
from dataclasses import replace
from http.client import RemoteDisconnected
from time import monotonic_ns
from typing import Any

import urllib3

from switchover.connections.records import STATUS_S, HeldExchange, HeldRecords
from switchover.connections.spec import USER_AGENT, HeldSpec
from switchover.connections.transfers import BODY, PAUSE_S
from switchover.http.head import HeadReader
from switchover.http.request import headers_of, path_of
from switchover.http.tls import server_name, tls_context
from switchover.model.clock import Clock
from switchover.model.failure_kind import FailureKind, kind_of_os_error
from switchover.process.json_child import run, send_or_drop
from switchover.process.measuring_child import measure
from switchover.rundir.sample_log import EndedBy

_STDIN = 0


class RetryingClientProcess:
    def __init__(self, spec: HeldSpec, clock: Clock) -> None:
        self._spec = spec
        (self._load,) = spec.loads
        self._records = HeldRecords(spec, clock.anchor_ns)
        self._lock = threading.Lock()
        self._heads = HeadReader(spec.identity)
        self._endpoint = replace(spec.endpoint, url=self._load.url)
        self._stopped = threading.Event()

    def run(self) -> dict[str, Any]:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stopped.set())
        numbers = range(1, self._load.count + 1)
        threads = [threading.Thread(target=self._send_repeatedly, args=(number,), daemon=True) for number in numbers]
        for thread in threads:
            thread.start()
        self._listen()
        deadline_ns = monotonic_ns() + round(self._spec.longest_s * 1e9)
        for thread in threads:
            thread.join(max(0.0, (deadline_ns - monotonic_ns()) / 1e9))
        with self._lock:
            self._records.close()
            return self._records.account()

    def _listen(self) -> None:
        """Read the parent's messages, and report the status, until stdin ends."""
        while not self._stopped.is_set():
            data = os.read(_STDIN, 65536) if select.select([_STDIN], [], [], STATUS_S)[0] else None
            if data == b"":
                self._stopped.set()
            with self._lock:
                self._records.read_messages(data or b"")
                self._records.flush()
                status = self._records.status()
            send_or_drop(status)

    def _send_repeatedly(self, number: int) -> None:
        """Send requests through a urllib3 pool of one connection. An unexpected exception stops all threads."""
        try:
            pool, moments = self._new_pool(), random.Random(f"{self._spec.seed} retrying client {number}")
            due_ns = monotonic_ns()
            while True:
                due_ns = max(due_ns + round(moments.uniform(*PAUSE_S) * 1e9), monotonic_ns())
                if self._stopped.wait((due_ns - monotonic_ns()) / 1e9):
                    return
                exchange = HeldExchange(f"urllib3 {number}", due_ns=due_ns)
                self._send(pool, exchange)
                with self._lock:
                    self._records.conclude(self._load.kind, exchange)
        finally:
            self._stopped.set()

    def _send(self, pool: urllib3.HTTPConnectionPool, exchange: HeldExchange) -> None:
        exchange.attempts, exchange.sent_bytes = 1, len(BODY)
        try:
            answer = pool.urlopen(self._spec.method, path_of(self._endpoint), body=BODY)
        except urllib3.exceptions.MaxRetryError as error:
            exchange.attempts = 1 + int(urllib3.Retry.DEFAULT.total or 0)
            _fail(exchange, error.reason or error)
        except urllib3.exceptions.HTTPError as error:
            _fail(exchange, error)
        else:
            history = answer.retries.history if answer.retries else ()
            resent = [str(retry.error) for retry in history if retry.error is not None]
            exchange.attempts += len(resent)
            exchange.message = f"retried by urllib3: {resent[0]}" if resent else ""
            exchange.nbytes = len(answer.data)
            pairs = list(answer.headers.items())
            with self._lock:
                exchange.head = self._heads.head_of(answer.status, pairs)
            exchange.worker = exchange.head.worker
            exchange.check_status(answer.status, self._spec.endpoint.expect)
        exchange.end_ns = exchange.first_ns = monotonic_ns()

    def _new_pool(self) -> urllib3.HTTPConnectionPool:
        """Return a pool with urllib3's defaults, but with the timeouts of the held connections."""
        spec, endpoint = self._spec, self._endpoint
        timeout = urllib3.Timeout(connect=spec.timeout_connect_s, read=spec.timeout_read_s)
        headers = dict(headers_of(endpoint, USER_AGENT).values())
        if not endpoint.url.startswith("https:"):
            return urllib3.HTTPConnectionPool(endpoint.host, endpoint.port, timeout=timeout, headers=headers)
        name = server_name(endpoint)
        return urllib3.HTTPSConnectionPool(
            endpoint.host,
            endpoint.port,
            timeout=timeout,
            headers=headers,
            ssl_context=tls_context(endpoint.ca, endpoint.insecure),
            server_hostname=name,
            assert_hostname=False if endpoint.insecure else name,
        )


def _fail(exchange: HeldExchange, error: Exception) -> None:
    """Record the failure that urllib3 reports. The last argument of urllib3's exception may be the cause."""
    cause = error.args[-1] if error.args and isinstance(error.args[-1], Exception) else error
    if isinstance(error, urllib3.exceptions.NewConnectionError):  # a subclass of ConnectTimeoutError
        exchange.fail(FailureKind.REFUSED, str(error))
    elif isinstance(error, urllib3.exceptions.TimeoutError):
        is_connecting = isinstance(error, urllib3.exceptions.ConnectTimeoutError)
        kind = FailureKind.CONNECT_TIMEOUT if is_connecting else FailureKind.READ_TIMEOUT
        exchange.fail(kind, str(error), EndedBy.SILENCE)
    elif isinstance(cause, RemoteDisconnected | urllib3.exceptions.IncompleteRead):
        exchange.fail(FailureKind.TRUNCATED, str(cause), EndedBy.FIN)
    elif isinstance(cause, OSError):
        exchange.fail(kind_of_os_error(cause, connecting=False), str(cause), EndedBy.RST)
    else:
        exchange.fail(FailureKind.PROTOCOL, str(error))


def main() -> None:
    measure(lambda spec: RetryingClientProcess(HeldSpec.from_json(spec), Clock.of_process()).run)


if __name__ == "__main__":
    run(main)
