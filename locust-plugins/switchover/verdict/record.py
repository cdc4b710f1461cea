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
    """The run ended before all planned steps were done."""
    NOT_FIRED = "NOT FIRED"
    """A planned fault was not fired."""
    NO_EFFECT = "NO EFFECT"
    """The fault was fired, but an independent source reports no effect."""
    INVALID = "INVALID"
    """A figure may be wrong."""
    UNCONFIRMED = "UNCONFIRMED"
    """The fault was fired, but only its own commands report an effect."""
    NOT_RECOVERED = "NOT RECOVERED"
    """The service was still down at the end of the run."""
    NOT_RESTORED = "NOT RESTORED"
    """The service is back, but the pair is not as it was before."""
    FAILED = "FAILED"
    """A limit is exceeded."""
    REFUTED = "REFUTED"
    """The outages of repeated drills do not fit the prediction."""
    INCONCLUSIVE = "INCONCLUSIVE"
    """A limit lies inside the interval of its figure."""
    DRY_RUN = "DRY RUN"
    """All steps except the fault were run as planned."""
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
    """One reason why the verdict is not better."""

    code: str
    """The code of the reason, for programs."""
    figures: dict[str, Figure]
    """Numbers and names in `text`, by name."""
    text: str
    """The text of the reason, for people."""
    cause: str = ""
    """The usual cause, or the recorded cause. Absent if another program wrote the file."""
    remedy: str = ""
    """The next step. Absent if another program wrote the file."""


class Limit(Record, frozen=True, kw_only=True):
    """A limit and the measured figure."""

    name: LimitName
    """The figure that is limited."""
    limit: Number | None
    """The largest allowed value, in `unit`; null: the `usual` value is unknown."""
    unit: Unit
    """The unit of `limit`, `low` and `high`: milliseconds, a share from 0 to 1, or requests."""
    confidence: Annotated[float, Meta(gt=0, lt=1)] | None = None
    """The confidence of `low` and `high`. Only present if the figure is an estimated share (`lossy`)."""
    low: Number | None
    """The lower bound of the measured value, in `unit`; null: not measured."""
    high: Number | None
    """The upper bound of the measured value, in `unit`; null: not measured, or the end is unknown."""
    state: State
    """`kept`: high is at most the limit. `exceeded`: low is above it. `inconclusive`: the limit lies between.
    `unmeasured`: the run has no source for the figure."""
    default: bool
    """True: the user did not set this limit. A default limit applies if the run has, or should have, a source for the
    figure."""
    note: str
    """The source of the limit's value, or the reason why the value is unknown; may be empty."""


class Span(Record, frozen=True, kw_only=True):
    """A period of time."""

    from_us: Moment
    """The start, microseconds since the epoch."""
    to_us: Moment
    """The end, microseconds since the epoch."""
    duration_ms: Milliseconds
    """The length in milliseconds."""

    @classmethod
    def of(cls, from_us: int, to_us: int) -> "Span":
        return Span(from_us=from_us, to_us=to_us, duration_ms=milliseconds(to_us - from_us))


class Gap(Span, frozen=True, kw_only=True):
    """A gap starts with the last good response before a bad probe. It ends with the first good response to a later
    probe, or with the phase."""

    failed: Count
    """Failed probes in the gap."""
    late: Count
    """Late probes in the gap."""


