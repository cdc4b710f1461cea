"""The verdict on one run as typed records. verdict.json is their JSON, and nothing else reads or writes that file.

None is what the run could not know; it is never 0. Names that end in `_us` are microseconds since the epoch on the
run's clock. Names that end in `_ms` are milliseconds with up to three decimals. The text below a field is its
description in the JSON Schema (`switchover schema`).
"""

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

SCHEMA: Literal[3] = 3
GAPS_LIMIT = 200
"""Gaps that are listed one by one; `gap_count` counts all."""

Count = Annotated[int, Meta(ge=0)]
Moment = Annotated[int, Meta(ge=0)]
"""Microseconds since the epoch."""
Milliseconds = Annotated[float, Meta(ge=0)]
Number = Annotated[float, Meta(ge=0)]
Fraction = Annotated[float, Meta(ge=0, le=1)]
Figure = int | float | str | None
"""One value in the text of a reason."""


def milliseconds(microseconds: float) -> float:
    return round(microseconds / 1000, 3)


class Status(StrEnum):
    """The verdict in one word. If several apply, the first in this order is the verdict."""

    NOT_HEALED = "NOT HEALED"
    """The victim of the fault may still be broken."""
    STOPPED = "STOPPED"
    """The run ended before its plan did."""
    NOT_FIRED = "NOT FIRED"
    """A fault was planned, and was not fired."""
    NO_EFFECT = "NO EFFECT"
    """The fault was fired, and an independent source reports that nothing happened."""
    INVALID = "INVALID"
    """A figure may be wrong."""
    UNCONFIRMED = "UNCONFIRMED"
    """The fault was fired, and only its own commands report that it did anything."""
    NOT_RECOVERED = "NOT RECOVERED"
    """The service was still down at the end of the run."""
    NOT_RESTORED = "NOT RESTORED"
    """The service is back, but the pair is not as it was before."""
    FAILED = "FAILED"
    """A limit is exceeded."""
    REFUTED = "REFUTED"
    """Repeated drills do not fit the prediction."""
    INCONCLUSIVE = "INCONCLUSIVE"
    """A limit lies inside the interval of its figure."""
    DRY_RUN = "DRY RUN"
    """All steps except the fault were run as planned."""
    MEASURED = "MEASURED"
    """All figures are valid, and the user set no limit."""
    PASSED = "PASSED"
    """All figures are valid, and every limit is kept."""

    @property
    def exit_code(self) -> int:
        if self in (Status.PASSED, Status.MEASURED, Status.DRY_RUN):
            return 0
        return 1 if self in (Status.FAILED, Status.NOT_RECOVERED, Status.NOT_RESTORED, Status.REFUTED) else 2


def loudest(statuses: set[Status], otherwise: Status) -> Status:
    """Return the status that comes first in the order of `Status`; `otherwise` if there is none."""
    return next((status for status in Status if status in statuses), otherwise)


class PhaseName(StrEnum):
    """A phase of the run, in this order."""

    BASELINE = "baseline"
    SWITCHOVER = "switchover"
    ON_BACKUP = "on_backup"
    FAILBACK = "failback"
    RECOVERED = "recovered"


class OutageKind(StrEnum):
    """`none`: no bad probe. `partial`: good responses between the bad ones."""

    NONE = "none"
    """No bad probe: no outage was longer than the detection limit."""
    OUTAGE = "outage"
    PARTIAL = "partial"
    """Good responses between the bad ones: no single gap fills half of the time from the first to the last."""


class Step(StrEnum):
    """A step of the switchover."""

    KILL = "kill"
    FIRST_IMPAIRMENT = "first impairment"
    DETECTION = "detection"
    ELECTED = "new master elected"
    FIRST_GOOD = "first good answer from it"
    CLEAN = "clean"


class ArtefactName(StrEnum):
    """A figure of a closed loop that describes the load rather than the service."""

    OMISSION = "omission"
    REFUSALS = "refusals"
    STALE = "stale"
    RESENDS = "resends"
    # Only files of earlier versions have these.
    PATIENCE = "patience"
    NO_TIMEOUT = "no_timeout"
    RETURN = "return"


