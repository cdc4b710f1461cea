"""Typed records of the verdict on one run, which read and write verdict.json. None means unknown, never 0. Fields
whose names end in `_us` are microseconds since the epoch on the clock of the run. Fields whose names end in `_ms` are
milliseconds. The text below a field is its description in the JSON Schema."""

from enum import StrEnum
from typing import Annotated, Any, Literal, Self, dataclass_transform

from msgspec import Meta, Struct, StructMeta, field

from switchover.rundir.former_names import FORMER_VALUES

SCHEMA: Literal[3] = 3
GAPS_LIMIT = 200
"""The largest number of gaps in `gaps` and in `later_gaps`."""

Count = Annotated[int, Meta(ge=0)]
Moment = Annotated[int, Meta(ge=0)]
"""A time in microseconds since the epoch."""
Milliseconds = Annotated[float, Meta(ge=0)]
Number = Annotated[float, Meta(ge=0)]
Fraction = Annotated[float, Meta(ge=0, le=1)]
Figure = int | float | str | None
"""A value in the text of a reason."""


def milliseconds(microseconds: float) -> float:
    return round(microseconds / 1000, 3)


def milliseconds_if_known(microseconds: float | None) -> float | None:
    return None if microseconds is None else milliseconds(microseconds)


class Status(StrEnum):
    """The verdict in one word. If several statuses apply, the verdict is the first of these statuses in the order of
    this class."""

    NOT_HEALED = "NOT HEALED"
    """The victim of the fault may still be broken."""
    STOPPED = "STOPPED"
    """The run ended before all planned steps were done."""
    NOT_FIRED = "NOT FIRED"
    """A planned fault was not fired."""
    NO_EFFECT = "NO EFFECT"
    """The fault was fired, but an independent source reports no effect."""
    INVALID = "INVALID"
    """A figure may be wrong."""
    UNCONFIRMED = "UNCONFIRMED"
    """The fault was fired, but only the commands of the fault report an effect."""
    NOT_RECOVERED = "NOT RECOVERED"
    """The service was still down at the end of the run."""
    NOT_RESTORED = "NOT RESTORED"
    """The service recovered, but the pair is not in the same state as before the fault."""
    FAILED = "FAILED"
    """A limit is exceeded."""
    REFUTED = "REFUTED"
    """The outages of repeated drills contradict the prediction."""
    INCONCLUSIVE = "INCONCLUSIVE"
    """A limit is inside the uncertainty interval of the measured value."""
    DRY_RUN = "DRY RUN"
    """All steps except the fault were done as planned."""
    MEASURED = "MEASURED"
    """All figures are valid, and the user set no limit."""
    PASSED = "PASSED"
    """All figures are valid, and every limit is met."""

    @property
    def exit_code(self) -> int:
        if self in (Status.PASSED, Status.MEASURED, Status.DRY_RUN):
            return 0
        return 1 if self in (Status.FAILED, Status.NOT_RECOVERED, Status.NOT_RESTORED, Status.REFUTED) else 2


def loudest(statuses: set[Status], otherwise: Status) -> Status:
    """Return the first of `statuses` in the order of `Status`. If `statuses` is empty, return `otherwise`."""
    return next((status for status in Status if status in statuses), otherwise)


class PhaseName(StrEnum):
    """The phases of a run, in the order of time."""

    BASELINE = "baseline"
    SWITCHOVER = "switchover"
    ON_BACKUP = "on_backup"
    FAILBACK = "failback"
    RECOVERED = "recovered"


class OutageKind(StrEnum):
    """The kind of an outage, derived from the gaps in which probes failed or were late."""

    NONE = "none"
    """No probe failed or was late: no outage was longer than the detection limit."""
    OUTAGE = "outage"
    """The longest gap is at least half as long as the outage."""
    PARTIAL = "partial"
    """There are several gaps, and the longest gap is less than half as long as the outage."""


class Step(StrEnum):
    """The name of a step of the switchover."""

    KILL = "kill"
    FIRST_BAD_PROBE = "first bad probe"
    DETECTION = "detection"
    ELECTED = "new master elected"
    FIRST_GOOD = "first good response from it"
    RECOVERY = "recovery"

    @classmethod
    def _missing_(cls, value: object) -> "Step | None":
        """Return the step that had this name in earlier versions."""
        present = FORMER_VALUES.get(str(value))
        return cls(present) if present else None