class Outage(Record, frozen=True, kw_only=True):
    """The time during which the service was down, measured by probes on new connections."""

    kind: OutageKind
    """`none`: no bad probe. `partial`: good responses between the bad ones."""
    low_ms: Milliseconds
    """The shortest possible outage, in milliseconds."""
    high_ms: Milliseconds | None
    """The longest possible outage, in milliseconds. With kind `none`: the detection limit. Null: not recovered."""
    detection_limit_ms: Milliseconds
    """The longest time without a sent probe outside of all gaps, in milliseconds: a shorter gap may be undetected."""
    censored: bool
    """True: the outage did not end before the end of the phase, so the duration is a lower bound."""
    recovered: bool
    """True: the outage is not censored, and no later gap lasted until the end of the phase."""
    from_us: Moment | None
    """The time of the last good response before the outage, microseconds since the epoch; null with kind `none`."""
    to_us: Moment | None
    """The time of the first good response after the outage, microseconds since the epoch; null with kind `none`."""
    first_bad_us: Moment | None = None
    """The sending time of the first bad probe, microseconds since the epoch. Absent with kind `none`, or if another
    program wrote the file."""
    envelope_ms: Milliseconds
    """The time from the start of the first gap to the end of the last gap, including later gaps, in milliseconds."""
    sum_of_gaps_ms: Milliseconds
    """The sum of all gaps, in milliseconds."""
    loss_derived_ms: Milliseconds | None
    """The number of bad probes divided by the probe rate, in milliseconds; null: the rate is unknown."""
    impaired: Count
    """Failed and late probes."""
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
    """The longest predicted outage, in milliseconds. Null with a `low_ms`: the upper bound is unknown."""
    tolerance_ms: Milliseconds | None
    """The tolerance added to the window, in milliseconds: the duration of the kill and two probe intervals; null
    without probes."""
    inside: bool | None
    """True: the measured outage overlaps the window with its tolerance; null: unknown."""


class Check(Record, frozen=True, kw_only=True):
    """One observation, reported by one source."""

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
    """True: the pair is as before. False: a part of the pair is not as before. Null: unknown."""
    checks: list[Check]
    """The checks: answers, frontends, servers, one_holder, returned."""


class Row(Record, frozen=True, kw_only=True):
    """One step of the switchover."""

    step: Step
    """The step."""
    at_us: Moment | None
    """The time of the step, microseconds since the epoch; null: unknown."""
    bound_ms: Milliseconds | None
    """The uncertainty of `at_us`, plus or minus, in milliseconds; null: unknown."""
    after_kill_ms: float | None
    """The time since the kill, in milliseconds; negative: before the kill; null: unknown."""
    stamped_late_ms: Milliseconds
    """The delay of the source's time stamp, in milliseconds, proved by a later step. `bound_ms` includes the
    delay."""
    source: str
    """The source that saw the step, or the reason why no source saw the step."""
    order_unknown: bool
    """True: the order of this and the previous step is unknown, because their intervals overlap or an interval is
    unknown."""


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
    """Response times, measured from two starting points."""

    from_schedule: Percentiles | None
    """Measured from the scheduled time; null if the requests had no schedule (a closed loop)."""
    from_send: Percentiles
    """Measured from the time of sending."""


class Stream(Record, frozen=True, kw_only=True):
    """The counts of one kind of connection."""

    total: Count
    """All requests."""
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
    """Requests whose good response arrived after the late threshold, counted from the scheduled time."""
    unsent: Count
    """Requests that the client could not send (no port, no descriptor). No other count contains them."""
    rate: Number | None
    """Requests per second of the phase; null if the phase has no length."""
    users: Number | None
    """The mean number of users; null: no load generator reported it."""
    by_kind: dict[str, Count]
    """Failed requests by kind of failure."""
    by_answered_by: dict[str, Count]
    """Requests by origin of the response: `backend`; `balancer` (generated by the balancer); `none` (no response);
    `unknown`."""
    by_stream: dict[str, Stream]
    """Requests by kind of connection: `fresh` or `kept` (keep-alive)."""
    latency_ms: Latency | None
    """Percentiles of good and late responses, in milliseconds; null without such a response."""


class Population(Counts, frozen=True, kw_only=True):
    """The counts of requests of the whole run and of each phase."""

    by_phase: dict[PhaseName, Counts]
    """These counts for each phase of the run."""


class Silence(Span, frozen=True, kw_only=True):
    """The time between two consecutive good responses, or between a good response and the start or end of the log."""

    low_ms: Milliseconds
    """The shortest possible outage within the silence, in milliseconds."""
    high_ms: Milliseconds | None
    """The longest possible outage within the silence, in milliseconds; null: the log ended first."""
    failed: Count
    """Failed requests that ended during the silence."""
    by_kind: dict[str, Count]
    """These failed requests by kind of failure."""
    in_progress: Count
    """Requests in progress in the middle of the silence."""


