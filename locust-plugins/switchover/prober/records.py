"""Write each probe to the sample log, and count it in a `switchover_probes` point."""

import socket
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from time import monotonic_ns

from switchover.http.answer import CountedAnswer
from switchover.http.head import AnswerHead, TimedRequest, sample_of
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import Identity
from switchover.model.outcome import Outcome, decide_outcome
from switchover.prober.account import ProbeStream
from switchover.prober.spec import ProberSpec
from switchover.rundir.journal import Journal
from switchover.rundir.measurements import CERTIFICATE_EVENT, PROBES
from switchover.rundir.sample_log import SampleWriter
from switchover.rundir.seal import Seals
from switchover.rundir.traffic import Traffic


@dataclass(slots=True, eq=False)
class SentProbe(TimedRequest):
    """One probe. On a reused connection, the time of the connect is the start of the probe."""

    stream: ProbeStream
    answer: CountedAnswer[AnswerHead]
    sent_ns: int = 0
    deadline_ns: int = 0
    connection: "ProbeConnection | None" = None
    """None after the probe has ended, to break a reference cycle: garbage collection is disabled."""


@dataclass(slots=True, eq=False)
class ProbeConnection:
    sock: socket.SocketType
    fd: int
    probe: SentProbe | None
    watched: int = 0
    wrapped: bool = False
    secured: bool = False


LABEL = "probe"
BATCH = 32
"""The number of probes that are recorded together. This takes 11 µs per probe, instead of 34 µs for single probes."""

NOTED_AGAIN_NS = 1_000_000_000
"""The minimum time between two certificate events, as servers may have different certificates."""


_SERIES_LIMIT = 10_000
_Ended = dict[tuple[str, int], list[tuple[int, int]]]
"""The latency in µs and the size in bytes of each probe of a batch. The key is the series and the second."""


class Records:
    """The sample log and the journal of the prober. Lines that are lost because the disk is full are counted."""

    def __init__(self, spec: ProberSpec, anchor_ns: int) -> None:
        self._anchor_ns = anchor_ns
        self._late_ns = round(spec.late_s * 1e9)
        self._url = spec.endpoint.public_url
        self._samples = SampleWriter(spec.probes)
        self._journal = Journal(spec.journal, {"run": spec.run})
        self._certificate, self._noted_ns = b"", 0
        self._traffic = Traffic(PROBES, spec.run)
        self._waiting: list[SentProbe] = []
        self._series = lru_cache(_SERIES_LIMIT)(self._series_of)

    @property
    def lost(self) -> int:
        return self._samples.lost

    @property
    def warning(self) -> str | None:
        if self._samples.lost:
            return f"{self._samples.lost} probes could not be written to the sample log: is the disk full?"
        return self._journal.warning

    def add(self, probe: SentProbe) -> None:
        self._waiting.append(probe)

    def note_certificate(self, certificate: bytes) -> None:
        """Write an event if the certificate has changed, at most one per second."""
        if certificate == self._certificate or (now_ns := monotonic_ns()) < self._noted_ns + NOTED_AGAIN_NS:
            return
        self._certificate, self._noted_ns = certificate, now_ns
        digest = sha256(certificate).hexdigest()[:16]
        text = f"new connections get the certificate {digest} (SHA-256)"
        self._journal.event(CERTIFICATE_EVENT, text, time_ns=now_ns + self._anchor_ns, id=digest)

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
        series = self._series(sample.identity, outcome, error, stream.name)
        ended.setdefault((series, end_us // 1_000_000), []).append((end_us - intended_us, probe.answer.nbytes))
        stream.conclude(outcome, error, end_us, probe.start_ns - probe.due_ns)

    def _series_of(self, identity: Identity, outcome: Outcome, error: FailureKind | None, stream: str) -> str:
        return self._traffic.series(
            {
                "backend": identity.backend,
                "balancer": identity.balancer,
                "answered_by": identity.answered_by,
                "outcome": outcome,
                "error": error or "",
                "stream": stream,
            }
        )

    def flush(self) -> None:
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