class ArtefactName(StrEnum):
    """The name of an artefact: a figure that describes the closed-loop load, not the service."""

    OMISSION = "omission"
    REFUSALS = "refusals"
    STALE = "stale"
    RESENDS = "resends"
    # Only files of earlier versions contain the following names.
    PATIENCE = "patience"
    NO_TIMEOUT = "no_timeout"
    RETURN = "return"


class LimitName(StrEnum):
    """The name of a figure that can have a limit."""

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
    """The result of a comparison of a figure with its limit."""

    KEPT = "kept"
    EXCEEDED = "exceeded"
    INCONCLUSIVE = "inconclusive"
    UNMEASURED = "unmeasured"


class _RecordMeta(StructMeta):
    """Makes each record immutable, so that its class need not repeat the options of `Struct`."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **_: bool) -> Any:
        return super().__new__(cls, name, bases, namespace, frozen=True, kw_only=True, omit_defaults=True)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Record(Struct, metaclass=_RecordMeta, frozen=True):
    """A part of the verdict. verdict.json omits each field that has its default value."""


class Reason(Record):
    """One problem that made the verdict worse."""

    code: str
    """The code of the reason, for programs."""
    figures: dict[str, Figure]
    """The values in `text`; keys: their names."""
    text: str
    """The text of the reason, for people."""
    cause: str = ""
    """The cause that the run recorded, or the usual cause. Absent if the JMeter plugin wrote verdict.json."""
    remedy: str = ""
    """The next step. Absent if the JMeter plugin wrote verdict.json."""


class Limit(Record):
    """A limit and the measured value."""

    name: LimitName
    """The name of the figure that is limited."""
    limit: Number | None
    """The largest permitted value, in `unit`; null: the limit is `usual`, and too few earlier runs exist."""
    unit: Unit
    """The unit of `limit`, `low` and `high`."""
    confidence: Annotated[float, Meta(gt=0, lt=1)] | None = None
    """The confidence level of `low` and `high`, only for the limit `lossy`."""
    low: Number | None
    """The lower bound of the measured value, in `unit`; null: not measured."""
    high: Number | None
    """The upper bound of the measured value, in `unit`; null: not measured, or the upper bound is unknown."""
    state: State
    """`kept`, `exceeded`, `inconclusive` (`limit` is between `low` and `high`) or `unmeasured` (no source)."""
    default: bool
    """True: the user did not set this limit."""
    note: str
    """The origin of `limit`, or the reason why `limit` is unknown; may be empty."""


class Span(Record):
    """A period of time."""

    from_us: Moment
    """The start of the period, microseconds since the epoch."""
    to_us: Moment
    """The end of the period, microseconds since the epoch."""
    duration_ms: Milliseconds
    """The length of the period, in milliseconds."""

    @classmethod
    def of(cls, from_us: int, to_us: int, **more: Any) -> Self:
        return cls(from_us=from_us, to_us=to_us, duration_ms=milliseconds(to_us - from_us), **more)


class Gap(Span):
    """The time from the last good response before a failed or late probe to the next good response."""

    failed: Count
    """Failed probes in the gap."""
    late: Count
    """Late probes in the gap."""


class Outage(Record):
    """The time during which the service was down, measured by probes on new connections."""

    kind: OutageKind
    """`none`: no bad probe. `outage`: one gap between good responses covers at least half of the time from the
    first to the last gap. `partial`: no gap covers half of this time."""
    low_ms: Milliseconds
    """The shortest possible outage, in milliseconds."""
    high_ms: Milliseconds | None
    """The longest possible outage, in milliseconds; without a gap: the detection limit; null: not recovered."""
    detection_limit_ms: Milliseconds
    """The longest time, outside of gaps, without a sent probe, in milliseconds. A shorter outage may be missed."""
    censored: bool
    """True: the outage lasted until the end of the phase, so the true duration may be longer."""
    recovered: bool
    """True: neither the outage nor a later gap lasted until the end of the phase."""
    from_us: Moment | None
    """The time of the last good response before the outage, microseconds since the epoch; null: no gap."""
    to_us: Moment | None
    """The time of the first good response after the outage, microseconds since the epoch; null: no gap."""
    first_bad_us: Moment | None = None
    """The time when the first bad probe was sent, microseconds since the epoch. Absent: no gap, or unknown."""
    envelope_ms: Milliseconds
    """The time from the start of the first gap to the end of the last gap, including later gaps, in milliseconds."""
    sum_of_gaps_ms: Milliseconds
    """The sum of the durations of all gaps and later gaps, in milliseconds."""
    loss_derived_ms: Milliseconds | None
    """The value of `impaired` divided by the probe rate, in milliseconds; null: the probe rate is unknown."""
    impaired: Count
    """The number of failed and late probes."""
    interval_ms: Milliseconds | None
    """The scheduled time between two probes, in milliseconds; null: unknown."""
    gaps: Annotated[list[Gap], Meta(max_length=GAPS_LIMIT)]
    """The first 200 gaps within the outage."""
    gap_count: Count
    """The number of gaps within the outage."""
    later_gaps: Annotated[list[Gap], Meta(max_length=GAPS_LIMIT)]
    """The first 200 gaps after a stability window (later gaps)."""
    later_gap_count: Count
    """The number of later gaps."""


class Prediction(Record):
    """The predicted window of the outage for this fault."""

    fault: str
    """The name of the fault."""
    low_ms: Milliseconds | None
    """The shortest predicted outage, in milliseconds; null: unknown."""
    high_ms: Milliseconds | None
    """The longest predicted outage, in milliseconds; null: the upper bound is unknown."""
    tolerance_ms: Milliseconds | None
    """The duration of the fault command plus two probe intervals, in milliseconds; null without probes."""
    inside: bool | None
    """True: the measured outage overlaps the predicted window, widened by `tolerance_ms`. Null: unknown."""


class Check(Record):
    """The result of one check."""

    name: str
    """The name of the check."""
    holds: bool | None
    """True: the fault had an effect (confirmation), or the state is as before the
    fault (restoration). Null: unknown."""
    text: str
    """The result of the check, for people."""


class Confirmation(Record):
    """Evidence that the fault had an effect. The sources are independent of the commands of the fault."""

    seen: bool | None
    """True: a source shows an effect of the fault. False: a source shows that the fault had no effect. Null:
    unknown."""
    checks: list[Check]
    """One check for each source: generation, frontend, server, owner, scrapes and probes."""


class Restoration(Record):
    """The state of the pair at the end of the run, compared with its state before the fault."""

    whole: bool | None
    """True: the pair is in the same state as before the fault. Null: unknown."""
    checks: list[Check]
    """Up to six checks: answers, frontends, servers, routes, one_holder and returned."""


class Row(Record):
    """One step of the switchover."""

    step: Step
    """The name of the step."""
    at_us: Moment | None
    """The time of the step, microseconds since the epoch; null: unknown."""
    bound_ms: Milliseconds | None
    """The uncertainty of `at_us`, in milliseconds: the step happened at `at_us` ± `bound_ms`; null: unknown."""
    after_kill_ms: float | None
    """The time from the kill to the step, in milliseconds. Negative: the step was before the kill. Null: unknown."""
    stamped_late_ms: Milliseconds
    """The minimum delay of a source's time stamp of this step, in milliseconds: other evidence proves an earlier
    time."""
    source: str
    """The source that reported the step, or the reason why no source reported the step."""
    order_unknown: bool
    """True: this step may have happened before the previous step."""


class Percentiles(Record):
    """Percentiles of response times, computed by the nearest-rank method."""

    p50: Milliseconds
    """The median response time, in milliseconds."""
    p90: Milliseconds
    """The 90th percentile of the response times, in milliseconds."""
    p99: Milliseconds
    """The 99th percentile of the response times, in milliseconds."""
    max: Milliseconds
    """The longest response time, in milliseconds."""


class Latency(Record):
    """Percentiles of the response times, measured from the scheduled time and from the sending time."""

    from_schedule: Percentiles | None
    """Response times from the scheduled time of the request; null: there was no schedule (closed loop)."""
    from_send: Percentiles
    """Response times from the sending time of the request."""


class Stream(Record):
    """The counts of the requests on one kind of connection."""

    total: Count
    """All requests on this kind of connection."""
    failed: Count
    """Failed requests."""
    late: Count
    """Late requests."""


class Counts(Record):
    """The counts of requests in one phase."""

    total: Count
    """Requests that the client sent."""
    failed: Count
    """Failed requests."""
    late: Count
    """Requests whose good response arrived more than `--late` after the scheduled time; without a schedule: after the
    sending time."""
    unsent: Count
    """Requests that the client could not send. `total` and all other counts exclude unsent requests."""
    rate: Number | None
    """Requests per second during the phase; null: the phase has no length."""
    users: Number | None
    """The mean number of users; null: not reported."""
    by_kind: dict[str, Count]
    """Failed requests by kind of failure."""
    by_answered_by: dict[str, Count]
    """Requests by origin of the response: `backend`, `balancer`, `none` (no response arrived) or `unknown`."""
    by_stream: dict[str, Stream]
    """The counts of requests by kind of connection: `fresh` (a new connection) or `kept` (keep-alive)."""
    latency_ms: Latency | None
    """Percentiles of the response times, in milliseconds; null: the phase has no good or late response."""


class Population(Counts):
    """The counts of requests of the whole run and of each phase."""

    by_phase: dict[PhaseName, Counts]
    """The counts of each phase of the run."""


class Silence(Span):
    """The time between two consecutive good responses, or between a good response and the start or end of the log."""

    low_ms: Milliseconds
    """The shortest possible outage within the silence, in milliseconds."""
    high_ms: Milliseconds | None
    """The longest possible outage within the silence, in milliseconds; null: the log ended before the recovery."""
    failed: Count
    """Failed requests that ended during the silence."""
    by_kind: dict[str, Count]
    """Failed requests that ended during the silence, by kind of failure."""
    in_progress: Count
    """Requests in progress at the middle of the silence."""


class Silences(Record):
    """The silences of one log file or of one label."""

    file: str | None
    """The name of the log file; null: all log files, judged together because their clocks agree."""
    label: str | None
    """The label of the requests; null: the requests of all labels."""
    outage: Silence | None
    """The silence with the largest `low_ms` above 0; null: the log proves no outage."""
    longest: Silence
    """The longest silence. An outage shorter than this silence may be undetected."""
    more: Count
    """The number of silences with a `low_ms` above 0, except the silence in `outage`."""
    recovered: bool
    """False: the service was still down at the end of the log."""


class Label(Record):
    """The counts and response times of the requests with one label."""

    label: str
    """The label in the log."""
    total: Count
    """Requests that the client sent."""
    failed: Count
    """Failed requests."""
    p50_ms: Milliseconds | None
    """The median time from sending a request to its good or late response, in milliseconds; null: no response."""
    p95_ms: Milliseconds | None
    """The 95th percentile of the response times of good and late responses, in milliseconds; null: no response."""
    p99_ms: Milliseconds | None
    """The 99th percentile of the response times of good and late responses, in milliseconds; null: no response."""


class Artefact(Record):
    """A figure that describes the closed-loop load, not the service."""

    name: ArtefactName
    """The name of the artefact."""
    event: PhaseName | None
    """The phase of the artefact, `switchover` or `failback`; null: the whole run."""
    text: str
    """The explanation, for people."""
    figures: dict[str, int]
    """The values in `text`; keys: their names. Milliseconds if the name ends in `_ms`, otherwise requests."""


class Load(Record):
    """Figures that need a load generator."""

    longest_gap: Span | None
    """The longest time without a good response between the fault and the heal; null: no fault or no response."""
    artefacts: list[Artefact] | None
    """Figures that describe the closed-loop load, not the service; null if the JMeter plugin wrote verdict.json."""
    silences: list[Silences] = field(default_factory=list)
    """The silences of each log file and of each label; only for runs without probes and without a fault."""
    labels: list[Label] | None = None
    """The figures of the labels with the most requests. Absent if the JMeter plugin wrote verdict.json."""
    more_labels: Count | None = None
    """The number of labels that are not in `labels`."""


class SplitBrain(Record):
    """The time during which more than one balancer held the virtual IP address."""

    low_ms: Milliseconds
    """The lower bound of the sum of all overlaps, in milliseconds."""
    high_ms: Milliseconds | None
    """The upper bound of the sum of all overlaps, in milliseconds; null: `bound_ms` is unknown."""
    overlaps: list[Span]
    """The periods in which more than one balancer held the address."""
    handovers: list[Span]
    """Overlaps of at most 100 ms plus `bound_ms` (no split brain). `high_ms` includes handovers above 100 ms."""
    bound_ms: Milliseconds | None
    """The uncertainty of the balancers' clocks, in milliseconds; null: unknown."""