class Silences(Record, frozen=True, kw_only=True):
    """The silences of one file or of one label."""

    file: str | None
    """The log file; null: all requests, because the clocks of all logs agree."""
    label: str | None
    """The label; null: all requests."""
    outage: Silence | None
    """The silence with the largest lower bound, if this bound is above 0; null: no outage is proven."""
    longest: Silence
    """The longest silence: a shorter outage may be undetected."""
    more: Count
    """The number of further silences with a lower bound above 0."""
    recovered: bool
    """False: the log ends in an outage."""


class Label(Record, frozen=True, kw_only=True):
    """The figures of the requests with one label."""

    label: str
    """The label in the log."""
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
    """The name of the artefact."""
    event: PhaseName | None
    """The phase, `switchover` or `failback`; null: the whole run."""
    text: str
    """The explanation, for people."""
    figures: dict[str, int]
    """Values by name: requests, or milliseconds if the name ends in _ms."""


class Load(Record, frozen=True, kw_only=True):
    """Figures that need a load generator."""

    longest_gap: Span | None
    """The longest time without a good response between the fault and its heal; null: no fault, or no good response
    before the heal."""
    artefacts: list[Artefact] | None
    """Figures of a closed loop that describe the load rather than the service; null: only `switchover report`
    computes them, and another program wrote the file."""
    silences: list[Silences] = field(default_factory=list)
    """The silences of a load without probes and without a fault: of each file, then of each requested label."""
    labels: list[Label] | None = None
    """The most common labels, in descending order. Absent if another program wrote the file."""
    more_labels: Count | None = None
    """The number of labels that are not in `labels`."""


class SplitBrain(Record, frozen=True, kw_only=True):
    """The time during which more than one balancer held the virtual IP address."""

    low_ms: Milliseconds
    """The lower bound of the sum of all overlaps, in milliseconds."""
    high_ms: Milliseconds | None
    """The upper bound of the sum, in milliseconds; null: unknown, because the clock uncertainty is unknown."""
    overlaps: list[Span]
    """Periods in which more than one balancer held the address."""
    handovers: list[Span]
    """Overlaps of a normal handover: at most 100 ms plus twice the clock uncertainty. Handovers are no split brain,
    but `high_ms` includes handovers over 100 ms."""
    bound_ms: Milliseconds | None
    """The uncertainty of the balancers' clocks, in milliseconds; null: unknown."""


class Share(Record, frozen=True, kw_only=True):
    """The responses of one backend or balancer."""

    count: Count
    """The number of responses."""
    share: Fraction
    """The share of all responses, 0 to 1."""


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
    """True: `deviation` is at most `allowed`."""


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
    """The check of each balancer's round robin; null: only `switchover report` computes it."""
    chi_square: ChiSquare | None
    """The test of the baseline's counts against the expected shares, for random and hashing algorithms. Null: another
    algorithm, too few responses, or another program wrote the file."""
    sessions: Count | None
    """The number of sessions; null: no session was seen, or another program wrote the file."""
    sessions_moved: Count | None
    """Sessions that changed the backend although the previous backend was up; null as in `sessions`."""
    by_counters: bool = False
    """True: no response named a backend, so `backends` has HAProxy's counts of the requests of all clients."""


class Line(Record, frozen=True, kw_only=True):
    """Two counts of the same requests or responses."""

    name: str
    """The name of the comparison."""
    node: str | None
    """The node; null: no single node."""
    generation: str | None
    """The process lifetime; null: all lifetimes."""
    client: Count
    """The count of the client, in requests."""
    source: int
    """The count of the source, in requests; a difference of counters that were read under load may be below 0."""
    said_by: str
    """The name of the source."""
    difference: int
    """`client` minus `source`, in requests."""
    explained_by: dict[str, Count]
    """Requests of the difference, by known cause."""
    unaccounted: Count
    """Requests of the difference without a known cause."""


