"""What a row of a sample log means: from the texts of its fields to a request, in SQL.

Columns are found by name, in any order; without ours, times are those of JMeter's milliseconds and the identity is
unknown. A row that is no sample has a reason instead.
"""

from collections.abc import Iterable, Mapping, Sequence

from switchover.analysis.requests.identity_from import IdentityFrom
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy
from switchover.model.outcome import Outcome
from switchover.rundir.sample_log import MAX_US

REPEATED_HEADER = "repeated header"
NO_NUMBER = "a number cannot be read"
OUT_OF_RANGE = "times out of order or range"
NO_SUCCESS = "success is neither true nor false"

_HUGE = 2**63 - 1
_FAR_MS = 10**13
_FAR_US = 10**16
"""Beyond `MAX_US`, and far enough from the largest integer to be added to another."""
_DIGITS = 4300
"""As many as Python reads as a number."""


def outcome_sql(late_us: int) -> str:
    """What became of a request. `late_us`: the latest that a good answer may come after it was due, or after it was
    sent where nothing was due (RFC 6412 section 3.7.1 counts delay; counting from the schedule keeps a client that
    was held up from hiding what its users would have waited). `unsent`: the client could not send (no free port,
    no descriptor), which says nothing about the balancer."""
    return (
        f"CASE WHEN error = '{FailureKind.GENERATOR}' THEN '{Outcome.UNSENT}' "
        f"WHEN NOT success THEN '{Outcome.FAILED}' "
        f"WHEN end_us - coalesce(intended_us, start_us) > {int(late_us)} THEN '{Outcome.LATE}' "
        f"ELSE '{Outcome.GOOD}' END"
    )


def row_sql(
    source: str, header: Sequence[str], columns: Iterable[str], identity_from: IdentityFrom | None = None
) -> str:
    """Selects `columns` and the `reason` from rows whose texts stand in c0, c1, … in the order of the header.

    The rows stay in the order of the log.

    `identity_from`: where a log says who answered that has no columns of ours for it.
    """
    places = {name: f"c{place}" for place, name in reversed(list(enumerate(header)))}
    names = {name: places.get(name, "CAST(NULL AS VARCHAR)") for name in (*_TEXTS, *_NUMBERS)}
    texts = {name: f"coalesce({names[name]}, '')" for name in _TEXTS}
    fields = _fields(names, texts) | (identity_from.sql(places) if identity_from else {})
    stamp, took = places["timeStamp"], places["elapsed"]
    # What stands within CASE is computed each time that it is named: so these are computed before, once.
    exact = {"start_us": "start_number", "end_us": "end_number"}
    casts = ", ".join(
        [
            *(f"{_cast(names[name])} AS {read}" for name, read in exact.items()),
            f"{_cast(took)} AS took_number",
        ]
    )
    began, ended = (_decimal(names[name], read) for name, read in exact.items())
    exactly = (
        f"SELECT *, {began} AS began, {ended} AS ended, {_integer(took, 'took_number')} AS took "
        f"FROM (SELECT *, {casts} FROM {source})"
    )
    read = ", ".join(
        [
            f"{texts['success']} AS success_text",
            f"{stamp} AS stamp_text, {took} AS took_text, took, began, ended",
            # As our own logs have it: to write a number takes less time than to read one and write it, too.
            f"CASE WHEN {stamp} = CAST(began // 1000 AS VARCHAR) THEN began // 1000 "
            f"ELSE {_integer(stamp, _cast(stamp))} END AS stamp",
            *(f"{sql} AS {name}" for name, sql in fields.items()),
        ]
    )
    first = "stamp_text = 'timeStamp' AND took_text = 'elapsed' AND success_text = 'success'"
    timed = (
        f"SELECT *, least(coalesce(began, {_clamped('stamp')} * 1000), {_FAR_US}) AS start_us, "
        f"least(coalesce(ended, start_us + {_clamped('took')} * 1000), {_FAR_US}) AS end_us "
        f"FROM (SELECT {read} FROM ({exactly}))"
    )
    reason = (
        f"CASE WHEN stamp IS NULL OR took IS NULL THEN "
        f"CASE WHEN {first} THEN '{REPEATED_HEADER}' ELSE '{NO_NUMBER}' END "
        f"WHEN NOT (0 <= start_us AND start_us <= end_us AND end_us <= {MAX_US}) THEN '{OUT_OF_RANGE}' "
        f"WHEN success_text NOT IN ('true', 'false') THEN '{NO_SUCCESS}' END AS reason"
    )
    return f"SELECT {', '.join(columns)}, {reason} FROM ({timed})"