class Share(Record):
    """The responses of one backend or balancer."""

    count: Count
    """The number of responses."""
    share: Fraction
    """`count` divided by the number of all responses of the phase."""


class Answers(Record):
    """The responses of one phase."""

    backends: dict[str, Share]
    """Responses by backend."""
    balancers: dict[str, Share]
    """Responses by balancer."""


class Turns(Record):
    """The round-robin check of one balancer in one phase."""

    phase: PhaseName
    """The phase that was checked."""
    balancer: str
    """The name of the balancer."""
    counts: dict[str, Count]
    """Requests by backend."""
    deviation: Number
    """The largest difference between the count of a backend and its expected count, in requests."""
    allowed: Number
    """The largest `deviation` that a correct round robin can have, in requests."""
    kept: bool
    """True: `deviation` is at most `allowed`."""


class ChiSquare(Record):
    """Pearson's chi-squared test."""

    statistic: Number
    """The chi-squared statistic."""
    degrees: Annotated[int, Meta(ge=1)]
    """The degrees of freedom."""
    p: Fraction
    """The probability that a correct balancer has at least this `statistic`."""


class Distribution(Record):
    """Responses by backend and balancer."""

    algorithm: str | None
    """The balancing algorithm in the configuration of the balancers; null: unknown."""
    by_phase: dict[PhaseName, Answers]
    """The responses of each phase."""
    turns: list[Turns] | None
    """The round-robin check of each balancer; null if the JMeter plugin wrote verdict.json."""
    chi_square: ChiSquare | None
    """The comparison of the baseline's counts with the weights, for random and hashing algorithms; null: not
    tested."""
    sessions: Count | None
    """The number of sessions; null: no session was seen, or the JMeter plugin wrote verdict.json."""
    sessions_moved: Count | None
    """Sessions that moved to a different backend although the previous backend was up; null if `sessions` is null."""