class Accounting(Record, frozen=True, kw_only=True):
    """The counts of client, balancers and backends side by side."""

    dedicated: bool
    """True: only this test sends requests to the target, so the counts must be equal."""
    equal: Count
    """The number of lines without a difference."""
    explained: Count
    """Requests of differences that have a known cause."""
    unaccounted: Count | None
    """Requests of differences without a known cause; null: unknown."""
    uncounted: list[str]
    """Balancers whose counters were not read before the load."""
    lines: list[Line]
    """The comparisons."""


class Generator(Record, frozen=True, kw_only=True):
    """The counts and delays that the prober reports about its probes."""

    scheduled: Count | None
    """Probes in the schedule; null without a prober."""
    unsent: Count | None
    """Scheduled probes that were not sent because the prober was too late; null without a prober."""
    lag_p50_ms: float | None
    """The median delay of sending after the scheduled time, in milliseconds; null: unknown."""
    lag_p99_ms: float | None
    """The 99th percentile of this delay, in milliseconds; null: unknown."""
    cpu_percent: float | None
    """The prober's CPU time. Percent of one core; null: unknown."""


class DeadConnections(Record, frozen=True, kw_only=True):
    """Held connections of one kind after the fault."""

    kind: str
    """The kind of connection."""
    open: Count
    """Connections that had been used before the fault and were open at the fault."""
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
    """The median time from the fault command until the client noticed the loss, in milliseconds; null: no client
    noticed."""
    longest_ms: float | None
    """The longest of these times, in milliseconds."""


class RetryingClient(Record, frozen=True, kw_only=True):
    """A client with retries that sends the same requests as the pooled load."""

    client: str
    """The name of the client."""
    requests: Count
    """Requests of the caller, without retries."""
    raised: Count
    """Requests that ended with an error for the caller."""
    resent: Count
    """Requests that succeeded after a retry, without an error for the caller."""
    attempts: Count
    """Requests that the balancer received, including retries."""


class Kind(Record, frozen=True, kw_only=True):
    """One kind of connection, or the samples of the load, over all changes."""

    kind: str
    """The kind of connection, or `samples`."""
    exposed: Count
    """Connections that were open directly before a change, or samples in progress, summed over the changes."""
    lost: Count
    """Requests and streams that were lost because of a change."""
    lost_elsewhere: Count
    """Requests and streams that were lost without a change."""
    lost_per_thousand: Number | None
    """Losses per thousand connections in `exposed`; null: no connection."""
    lossy: Count
    """Changes with a loss of this kind."""
    lossy_low: Number
    """The one-sided lower bound of the share of lossy changes, with `confidence`."""
    lossy_high: Number
    """The one-sided upper bound of the share."""
    closed_politely: Count
    """Connections that were closed without a request in progress, or after an announcement."""
    reset: Count
    """Requests and streams that ended by RST."""
    generator_errors: Count
    """Errors of the load's own process; no loss."""
    delay_longest_ms: Milliseconds | None
    """The longest wait that ended within a change, in milliseconds; null: no response within a change, or no response
    between changes."""
    delay_between_low_ms: Milliseconds | None
    """The lower bound of the percentile of the waits between changes that corresponds to `delay_longest_ms`, in
    milliseconds."""
    delay_between_high_ms: Milliseconds | None
    """The upper bound of this percentile, in milliseconds; null: too few waits."""
    delay_caused_low_ms: Milliseconds | None
    """The lower bound of the delay caused by the changes, in milliseconds."""
    delay_caused_high_ms: Milliseconds | None
    """The upper bound of the delay caused by the changes, in milliseconds."""


