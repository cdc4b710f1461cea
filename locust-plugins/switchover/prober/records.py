"""Write each probe to the sample log, and count it in a `switchover_probes` point."""

import socket
from hashlib import sha256
from time import monotonic_ns

from switchover.http.answer import CountedAnswer
from switchover.http.head import AnswerHead, sample_of
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import Identity
from switchover.model.outcome import Outcome, decide_outcome
from switchover.prober.account import ProbeStream
from switchover.prober.spec import ProberSpec
from switchover.rundir.journal import Journal
from switchover.rundir.measurements import CERTIFICATE_EVENT, EVENT, PROBES
from switchover.rundir.sample_log import SampleWriter
from switchover.rundir.seal import Seals
from switchover.rundir.traffic import Traffic


class SentProbe:
    """One request, from its due time to its end. Times are in ns of the monotonic clock. A time is 0 if the probe did
    not reach this step."""

    __slots__ = (
        "answer",
        "connected_ns",
        "connection",
        "deadline_ns",
        "due_ns",
        "end_ns",
        "error",
        "first_ns",
        "message",
        "sent_bytes",
        "sent_ns",
        "start_ns",
        "stream",
    )

    def __init__(self, stream: ProbeStream, due_ns: int, start_ns: int, answer: CountedAnswer[AnswerHead]) -> None:
        self.stream = stream
        self.due_ns = due_ns
        self.start_ns = start_ns
        """The time of the connect call. On a reused connection: the time at which sending begins."""
        self.connected_ns = 0
        """The end of the connect, including the TLS handshake. On a reused connection: `start_ns`."""
        self.sent_ns = 0
        self.first_ns = 0
        self.end_ns = 0
        self.deadline_ns = 0
        self.sent_bytes = 0
        self.answer = answer
        self.error: FailureKind | None = None
        self.message = ""
        self.connection: ProbeConnection | None = None
        """None after the end: probe and connection refer to each other, and garbage collection is disabled."""


class ProbeConnection:
    __slots__ = ("fd", "keep", "probe", "secured", "sock", "watched", "wrapped")

    def __init__(self, sock: socket.SocketType, *, keep: bool, probe: SentProbe) -> None:
        self.sock = sock
        self.fd = sock.fileno()
        self.keep = keep
        self.probe: SentProbe | None = probe
        """None while the connection is idle."""
        self.watched = 0
        self.wrapped = False
        self.secured = False


LABEL = "probe"
BATCH = 32
"""The number of probes that are recorded together. Recording a single probe takes 34 µs. In a batch, a probe takes a
third of this time."""

NOTED_AGAIN_NS = 1_000_000_000
"""The minimum time between two certificate events. Servers behind one address may have different certificates."""


_SERIES_LIMIT = 10_000
_Kind = tuple[Identity, Outcome, FailureKind | None, str]
"""The identity, outcome, error and stream that all probes of a series have in common."""
_Ended = dict[tuple[str, int], list[tuple[int, int]]]
"""The latency in µs and the size in bytes of each probe of a batch, by series and second."""


class Records:
    """The sample log and the journal of the prober. Lines that cannot be written because the disk is full are
    counted."""

    def __init__(self, spec: ProberSpec, anchor_ns: int) -> None:
        self._anchor_ns = anchor_ns
        self._late_ns = round(spec.late_s * 1e9)
        self._url = spec.endpoint.public_url
        self._samples = SampleWriter(spec.probes)
        self._journal = Journal(spec.journal, {})
        self._tags = {"run": spec.run}
        self._certificate, self._noted_ns = b"", 0
        self._traffic = Traffic(PROBES, spec.run)
        self._waiting: list[SentProbe] = []
        self._series: dict[_Kind, str] = {}

    @property
    def lost(self) -> int:
        """Return the number of probes that could not be written to the sample log."""
        return self._samples.lost

    @property
    def warning(self) -> str | None:
        if self._samples.lost:
            return f"{self._samples.lost} probes could not be written to the sample log: is the disk full?"
        return self._journal.warning

    def add(self, probe: SentProbe) -> None:
        self._waiting.append(probe)

    def note_certificate(self, certificate: bytes) -> None:
        """Write an event if the certificate differs from the certificate of the last event. At most one event per
        second is written."""
        if certificate == self._certificate or (now_ns := monotonic_ns()) < self._noted_ns + NOTED_AGAIN_NS:
            return
        self._certificate, self._noted_ns = certificate, now_ns
        digest = sha256(certificate).hexdigest()[:16]
        fields = {"text": f"new connections get the certificate {digest} (SHA-256)"}
        tags = {**self._tags, "kind": CERTIFICATE_EVENT, "id": digest}
        self._journal.write(EVENT, tags, fields, now_ns + self._anchor_ns)

    def record_batch(self) -> None:
        if len(self._waiting) >= BATCH:
            self._record_waiting()

    def _record_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        ended: _Ended = {}
        for probe in waiting:
            self._record(probe, ended)
        for (series, second), probes in ended.items():
            latencies_us, sizes = zip(*probes, strict=True)
            self._traffic.add_all(series, second, latencies_us, sum(sizes))

    def _record(self, probe: SentProbe, ended: _Ended) -> None:
        anchor_ns, error = self._anchor_ns, probe.error
        intended_us = (probe.due_ns + anchor_ns) // 1000
        end_us = (probe.end_ns + anchor_ns) // 1000
        outcome = decide_outcome(error, error is None, probe.end_ns - probe.due_ns, self._late_ns)
        stream = probe.stream
        sample = sample_of(
            probe,
            probe.answer.head,
            anchor_ns,
            label=LABEL,
            thread=stream.name,
            nbytes=probe.answer.nbytes,
            url=self._url,
            attempts=0 if error is FailureKind.GENERATOR else 1,
            stream=stream.name,
        )
        self._samples.write(sample)
        key = (sample.identity, outcome, error, stream.name)
        series = self._series.get(key) or self._series_of(key)
        ended.setdefault((series, end_us // 1_000_000), []).append((end_us - intended_us, probe.answer.nbytes))
        stream.conclude(outcome, error, end_us, probe.start_ns - probe.due_ns)

    def _series_of(self, key: _Kind) -> str:
        if len(self._series) >= _SERIES_LIMIT:
            self._series.clear()
        identity, outcome, error, stream = key
        tags = {
            "backend": identity.backend,
            "balancer": identity.balancer,
            "answered_by": identity.answered_by,
            "outcome": outcome,
            "error": error or "",
            "stream": stream,
        }
        series = self._series[key] = self._traffic.series(tags)
        return series

    def flush(self) -> None:
        """Write every probe that has ended to the sample log."""
        self._record_waiting()
        self._samples.flush()

    def flush_traffic(self, before_us: int) -> None:
        for line in self._traffic.flush(before_us):
            self._journal.write_line(line)

    @property
    def seals(self) -> Seals:
        return self._samples.seals | self._journal.seals

    def close(self) -> None:
        self.flush()
        self._samples.close()
        self.flush_traffic(1 << 62)
        self._journal.close()