class Line(Record):
    """One comparison of the client's request count with the count of a second source."""

    name: str
    """The name of the comparison."""
    node: str | None
    """The node whose requests are compared; null: the line compares the requests of several nodes."""
    generation: str | None
    """The balancer process whose requests are compared; null: all processes of the node."""
    client: Count
    """Requests that the client counted."""
    source: int
    """Requests that the source counted. The number may be below 0 if the counters were read under load."""
    said_by: str
    """The name of the source."""
    difference: int
    """`client` minus `source`, in requests."""
    explained_by: dict[str, Count]
    """The number of requests that each known cause of the difference explains."""
    unaccounted: Count
    """The part of `difference` that has no known cause, in requests."""


class Accounting(Record):
    """The comparison of the client's counts with the counts of the balancers and backends."""

    dedicated: bool
    """True: only this test sends requests to the target, so the counts must be equal."""
    equal: Count
    """The number of comparisons whose two counts are equal."""
    explained: Count
    """The sum of the differences with a known cause, in requests."""
    unaccounted: Count | None
    """The sum of the differences without a known cause, in requests; null: unknown."""
    uncounted: list[str]
    """Balancers that were not scraped before the load, and backends whose access log cannot be compared."""
    lines: list[Line]
    """The comparisons of the client's request counts with the counts of other sources."""