class Felt(Record, frozen=True, kw_only=True):
    """The cost of one change for one kind of connection, or for the samples of the load."""

    exposed: Count
    """Connections that were open directly before the change, or samples in progress."""
    lost: Count
    """Requests and streams that were lost."""
    closed_politely: Count
    """Connections that were closed without a request in progress, or after an announcement."""
    longest_ms: Milliseconds | None
    """The longest wait that ended within the change, in milliseconds; null: no wait within the change, or no wait
    between changes. For samples: only if this wait is longer than between changes."""
    delayed: bool
    """True: `longest_ms` is longer than the same percentile between changes."""


class Change(Record, frozen=True, kw_only=True):
    """One change."""

    number: Count
    """The number of the change, from 1."""
    from_us: int | None
    """The start of the command, microseconds since the epoch."""
    confirmed_us: int | None
    """The time of the confirmation, microseconds since the epoch; null: not confirmed."""
    settled_us: int | None
    """The time when no old process was left, microseconds since the epoch; null: the run stopped waiting earlier."""
    lingering: list[str]
    """Old processes that still had connections."""
    lost: Count
    """Requests and streams that were lost because of the change."""
    felt: dict[str, Felt]
    """The cost for each kind of connection and for the samples; kinds without a cost are left out."""


class Loss(Record, frozen=True, kw_only=True):
    """One lost request or stream."""

    kind: str
    """The kind of connection."""
    change: int | None
    """The number of the change that caused the loss; null: no change caused the loss."""
    at_us: int
    """The time when the loss was detected, microseconds since the epoch."""
    after_change_ms: float | None
    """The time since the start of the change command, in milliseconds."""
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
    """Requests and streams that were lost because of the changes."""
    lossy: Count
    """Changes with a loss."""
    lossy_low: Number
    """The one-sided lower bound of the share of lossy changes (Clopper and Pearson)."""
    lossy_high: Number
    """The one-sided upper bound of the share."""
    confidence: Number
    """The confidence of these bounds."""
    lingering: Count
    """Changes after which an old process still had connections when the next change was due."""
    delay_low_ms: Milliseconds | None
    """The lower bound of the longest delay caused by a change, in milliseconds; null: unknown."""
    delay_high_ms: Milliseconds | None
    """The upper bound of this delay, in milliseconds."""
    retrying_clients: list[RetryingClient]
    """The pooled load, repeated by clients with retries."""
    kinds: list[Kind]
    """The cost for each kind of connection, and for the samples of the load."""
    by_change: list[Change]
    """All changes, one by one."""
    losses: list[Loss]
    """At most ten losses, in order of time, evenly from all kinds."""


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
    """0: no problem; 1: a limit is exceeded, or the service or the pair did not recover; 2: the run is invalid or
    inconclusive."""
    valid: bool
    """True: no figure is known to be wrong, and the fault happened and was healed as planned."""
    reasons: list[Reason]
    """The reasons why the verdict is not better; empty if the exit code is 0."""
    warnings: list[str]
    """Important facts that do not make the figures invalid."""
    limits: list[Limit]
    """The limits and the measured figures."""
    outage: Outage | None
    """The outage of the fault; null without probes."""
    prediction: Prediction | None
    """The outage that theory predicts; null without a fault, or if another program wrote the file."""
    confirmation: Confirmation | None
    """Evidence that the fault had an effect; null if no fault was fired."""
    restoration: Restoration | None
    """The state of the pair at the end; null if no fault was healed, or the heal was too late for a check."""
    timeline: list[Row] | None
    """The steps of the switchover in the expected order; null: only `switchover report` computes it, and another
    program wrote the file."""
    probes: Population | None
    """The probes; null without a prober."""
    samples: Population | None
    """The requests of the load; null without a load."""
    load: Load | None
    """Figures that need a load generator; null without a load."""
    split_brain_ms: Milliseconds | None
    """The time of more than one holder of the virtual IP address, in milliseconds; null unless every balancer had a
    source during the whole run."""
    split_brain: SplitBrain | None
    """Details of the split brain; null as in `split_brain_ms`."""
    failback: Outage | None
    """The outage of the heal; null without probes, or if no fault was healed before the end."""
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
    """The cost of a series of changes; absent if no change was made, or no connection was open during a change."""