class LimitName(StrEnum):
    """The figure that is limited."""

    OUTAGE = "outage"
    FAILBACK = "failback"
    FAILED = "failed"
    FAILED_TOTAL = "failed-total"
    LATE = "late"
    SPLIT_BRAIN = "split-brain"
    UNACCOUNTED = "unaccounted"
    LOST = "lost"
    LOSSY = "lossy"
    DELAY = "delay"


class Unit(StrEnum):
    """The unit of a limit and of its figure: milliseconds, a share from 0 to 1, or requests."""

    MILLISECONDS = "ms"
    SHARE = "share"
    REQUESTS = "requests"


class State(StrEnum):
    """`kept`: high is at most the limit. `exceeded`: low is above it. `inconclusive`: the limit lies between.
    `unmeasured`: the run has no source for the figure."""

    KEPT = "kept"
    EXCEEDED = "exceeded"
    INCONCLUSIVE = "inconclusive"
    UNMEASURED = "unmeasured"


class Record(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of the verdict. A field with a default is left out of the file if it has that value."""


class Reason(Record, frozen=True, kw_only=True):
    """Why the verdict is no better."""

    code: str
    """The reason, for programs."""
    figures: dict[str, Figure]
    """The numbers and names in its text, by name."""
    text: str
    """The reason, for people."""
    cause: str = ""
    """Its usual cause, or the cause that the run recorded. Absent if another program wrote the file."""
    remedy: str = ""
    """The next step. Absent if another program wrote the file."""


class Limit(Record, frozen=True, kw_only=True):
    """A limit and the figure that was measured."""

    name: LimitName
    """The figure that is limited."""
    limit: Number | None
    """The largest value that keeps the limit, in `unit`; null: the usual value is not known."""
    unit: Unit
    """The unit of `limit`, `low` and `high`: milliseconds, a share from 0 to 1, or requests."""
    confidence: Annotated[float, Meta(gt=0, lt=1)] | None = None
    """The confidence of the bounds. Only present if the figure is an estimated share (`lossy`)."""
    low: Number | None
    """The measured value, at least, in `unit`; null: not measured."""
    high: Number | None
    """The measured value, at most, in `unit`; null: not measured, or without a known end."""
    state: State
    """`kept`: high is at most the limit. `exceeded`: low is above it. `inconclusive`: the limit lies between.
    `unmeasured`: the run has no source for the figure."""
    default: bool
    """True: the user did not set this limit. It applies whenever the run has, or should have, a source for it."""
    note: str
    """The source of the value, or why there is none; may be empty."""


class Span(Record, frozen=True, kw_only=True):
    """A period of time."""

    from_us: Moment
    """Its start, microseconds since the epoch."""
    to_us: Moment
    """Its end, microseconds since the epoch."""
    duration_ms: Milliseconds
    """Its length in milliseconds."""

    @classmethod
    def of(cls, from_us: int, to_us: int) -> "Span":
        return Span(from_us=from_us, to_us=to_us, duration_ms=milliseconds(to_us - from_us))


class Gap(Span, frozen=True, kw_only=True):
    """The time from the last good response before a bad probe. It ends with the first good response to a later probe,
    or with the phase."""

    failed: Count
    """Failed probes in it."""
    late: Count
    """Late probes in it."""


class Outage(Record, frozen=True, kw_only=True):
    """The time that the service was down, measured by probes on fresh connections."""

    kind: OutageKind
    """`none`: no bad probe. `partial`: good responses between the bad ones."""
    low_ms: Milliseconds
    """The shortest possible outage, in milliseconds."""
    high_ms: Milliseconds | None
    """The longest possible outage, in milliseconds. With kind `none`: the detection limit. Null: not recovered."""
    detection_limit_ms: Milliseconds
    """The longest time outside of all gaps in which no probe was sent, in milliseconds: a shorter gap could have been
    missed."""
    censored: bool
    """Not recovered before the end of the phase: the duration is a lower bound."""
    recovered: bool
    """Not censored, and no later gap lasted until the end of the phase."""
    from_us: Moment | None
    """The last good response before the outage, microseconds since the epoch; null with kind `none`."""
    to_us: Moment | None
    """The first good response after the outage, microseconds since the epoch; null with kind `none`."""
    first_bad_us: Moment | None = None
    """The time when its first bad probe was sent, microseconds since the epoch. Absent with kind `none`, or if
    another program wrote the file."""
    envelope_ms: Milliseconds
    """From the start of the first gap to the end of the last, later gaps included, in milliseconds."""
    sum_of_gaps_ms: Milliseconds
    """The sum of all gaps, in milliseconds."""
    loss_derived_ms: Milliseconds | None
    """Bad probes divided by their rate, in milliseconds; null: no rate is known."""
    impaired: Count
    """Probes that failed or were late."""
    interval_ms: Milliseconds | None
    """The time between two probes, in milliseconds; null: unknown."""
    gaps: Annotated[list[Gap], Meta(max_length=GAPS_LIMIT)]
    """The first 200 gaps within the outage."""
    gap_count: Count
    """The number of gaps."""
    later_gaps: Annotated[list[Gap], Meta(max_length=GAPS_LIMIT)]
    """The first 200 gaps after the stability window."""
    later_gap_count: Count
    """The number of later gaps."""


class Prediction(Record, frozen=True, kw_only=True):
    """The outage that theory predicts for this fault."""

    fault: str
    """The name of the fault."""
    low_ms: Milliseconds | None
    """The shortest predicted outage, in milliseconds; null: unknown."""
    high_ms: Milliseconds | None
    """The longest predicted outage, in milliseconds. Null with a low_ms: no upper end is known."""
    tolerance_ms: Milliseconds | None
    """The window is widened by these milliseconds: the time of the kill and two probe intervals; null without
    probes."""
    inside: bool | None
    """The measured outage overlaps the widened window; null: unknown."""


class Check(Record, frozen=True, kw_only=True):
    """One observation, as one source reports it."""

    name: str
    """The name of the check."""
    holds: bool | None
    """True: the effect was seen, or the checked part of the pair is as before. Null: unknown."""
    text: str
    """The observation, for people."""


class Confirmation(Record, frozen=True, kw_only=True):
    """Evidence that the fault had an effect, from sources that are independent of its commands."""

    seen: bool | None
    """True: a source saw an effect. False: a source contradicts it. Null: unknown."""
    checks: list[Check]
    """One check per source: generation, frontend, server, owner, scrapes, probes."""


class Restoration(Record, frozen=True, kw_only=True):
    """The state of the pair at the end of the run, compared with its state before the fault."""

    whole: bool | None
    """False: something is not as before. Null: unknown."""
    checks: list[Check]
    """The checks: answers, frontends, servers, one_holder, returned."""


class Row(Record, frozen=True, kw_only=True):
    """One step of the switchover."""

    step: Step
    """The step."""
    at_us: Moment | None
    """Its time, microseconds since the epoch; null: unknown."""
    bound_ms: Milliseconds | None
    """The uncertainty of this time, in milliseconds either way; null: unknown."""
    after_kill_ms: float | None
    """The time since the kill, in milliseconds; negative: before the kill; null: unknown."""
    stamped_late_ms: Milliseconds
    """A later step proves that the source stamped this step too late by these milliseconds. `bound_ms` contains
    them."""
    source: str
    """The source that saw the step, or why no source did."""
    order_unknown: bool
    """The order of this step and the step before it is unknown: their intervals overlap, or one is unknown."""


class Percentiles(Record, frozen=True, kw_only=True):
    """Nearest-rank percentiles."""

    p50: Milliseconds
    """The median, in milliseconds."""
    p90: Milliseconds
    """The 90th percentile, in milliseconds."""
    p99: Milliseconds
    """The 99th percentile, in milliseconds."""
    max: Milliseconds
    """The maximum, in milliseconds."""


class Latency(Record, frozen=True, kw_only=True):
    """The time that responses took, from two starting points."""

    from_schedule: Percentiles | None
    """From the scheduled time; null if nothing was scheduled (a closed loop)."""
    from_send: Percentiles
    """From the time of sending."""


class Stream(Record, frozen=True, kw_only=True):
    """The counts of one kind of connection."""

    total: Count
    """Requests."""
    failed: Count
    """Failed requests."""
    late: Count
    """Late requests."""


class Counts(Record, frozen=True, kw_only=True):
    """The counts of requests in one phase."""

    total: Count
    """Requests that the client could send."""
    failed: Count
    """Failed requests."""
    late: Count
    """Requests with a good response that came later than the late threshold after the scheduled time."""
    unsent: Count
    """Requests that the client could not send (no port, no descriptor). No other count contains them."""
    rate: Number | None
    """Requests per second of the phase; null if the phase has no length."""
    users: Number | None
    """The mean number of users; null: no load generator reported it."""
    by_kind: dict[str, Count]
    """Failed requests by kind of failure."""
    by_answered_by: dict[str, Count]
    """Requests by origin of the response: `backend`; `balancer`, which generated the response itself; `none`: no
    response; `unknown`."""
    by_stream: dict[str, Stream]
    """Requests by kind of connection: `fresh` and `kept`."""
    latency_ms: Latency | None
    """Percentiles of good and late responses, in milliseconds; null without such a response."""


class Population(Counts, frozen=True, kw_only=True):
    """The counts of requests of the whole run and of each phase."""

    by_phase: dict[PhaseName, Counts]
    """These counts for each phase of the run."""


class Silence(Span, frozen=True, kw_only=True):
    """The time between two consecutive good responses, or between a good response and the start or end of the log."""

    low_ms: Milliseconds
    """The shortest possible outage within it, in milliseconds."""
    high_ms: Milliseconds | None
    """The longest possible outage within it, in milliseconds; null: the log ended first."""
    failed: Count
    """Failed requests that ended in it."""
    by_kind: dict[str, Count]
    """These failed requests by kind of failure."""
    in_progress: Count
    """Requests in progress in the middle of it."""


class Silences(Record, frozen=True, kw_only=True):
    """The silences of one file or of one label."""

    file: str | None
    """The log; null: all requests were timed by clocks that agree."""
    label: str | None
    """The label; null: all requests."""
    outage: Silence | None
    """The silence with the largest low end above 0; null: no outage is proven."""
    longest: Silence
    """The longest silence: a shorter outage could have been missed."""
    more: Count
    """Further silences with a low end above 0."""
    recovered: bool
    """False: the log ends in an outage."""


class Label(Record, frozen=True, kw_only=True):
    """The figures of the requests with one label."""

    label: str
    """The label, as the log has it."""
    total: Count
    """Requests that the client could send."""
    failed: Count
    """Failed requests."""
    p50_ms: Milliseconds | None
    """The median of good and late responses, in milliseconds from sending; null without such a response."""
    p95_ms: Milliseconds | None
    """The 95th percentile, in milliseconds."""
    p99_ms: Milliseconds | None
    """The 99th percentile, in milliseconds."""


class Artefact(Record, frozen=True, kw_only=True):
    """A figure of a closed loop that describes the load rather than the service."""

    name: ArtefactName
    """Its name."""
    event: PhaseName | None
    """Its phase, `switchover` or `failback`; null: the whole run."""
    text: str
    """Its explanation, for people."""
    figures: dict[str, int]
    """Values by name: requests, or milliseconds if the name ends in _ms."""


class Load(Record, frozen=True, kw_only=True):
    """Figures that only a load shows."""

    longest_gap: Span | None
    """The longest time without a good response between the fault and its heal; null: no fault, or no good response
    before the heal."""
    artefacts: list[Artefact] | None
    """Figures of a closed loop that describe the load rather than the service; null: only `switchover report`
    computes them, and another program wrote the file."""
    silences: list[Silences] = field(default_factory=list)
    """The silences of a load without probes and without a fault: of each file, then of each requested label."""
    labels: list[Label] | None = None
    """The most common labels, the most common first. Absent if another program wrote the file."""
    more_labels: Count | None = None
    """The number of labels that are not in that list."""


class SplitBrain(Record, frozen=True, kw_only=True):
    """The times in which more than one balancer held the virtual IP address."""

    low_ms: Milliseconds
    """The sum of all overlaps, at least, in milliseconds."""
    high_ms: Milliseconds | None
    """The sum of all overlaps, at most, in milliseconds; null: unknown, because the clocks are."""
    overlaps: list[Span]
    """Times in which more than one balancer held the address."""
    handovers: list[Span]
    """Overlaps of at most 100 ms and twice the uncertainty of the clocks, as in a normal handover. They do not count.
    `high_ms` contains those over 100 ms."""
    bound_ms: Milliseconds | None
    """The uncertainty of the balancers' clocks, in milliseconds; null: unknown."""


class Share(Record, frozen=True, kw_only=True):
    """The responses of one backend or balancer."""

    count: Count
    """Its responses."""
    share: Fraction
    """Its share of all responses, 0 to 1."""


class Answers(Record, frozen=True, kw_only=True):
    """The responses of one phase."""

    backends: dict[str, Share]
    """Responses by backend."""
    balancers: dict[str, Share]
    """Responses by balancer."""


class Turns(Record, frozen=True, kw_only=True):
    """One balancer's round robin in one phase."""

    phase: PhaseName
    """The phase."""
    balancer: str
    """The name of the balancer."""
    counts: dict[str, Count]
    """Requests by backend."""
    deviation: Number
    """The largest difference from the expected count, in requests."""
    allowed: Number
    """The largest deviation that a round robin allows, in requests."""
    kept: bool
    """`deviation` is at most `allowed`."""


class ChiSquare(Record, frozen=True, kw_only=True):
    """Pearson's chi-squared test."""

    statistic: Number
    """The statistic, without a unit."""
    degrees: Annotated[int, Meta(ge=1)]
    """The degrees of freedom."""
    p: Fraction
    """The probability, 0 to 1, that chance alone gives at least this statistic."""


class Distribution(Record, frozen=True, kw_only=True):
    """The number of responses of each backend and balancer."""

    algorithm: str | None
    """The algorithm in the balancer's configuration; null: unknown."""
    by_phase: dict[PhaseName, Answers]
    """The responses of each phase."""
    turns: list[Turns] | None
    """Each balancer's round robin against the exact expectation; null: only `switchover report` computes it."""
    chi_square: ChiSquare | None
    """The test of the baseline's counts against the expected shares, for random and hashing algorithms. Null: another
    algorithm, or too few responses, or another program wrote the file."""
    sessions: Count | None
    """Sessions that were seen; null: none, or another program wrote the file."""
    sessions_moved: Count | None
    """Sessions that changed backend although the backend before was up; null as in `sessions`."""
    by_counters: bool = False
    """True: no response named a backend. `backends` then has HAProxy's counts of the requests of all clients."""


class Line(Record, frozen=True, kw_only=True):
    """Two counts of the same thing."""

    name: str
    """The name of the comparison."""
    node: str | None
    """The node; null: no node in particular."""
    generation: str | None
    """The generation of the process; null: all."""
    client: Count
    """The count of the client, in requests."""
    source: int
    """The count of the source, in requests; a difference of counters that were read under load may be below 0."""
    said_by: str
    """The source."""
    difference: int
    """`client` minus `source`, in requests."""
    explained_by: dict[str, Count]
    """Requests of the difference by the fact that explains them."""
    unaccounted: Count
    """Requests of the difference that no fact explains."""


class Accounting(Record, frozen=True, kw_only=True):
    """The counts of client, balancers and backends side by side."""

    dedicated: bool
    """Only this load test sends requests to the target, so the counts must be equal."""
    equal: Count
    """Lines without a difference."""
    explained: Count
    """Requests of differences that a fact explains."""
    unaccounted: Count | None
    """Requests that no fact explains; null: unknown."""
    uncounted: list[str]
    """Balancers without counters from before the load."""
    lines: list[Line]
    """The comparisons."""


class Generator(Record, frozen=True, kw_only=True):
    """The counts and delays that the prober reports about its probes."""

    scheduled: Count | None
    """Probes that were due; null without a prober."""
    unsent: Count | None
    """Probes that were due and not sent, because the prober was too late; null without a prober."""
    lag_p50_ms: float | None
    """The median delay behind the schedule, in milliseconds; null: unknown."""
    lag_p99_ms: float | None
    """The 99th percentile of this delay, in milliseconds; null: unknown."""
    cpu_percent: float | None
    """The prober's CPU time. Percent of one core; null: unknown."""


class DeadConnections(Record, frozen=True, kw_only=True):
    """Held connections of one kind after the fault."""

    kind: str
    """The kind of connection."""
    open: Count
    """Connections that had been used before the fault and were open when it came."""
    dead: Count
    """Connections that the fault killed."""
    by_fin: Count
    """Killed connections whose client received FIN."""
    by_rst: Count
    """Killed connections whose client received RST."""
    by_timeout: Count
    """Killed connections whose client noticed by its own timeout."""
    untold: Count
    """Killed connections whose client noticed nothing until the end of the run."""
    median_ms: float | None
    """The median time from the fault's command until the client noticed, in milliseconds; null: no client did."""
    longest_ms: float | None
    """The longest such time, in milliseconds."""


class RetryingClient(Record, frozen=True, kw_only=True):
    """The pooled load, repeated by a client with retries during the changes."""

    client: str
    """The name of the client."""
    requests: Count
    """Requests of its caller, without retries."""
    raised: Count
    """Requests that ended with an error for the caller."""
    resent: Count
    """Requests that another attempt saved, without an error for the caller."""
    attempts: Count
    """Requests that the balancer received for them."""


class Kind(Record, frozen=True, kw_only=True):
    """One kind of connection, or the samples of the load, over all changes."""

    kind: str
    """The kind of connection, or `samples`."""
    exposed: Count
    """Connections that were open directly before a change, or samples in progress, summed over the changes."""
    lost: Count
    """Requests and streams that a change cost."""
    lost_elsewhere: Count
    """Requests and streams that were lost without a change."""
    lost_per_thousand: Number | None
    """Losses per thousand connections at risk; null without one."""
    lossy: Count
    """Changes that cost something of this kind."""
    lossy_low: Number
    """The one-sided lower bound of the share of lossy changes, with `confidence`."""
    lossy_high: Number
    """The one-sided upper bound."""
    closed_politely: Count
    """Connections that were closed with nothing in progress, or with an announcement."""
    reset: Count
    """Requests and streams that ended by RST."""
    generator_errors: Count
    """Errors of the load's own process; no loss."""
    delay_longest_ms: Milliseconds | None
    """The longest wait that ended within a change, in milliseconds; null: no response within a change, or none
    between changes."""
    delay_between_low_ms: Milliseconds | None
    """The percentile of the waits between the changes that corresponds to `delay_longest_ms`, at least, in
    milliseconds."""
    delay_between_high_ms: Milliseconds | None
    """This percentile at most, in milliseconds; null: there were too few waits."""
    delay_caused_low_ms: Milliseconds | None
    """The delay that the changes caused, at least, in milliseconds."""
    delay_caused_high_ms: Milliseconds | None
    """The delay that the changes caused, at most, in milliseconds."""


class Felt(Record, frozen=True, kw_only=True):
    """The cost of one change for one kind of connection, or for the samples of the load."""

    exposed: Count
    """Connections that were open directly before it, or samples in progress."""
    lost: Count
    """Requests and streams that were lost."""
    closed_politely: Count
    """Connections that were closed with nothing in progress, or with an announcement."""
    longest_ms: Milliseconds | None
    """The longest wait that ended within the change, in milliseconds; null: no wait within it, or none between
    changes. For samples: only if it is longer than between changes."""
    delayed: bool
    """`longest_ms` is longer than the same percentile between the changes."""


class Change(Record, frozen=True, kw_only=True):
    """One change."""

    number: Count
    """Its number, from 1."""
    from_us: int | None
    """The start of its command, microseconds since the epoch."""
    confirmed_us: int | None
    """The time of its confirmation, microseconds since the epoch; null: not confirmed."""
    settled_us: int | None
    """The time when no old process was left, microseconds since the epoch; null: the run no longer waited."""
    lingering: list[str]
    """Old processes that still had connections."""
    lost: Count
    """Requests and streams that it cost."""
    felt: dict[str, Felt]
    """Its cost for each kind of connection and for the samples; kinds without a cost are left out."""


class Loss(Record, frozen=True, kw_only=True):
    """One lost request or stream."""

    kind: str
    """The kind of connection."""
    change: int | None
    """The change that caused it; null: none."""
    at_us: int
    """The time when it was seen, microseconds since the epoch."""
    after_change_ms: float | None
    """The time since the change's command, in milliseconds."""
    error: str
    """The kind of failure."""
    ended_by: str
    """`fin`, `rst`, `silence`, `goaway`, `close`, or empty."""
    position: int | None
    """The number of the last byte or message; null: no byte was received."""
    worker: str
    """The process of the balancer; empty: unknown."""
    place: str
    """The address and the number of the connection; the label of a sample."""


class Changes(Record, frozen=True, kw_only=True):
    """The cost of a series of changes."""

    made: Count
    """The number of changes."""
    lost: Count
    """Requests and streams that the changes cost."""
    lossy: Count
    """Changes that cost something."""
    lossy_low: Number
    """The lower bound of the share of lossy changes, one-sided (Clopper and Pearson)."""
    lossy_high: Number
    """The upper bound, one-sided."""
    confidence: Number
    """The confidence of these bounds."""
    lingering: Count
    """Changes after which an old process still had connections when the next change was due."""
    delay_low_ms: Milliseconds | None
    """The longest delay that a change caused, at least, in milliseconds; null: unknown."""
    delay_high_ms: Milliseconds | None
    """The longest delay that a change caused, at most, in milliseconds."""
    retrying_clients: list[RetryingClient]
    """The pooled load, repeated by clients with retries."""
    kinds: list[Kind]
    """The cost for each kind of connection, and for the samples of the load."""
    by_change: list[Change]
    """Each change."""
    losses: list[Loss]
    """Ten losses at most, in order of time: the first of each kind, then the second of each kind, and so on."""


class Verdict(Record, frozen=True, kw_only=True):
    """The verdict on one run. Null is unknown, never 0. Within a schema, fields may be added, and none changes its
    meaning: validate a file with the schema of the version that wrote it."""

    schema: Literal[3]
    """The version of this schema."""
    run: str
    """The id of the run: UTC time and name."""
    status: Status = field(name="verdict")
    """The verdict in one word."""
    exit_code: Literal[0, 1, 2]
    """0; 1: the pair cost too much, or is not as before; 2: the run is invalid or inconclusive."""
    valid: bool
    """No figure is known to be wrong, and the fault happened and was healed as planned."""
    reasons: list[Reason]
    """Why the verdict is no better; empty if the exit code is 0."""
    warnings: list[str]
    """Facts that a reader should know, although the figures are valid."""
    limits: list[Limit]
    """The limits, and the figures that were measured."""
    outage: Outage | None
    """The cost of the fault; null without probes."""
    prediction: Prediction | None
    """The outage that theory predicts; null without a fault, or if another program wrote the file."""
    confirmation: Confirmation | None
    """Evidence that the fault had an effect; null if no fault was fired."""
    restoration: Restoration | None
    """The state of the pair at the end; null if nothing was healed, or too late for a check."""
    timeline: list[Row] | None
    """The steps of the switchover in the expected order; null: only `switchover report` computes it, and another
    program wrote the file."""
    probes: Population | None
    """The probes; null without a prober."""
    samples: Population | None
    """The requests of the load; null without a load."""
    load: Load | None
    """Figures that only a load shows; null without a load."""
    split_brain_ms: Milliseconds | None
    """The time that more than one balancer held the virtual IP address, in milliseconds; null unless every balancer
    had a source during the whole run."""
    split_brain: SplitBrain | None
    """The times of the split brain; null as in `split_brain_ms`."""
    failback: Outage | None
    """The cost of the heal; null without probes, or if nothing was healed before the end."""
    distribution: Distribution
    """The number of responses of each backend and balancer."""
    accounting: Accounting | None
    """The counts of client, balancers and backends side by side; null: only `switchover report` computes it, and
    another program wrote the file."""
    generator: Generator
    """The counts and delays that the prober reports about its probes."""
    dead_connections: list[DeadConnections] = field(default_factory=list)
    """Held connections after the fault; absent without held connections."""
    changes: Changes | None = None
    """The cost of a series of changes; absent if no change was made, or nothing was open meanwhile."""