class Generator(Record):
    """Measurements of the prober itself."""

    scheduled: Count | None
    """Scheduled probes; null without a prober."""
    unsent: Count | None
    """Scheduled probes that were not sent, because the prober was too late; null without a prober."""
    lag_p50_ms: float | None
    """The median delay from the scheduled time to the sending of a probe, in milliseconds; null: unknown."""
    lag_p99_ms: float | None
    """The 99th percentile of the delay of a probe after its scheduled time, in milliseconds; null: unknown."""
    cpu_percent: float | None
    """CPU time of the prober, in percent of one core; null: unknown."""


class DeadConnections(Record):
    """The effect of the fault on the held connections of one kind."""

    kind: str
    """The kind of connection."""
    open: Count
    """Connections that were open at the fault and had been used before the fault."""
    dead: Count
    """Connections that were broken by the fault (dead connections)."""
    by_fin: Count
    """Dead connections whose client received FIN."""
    by_rst: Count
    """Dead connections whose client received RST."""
    by_timeout: Count
    """Dead connections that the client detected only by a timeout."""
    untold: Count
    """Dead connections that the client did not detect before the end of the run."""
    median_ms: float | None
    """The median time from the fault to the detection of a dead connection, in milliseconds; null: no detection."""
    longest_ms: float | None
    """The longest time from the fault to the detection of a dead connection, in milliseconds; null: no detection."""