def _fields(names: Mapping[str, str], texts: Mapping[str, str]) -> dict[str, str]:
    def among(name: str, known: Iterable[str], otherwise: str) -> str:
        # One by one: of a long list behind IN DuckDB makes a join, and behind a join it keeps no order of rows.
        whens = " ".join(f"WHEN {names[name]} = '{value}' THEN '{value}'" for value in known)
        return f"CASE WHEN {names[name]} IS NULL THEN '{otherwise}' {whens} ELSE '{otherwise}' END"

    def number(name: str, otherwise: int = 0) -> str:
        text = names[name]
        return f"CASE WHEN {text} = '{otherwise}' THEN {otherwise} ELSE coalesce({_decimal(text)}, {otherwise}) END"

    return {
        "intended_us": _decimal(names["intended_us"]),
        "label": texts["label"],
        "code": texts["responseCode"],
        "message": texts["responseMessage"],
        "thread": texts["threadName"],
        "success": f"{texts['success']} = 'true'",
        "failure_message": texts["failureMessage"],
        "nbytes": number("bytes"),
        "sent_bytes": number("sentBytes"),
        "url": texts["URL"],
        "latency_us": f"least({number('Latency')}, {_FAR_MS}) * 1000",
        "connect_us": f"least({number('Connect')}, {_FAR_MS}) * 1000",
        "backend": texts["backend"],
        "balancer": texts["balancer"],
        "answered_by": among("answered_by", AnsweredBy, AnsweredBy.UNKNOWN),
        "error": among("error", FailureKind, ""),
        "attempts": number("attempts", 1),
        "stream": among("stream", ("fresh", "kept"), ""),
        "session": texts["session"],
        "users": number("allThreads", 1),
    }


_TEXTS = (
    "label", "responseCode", "responseMessage", "threadName", "success", "failureMessage", "URL",
    "backend", "balancer", "answered_by", "error", "stream", "session",
)  # fmt: skip
_NUMBERS = (
    "bytes", "sentBytes", "allThreads", "Latency", "Connect", "attempts", "intended_us", "start_us", "end_us",
)  # fmt: skip


def _cast(text: str) -> str:
    return f"try_cast({text} AS BIGINT)"


def _decimal(text: str, read: str | None = None) -> str:
    """A number of digits only; NULL where there is none. `read`: where DuckDB has read the text already.

    DuckDB would also take 1.5 and 1e3 for whole numbers. Nearly all are written as it writes them itself, which is
    quicker to see than that they are made of digits.
    """
    number = read or _cast(text)
    return (
        f"CASE WHEN CAST({number} AS VARCHAR) = {text} AND {number} >= 0 THEN {number} "
        f"WHEN regexp_full_match({text}, '[0-9]+') THEN coalesce({number}, {_HUGE}) END"
    )


def _integer(text: str, read: str) -> str:
    """The same, perhaps with a sign and blanks around it, and of at most `_DIGITS` characters."""
    return (
        f"CASE WHEN CAST({read} AS VARCHAR) = {text} THEN {read} "
        f"WHEN regexp_full_match({text}, '\\s*[+-]?[0-9]+\\s*') AND length({text}) <= {_DIGITS} "
        f"THEN coalesce({read}, {_HUGE}) END"
    )


def _clamped(milliseconds: str) -> str:
    return f"greatest(least({milliseconds}, {_FAR_MS}), -{_FAR_MS})"
