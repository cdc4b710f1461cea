"""The twin of `pooled` by Go's client: `python -m switchover.patient.go_twin`, a process of its own.

It starts the program that `go_build.py` has built, hears a line of JSON for each request, and makes the same rows of
them as the other twin. Every second place sends a header Idempotency-Key.
"""

import json
import os
import select
import signal
import subprocess
from dataclasses import replace
from time import monotonic_ns
from typing import Any

from switchover.http.head import HeadReader
from switchover.http.request import headers_of
from switchover.http.tls import server_name
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.model.failure_kind import FailureKind, kind_of_errno
from switchover.model.twin_client import TwinClient
from switchover.patient.exchange import PatientExchange
from switchover.patient.go_build import build_go_client
from switchover.patient.heard_changes import STATUS_S, HeardChanges
from switchover.patient.pooled import PAUSE_S
from switchover.patient.post_requests import BODY
from switchover.patient.records import PatientRecords
from switchover.patient.spec import USER_AGENT, PatientSpec
from switchover.process.json_child import run, say_if_heard
from switchover.process.measuring_child import measure
from switchover.rundir.patient_log import EndedBy

_STDIN = 0
SPARE_S = 5.0
"""On top of the time-outs of what is under way."""


class GoTwinProcess:
    """One run."""

    def __init__(self, spec: PatientSpec, clock: Clock) -> None:
        self._spec = spec
        (self._load,) = spec.loads
        self._endpoint = replace(spec.endpoint, url=self._load.url)
        self._records = PatientRecords(spec, clock.anchor_ns)
        self._heads = HeadReader(spec.identity)
        self._stopped = False
        self._rest = b""
        built = build_go_client()
        if built.program is None:
            raise SwitchoverError(f"Go's client cannot be started: {built.why}")
        self._client = subprocess.Popen([built.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._tell_client()

    def run(self) -> dict[str, Any]:
        """Send until asked to stop; returns the closing account."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        heard, sources = HeardChanges(self._records), [_STDIN, self._output]
        while not self._stopped:
            ready, _, _ = select.select(sources, [], [], STATUS_S)
            if _STDIN in ready:
                data = os.read(_STDIN, 65536)
                heard.take(data)
                self._stopped = not data
            if self._output in ready and not self._take(os.read(self._output, 65536)):
                break
            self._records.flush()
            say_if_heard(self._records.status())
        warning = None if self._stopped else "Go's client ended before it was asked to"
        warning = self._end_client() or warning
        self._records.close()
        return self._records.account() | ({"warning": warning} if warning else {})

    @property
    def _output(self) -> int:
        assert self._client.stdout is not None
        return self._client.stdout.fileno()

    def _stop(self, *_: object) -> None:
        self._stopped = True

    def _tell_client(self) -> None:
        """What to send. The end of its stdin ends it, so it does not outlive this process."""
        spec, endpoint = self._spec, self._endpoint
        spec_line = {
            "url": endpoint.url,
            "method": spec.method,
            "headers": headers_of(endpoint, USER_AGENT),
            "body": BODY.decode(),
            "count": self._load.count,
            "pause_s": PAUSE_S,
            "connect_s": spec.timeout_connect_s,
            "read_s": spec.timeout_read_s,
            "seed": spec.seed,
            "ca": str(endpoint.ca or ""),
            "insecure": endpoint.insecure,
            "server_name": server_name(endpoint),
        }
        assert self._client.stdin is not None
        self._client.stdin.write(json.dumps(spec_line).encode() + b"\n")
        self._client.stdin.flush()

    def _end_client(self) -> str | None:
        """Wait for what is under way; what was wrong with its end, or None."""
        assert self._client.stdin is not None
        self._client.stdin.close()
        deadline_ns = monotonic_ns() + round((self._spec.longest_s + SPARE_S) * 1e9)
        while (left_s := (deadline_ns - monotonic_ns()) / 1e9) > 0:
            if select.select([self._output], [], [], left_s)[0] and not self._take(os.read(self._output, 65536)):
                code = self._client.wait()
                return f"Go's client ended with code {code}" if code else None
        self._client.kill()
        self._client.wait()
        return "Go's client did not end when it was asked to, and was killed"

    def _take(self, data: bytes) -> bool:
        """Rows of what it says; False when it says no more."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._records.conclude(self._load.kind, self._exchange_of(json.loads(line)))
        return bool(data)

    def _exchange_of(self, row: dict[str, Any]) -> PatientExchange:
        client = TwinClient.GO_KEYED if row["keyed"] else TwinClient.GO
        exchange = PatientExchange(f"{client} {row['place']}", row["due_ns"])
        exchange.start_ns, exchange.first_ns, exchange.end_ns = row["start_ns"], row["first_ns"], row["end_ns"]
        exchange.attempts = row["sent"]
        exchange.sent_bytes = len(BODY) if row["sent"] else 0
        exchange.message = f"resent by itself: {row['why']}" if row["why"] else ""
        if row["status"]:
            pairs = [(name, value) for name, value in row["headers"] or ()]
            exchange.head = self._heads.head_of(row["status"], pairs)
            exchange.worker = exchange.head.worker
            exchange.nbytes = row["bytes"]
        if row["error"]:
            kind, ended_by = _failure(row)
            exchange.fail(kind, row["error"], ended_by)
        else:
            exchange.check_status(row["status"], self._endpoint.expect)
        return exchange


def _failure(row: dict[str, Any]) -> tuple[FailureKind, EndedBy | None]:
    """As its caller was told."""
    dialing = bool(row["dialing"])
    if row["timeout"]:
        return (FailureKind.CONNECT_TIMEOUT if dialing else FailureKind.READ_TIMEOUT), EndedBy.SILENCE
    if row["errno"]:
        return kind_of_errno(row["errno"], connecting=dialing), None if dialing else EndedBy.RST
    if row["cut"]:
        return FailureKind.TRUNCATED, EndedBy.FIN
    return FailureKind.PROTOCOL, None


def main() -> None:
    measure("go twin", lambda spec: GoTwinProcess(PatientSpec.from_json(spec), Clock.of_process()).run)


if __name__ == "__main__":
    run(main)