class RetryingClient(Record):
    """A client with retries that sends the same requests as the pooled connections."""

    client: str
    """The name of the client."""
    requests: Count
    """Requests that the application made; retries are not counted."""
    raised: Count
    """Requests for which the application received an error."""
    resent: Count
    """Requests that succeeded only after a retry, so that the application received no error."""
    attempts: Count
    """Requests that the client sent, including retries."""


class Kind(Record):
    """The cost of all changes for one kind of connection, or for the samples of the load."""

    kind: str
    """The kind of connection; `samples`: the requests of the load."""
    exposed: Count
    """Connections that were open, or samples that were in progress, when a change began; summed over all changes."""
    lost: Count
    """Requests and streams that a change lost."""
    lost_elsewhere: Count
    """Requests and streams that were lost, but not by a change."""
    lost_per_thousand: Number | None
    """The number of lost requests and streams per 1000 of `exposed`; null: `exposed` is 0."""
    lossy: Count
    """Changes that lost at least one request or stream of this kind."""
    lossy_low: Number
    """The one-sided lower bound of the share of lossy changes."""
    lossy_high: Number
    """The one-sided upper bound of the share of lossy changes."""
    closed_politely: Count
    """Connections that were closed while no request was in progress, or after the server had announced the close."""
    reset: Count
    """Requests and streams that a change ended with an RST."""
    generator_errors: Count
    """Errors inside the load generator, which do not count as losses."""
    delay_longest_ms: Milliseconds | None
    """The longest response time during a change, in milliseconds from the scheduled time; null: not compared."""
    delay_between_low_ms: Milliseconds | None
    """The lower bound of the estimated longest response time without a change, in milliseconds; null: unknown."""
    delay_between_high_ms: Milliseconds | None
    """The upper bound of the estimated longest response time without a change, in milliseconds; null: unknown."""
    delay_caused_low_ms: Milliseconds | None
    """The lower bound of the delay that the changes caused, in milliseconds; null if `delay_longest_ms` is null."""
    delay_caused_high_ms: Milliseconds | None
    """The upper bound of the delay that the changes caused, in milliseconds; null if `delay_longest_ms` is null."""


class Felt(Record):
    """The cost of one change for one kind of connection, or for the samples of the load."""

    exposed: Count
    """Connections that were open, or samples that were in progress, when the change began."""
    lost: Count
    """Requests and streams that the change lost."""
    closed_politely: Count
    """Connections that were closed while no request was in progress, or after the server had announced the close."""
    longest_ms: Milliseconds | None
    """The longest response time during the change, in milliseconds from the scheduled time; null: not compared."""
    delayed: bool
    """True: `longest_ms` is above `delay_between_high_ms` of the same kind of connection or label."""


class Change(Record):
    """One change of the series."""

    number: Count
    """The number of the change in the series, from 1."""
    from_us: int | None
    """The time when the command of the change started, microseconds since the epoch."""
    confirmed_us: int | None
    """The time when the change was confirmed, microseconds since the epoch; null: not confirmed."""
    settled_us: int | None
    """The time when the last old balancer process ended, microseconds since the epoch; null: unknown."""
    lingering: list[str]
    """Old balancer processes that still had connections when the run stopped waiting for these processes to end."""
    lost: Count
    """Requests and streams that the change lost."""
    felt: dict[str, Felt]
    """The effect of the change on the samples, and on each kind of connection that had a loss, a close or a delay."""


