"""The traffic of each second, and batches of good samples of a known kind.

Writing the log takes CPU time from the generation of the load. The common part of samples is therefore formatted
once, and one loop formats the other columns of many samples. This is faster than `sample_log.format_sample`,
`decide_outcome` and `TrafficCounter.add`. Tests check that the loop and these functions write the same bytes.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from switchover.locust.recording.attribution import AnswerKey, Attribution, remember
from switchover.locust.recording.request_event import label_of, text_of
from switchover.locust.recording.request_facts import RequestFacts
from switchover.model.identity import OTHER, Identity, clean
from switchover.model.outcome import Outcome, decide_outcome
from switchover.model.redaction import requested_url
from switchover.rundir.measurements import REQUESTS
from switchover.rundir.sample_log import Sample, quote
from switchover.rundir.traffic import Traffic

GENERATOR = "locust"
LABELS_LIMIT = 1000
"""The maximum number of labels in the traffic. Further labels are counted as `other`."""
KEEP_S = 30
"""The time, in seconds, for which the counts of each second stay open, because a with-block may end much later than
its request."""


class TrafficCounter:
    """Counts every sample once, in the second in which the sample ends."""

    def __init__(self, run: str, worker: str, late_us: int) -> None:
        self._traffic = Traffic(REQUESTS, run, worker, keep_s=KEEP_S)
        self._late_us = late_us
        self._labels: set[str] = set()
        self.samples = 0
        self.labels_overflowed = False

    def add(self, sample: Sample) -> None:
        took_us = sample.end_us - sample.start_us
        outcome = decide_outcome(sample.error, sample.success, took_us, self._late_us)
        series = self.series(sample.label, sample.identity, outcome)
        self.add_all(series, sample.end_us // 1_000_000, [took_us], sample.nbytes)

    def add_all(self, series: str, second: int, took_us: Sequence[int], nbytes: int) -> None:
        """Count samples that ended in the given second."""
        self.samples += len(took_us)
        self._traffic.add_all(series, max(second, self._traffic.open_from_s), took_us, nbytes)

    def take_points(self, before_us: int) -> list[str]:
        return self._traffic.flush(before_us)

    def series(self, label: str, identity: Identity, outcome: Outcome) -> str:
        return self._traffic.series(
            {
                "generator": GENERATOR,
                "label": self._admit(label),
                "backend": identity.backend,
                "balancer": identity.balancer,
                "answered_by": identity.answered_by,
                "outcome": outcome,
            }
        )

    def _admit(self, label: str) -> str:
        name = clean(label)
        if name not in self._labels:
            if len(self._labels) >= LABELS_LIMIT:
                self.labels_overflowed = True
                return OTHER
            self._labels.add(name)
        return name


LIMIT = 10_000
PendingSample = tuple[Any, Any, Any, RequestFacts, int, AnswerKey, str, Any]
"""A sample: name, URL, bytes, facts, end in µs, answer key, session and greenlet. The answer is not stored."""


@dataclass(slots=True, eq=False)
class SampleKind:
    """The common part of the rows of good samples that differ only in user, times, sizes, URL and session."""

    before_thread: str
    after_url: str
    series: str
    late_series: str
    nbytes: int = -1
    """The received bytes, sent bytes and URL of the last sample of this kind. Most samples have the same values."""
    sent_bytes: int = -1
    url: Any = None
    middle: str = ""
    """The columns of the last sample from the column after `thread` up to the URL."""


class SampleKinds:
    def __init__(self, attribution: Attribution, traffic_counter: TrafficCounter, late_us: int) -> None:
        self._attribution = attribution
        self._traffic_counter = traffic_counter
        self._late_us = late_us
        self._users = 0
        self._kinds: dict[Hashable, SampleKind] = {}
        """The kinds. The keys are (name, answer key, stream, attempts) and (label, answer key, stream, attempts,
        None)."""
        self._label_of = lru_cache(LIMIT)(label_of)
        self._address_of = lru_cache(LIMIT)(lambda url: quote(requested_url(text_of(url))))
        """Return a URL in the form that is written to the sample log."""

    def record(
        self, pending: Sequence[PendingSample], users: int, odd: Callable[[PendingSample], None]
    ) -> list[bytes]:
        """Count samples and return their rows. `odd` receives the samples that have no kind."""
        if users != self._users:
            self._users = users
            for kind in self._kinds.values():
                kind.nbytes = -1
        kinds, late_us = self._kinds, self._late_us
        rows: list[bytes] = []
        counted: defaultdict[tuple[str, int], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for sample in pending:
            name, url, nbytes, facts, end_us, answer_key, session, greenlet = sample
            try:
                kind = kinds.get((name, answer_key, facts.stream, facts.attempts)) or self._kind(
                    name, url, answer_key, facts
                )
                start_us, latency_us, connect_us = facts.start_us, facts.latency_us, facts.connect_us
                sent_bytes = facts.sent_bytes
                took_us = end_us - start_us
                if not 0 <= latency_us <= took_us < start_us:
                    raise ValueError("the times contradict each other")
                if nbytes != kind.nbytes or sent_bytes != kind.sent_bytes or url != kind.url:
                    self._note_last(kind, nbytes, sent_bytes, url)
                start, rest_us = str(start_us), start_us % 1000
                rows.append(
                    f"{start[:-3]},{(rest_us + took_us) // 1000}{kind.before_thread}"
                    f"{greenlet.switchover_thread}{kind.middle}{(rest_us + latency_us) // 1000},0,"
                    f"{(rest_us + connect_us) // 1000 if connect_us else '0'}{kind.after_url}{session},,"
                    f"{start},{end_us}\n".encode("utf-8", "replace")
                )
            except Exception:
                odd(sample)
                continue
            series = kind.late_series if took_us > late_us else kind.series
            durations, sizes = counted[series, end_us // 1_000_000]
            durations.append(took_us)
            sizes.append(kind.nbytes)
        for (series, second), (durations, sizes) in counted.items():
            self._traffic_counter.add_all(series, second, durations, sum(sizes))
        return rows

    def _note_last(self, kind: SampleKind, nbytes: Any, sent_bytes: int, url: Any) -> None:
        if type(nbytes) is not int or nbytes < 0:
            raise ValueError("the size is not a number of bytes")
        address = self._address_of(url)
        kind.middle = f",text,true,,{nbytes},{sent_bytes},{self._users},{self._users},{address},"
        kind.nbytes, kind.sent_bytes, kind.url = nbytes, sent_bytes, url

    def _kind(self, name: Any, url: Any, answer_key: AnswerKey, facts: RequestFacts) -> SampleKind:
        """Return the kind of a sample whose name is new, or whose label depends on the URL."""
        label = self._label_of(name, url)
        stream, attempts = facts.stream, facts.attempts
        key = (label, answer_key, stream, attempts, None)
        kind = self._kinds.get(key)
        if kind is None:
            kind = remember(self._kinds, key, self._make(label, answer_key, stream, attempts), LIMIT)
        if label == name == requested_url(name):
            remember(self._kinds, (name, answer_key, stream, attempts), kind, LIMIT)
        return kind

    def _make(self, label: str, answer_key: AnswerKey, stream: str, attempts: int) -> SampleKind:
        answer = self._attribution.answer(answer_key)
        identity = answer.identity
        return SampleKind(
            f",{quote(label)},{quote(answer.code)},{quote(answer.message)},",
            f",{quote(identity.backend)},{quote(identity.balancer)},{identity.answered_by},,{attempts},{stream},",
            self._traffic_counter.series(label, identity, Outcome.GOOD),
            self._traffic_counter.series(label, identity, Outcome.LATE),
        )