class Loss(Record):
    """One lost request or stream."""

    kind: str
    """The kind of connection."""
    change: int | None
    """The `number` of the change that caused the loss; null: no change caused the loss."""
    at_us: int
    """The time when the client detected the loss, microseconds since the epoch."""
    after_change_ms: float | None
    """The time from the start of the change to the loss, in milliseconds; null if `change` is null."""
    error: str
    """The kind of failure."""
    ended_by: str
    """The end of the connection: `fin`, `rst`, `silence` (timeout), `goaway`, `close` (announced); empty: unknown."""
    position: int | None
    """The number of the last byte or message that arrived; null: nothing arrived, or the loss is a sample."""
    worker: str
    """The balancer process that served the connection; empty: unknown."""
    place: str
    """The address and number of the connection, or the label of the sample."""


class Changes(Record):
    """The cost of a series of changes."""

    made: Count
    """The number of changes."""
    lost: Count
    """Requests and streams that the changes lost."""
    lossy: Count
    """Changes that lost at least one request or stream."""
    lossy_low: Number
    """The one-sided lower bound of the share of lossy changes, from 0 to 1 (Clopper and Pearson)."""
    lossy_high: Number
    """The one-sided upper bound of the share of lossy changes, from 0 to 1."""
    confidence: Number
    """The confidence level of `lossy_low` and `lossy_high`, from 0 to 1."""
    lingering: Count
    """Changes after which an old balancer process still had connections when the run stopped waiting for its end."""
    delay_low_ms: Milliseconds | None
    """The lower bound of the longest delay that a change caused, in milliseconds; null: unknown."""
    delay_high_ms: Milliseconds | None
    """The upper bound of the longest delay that a change caused, in milliseconds; null: unknown."""
    retrying_clients: list[RetryingClient]
    """The results of retrying clients, which send the same requests as the pooled connections."""
    kinds: list[Kind]
    """The losses and delays for each kind of connection, and for the samples."""
    by_change: list[Change]
    """The results of each change."""
    losses: list[Loss]
    """At most ten examples of losses, from all kinds of connections, in the order of time."""


class Verdict(Record):
    """The verdict on one run. Null means unknown, never 0. A later version of Switchover may add fields."""

    schema: Literal[3]
    """The version number of the schema."""
    run: str
    """The id of the run: the UTC time of its start, and its name."""
    status: Status = field(name="verdict")
    """The verdict in one word."""
    exit_code: Literal[0, 1, 2]
    """0: no problem. 1: the pair failed, or the outages refute the prediction. 2: the run allows no conclusion."""
    valid: bool
    """True: no figure is known to be wrong, and the fault and the heal ran as planned."""
    reasons: list[Reason]
    """The problems because of which the exit code is not 0; empty if the exit code is 0."""
    warnings: list[str]
    """Facts that limit the use of the figures, although the figures are valid."""
    limits: list[Limit]
    """The limits of the run, with the measured values."""
    outage: Outage | None
    """The outage that the fault caused; null without probes."""
    prediction: Prediction | None
    """The predicted outage; null without a fault, or if the JMeter plugin wrote verdict.json."""
    confirmation: Confirmation | None
    """Evidence that the fault had an effect; null: no fault was fired."""
    restoration: Restoration | None
    """The state of the pair at the end; null: no fault was healed, or the run ended too soon after the heal."""
    timeline: list[Row] | None
    """The steps of the switchover in the expected order; null if the JMeter plugin wrote verdict.json."""
    probes: Population | None
    """The counts of the probes; null without a prober."""
    samples: Population | None
    """The counts of the samples (the requests of the load); null without a load."""
    load: Load | None
    """Figures that need a load generator; null without a load, or if the JMeter plugin wrote verdict.json."""
    split_brain_ms: Milliseconds | None
    """The time with several holders of the virtual IP address, in milliseconds; null: unknown, or only one
    balancer exists."""
    split_brain: SplitBrain | None
    """Details of the split brain; null if `split_brain_ms` is null."""
    failback: Outage | None
    """The outage that the heal caused; null: no probe was sent, or no fault was healed."""
    distribution: Distribution
    """Responses by backend and balancer."""
    accounting: Accounting | None
    """The client's request counts, compared with other sources; null if the JMeter plugin wrote verdict.json."""
    generator: Generator
    """Measurements of the prober itself."""
    dead_connections: list[DeadConnections] = field(default_factory=list)
    """The effect of the fault on held connections, by kind; absent without held connections."""
    changes: Changes | None = None
    """The losses and delays of a series of changes; absent: no change was made, or no request was recorded."""
