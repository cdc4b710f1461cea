"""What a row of a sample log means: from the texts of its fields to a request, in SQL.

Columns are found by name, in any order; without ours, times are those of JMeter's milliseconds and the identity is
unknown. A row that is no sample has a reason instead.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from switchover.analysis.logs.failure_rules import failure_sql
from switchover.analysis.logs.format import FALSE, TRUE
from switchover.analysis.requests.identity_from import IdentityFrom
from switchover.analysis.requests.stamps import Stamps
from switchover.analysis.requests.store import enum_sql, sql_text
from switchover.analysis.requests.table import TYPES
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy
from switchover.model.outcome import Outcome
from switchover.rundir.sample_log import MAX_US

REPEATED_HEADER = "repeated header"
NO_NUMBER = "a number cannot be read"
OUT_OF_RANGE = "times out of order or range"
NO_SUCCESS = "success is neither true nor false"
OTHER_UNIT = "a time in another unit than the others"
TRANSACTION = "transaction of "
"""With the number of its samples: the row of a Transaction Controller, which is no request."""
UNSURE_TRANSACTION = "perhaps a transaction"
_TRANSACTION_OF = "Number of samples in transaction : "
"""What JMeter's TransactionController says in its response message."""

_HUGE = 2**63 - 1
_FAR_MS = 10**13
_FAR_US = 10**16
"""Beyond `MAX_US`, and far enough from the largest integer to be added to another."""
_DIGITS = 4300
"""As many as Python reads as a number."""

_KNOWN: Mapping[str, Collection[str]] = {
    "answered_by": tuple(AnsweredBy),
    "error": ("", *FailureKind),
    "stream": ("", "fresh", "kept"),
}
"""Columns that have no other names. They are kept as numbers."""

YEAR_US = 365 * 86_400 * 1_000_000
OUT_OF_ORDER = f"NOT (0 <= start_us AND start_us <= end_us AND end_us <= {MAX_US})"
IMPOSSIBLE = f"({OUT_OF_ORDER} OR end_us - start_us > {YEAR_US})"
"""SQL: times that no client can have written."""

SENT = f"error <> '{FailureKind.GENERATOR}'"
"""SQL: the outcome is not `unsent`."""
GOOD_OR_LATE = f"success AND {SENT}"
"""SQL: the outcome is `good` or `late`. To make a text of each row's outcome first takes longer than to count."""


def outcome_sql(late_us: int) -> str:
    """`decide_outcome` in SQL."""
    return (
        f"CASE WHEN error = '{FailureKind.GENERATOR}' THEN '{Outcome.UNSENT}' "
        f"WHEN NOT success THEN '{Outcome.FAILED}' "
        f"WHEN end_us - coalesce(intended_us, start_us) > {int(late_us)} THEN '{Outcome.LATE}' "
        f"ELSE '{Outcome.GOOD}' END"
    )


def row_sql(
    source: str,
    header: Sequence[str],
    columns: Iterable[str],
    identity_from: IdentityFrom | None = None,
    stamps: Stamps = Stamps(),  # noqa: B008
) -> str:
    """Selects `columns` and the `reason` from rows whose texts stand in c0, c1, … in the order of the header.

    The rows stay in the order of the log.

    `identity_from`: where a log says who answered that has no columns of ours for it. `stamps`: what its times are.
    """
    places = {name: f"c{place}" for place, name in reversed(list(enumerate(header)))}
    names = {name: places.get(name, "CAST(NULL AS VARCHAR)") for name in (*_TEXTS, *_NUMBERS)}
    texts = {name: f"coalesce({names[name]}, '')" for name in _TEXTS}
    fields = _fields(names, texts, "error" in places) | (identity_from.sql(places) if identity_from else {})
    stamp, took = places["timeStamp"], places["elapsed"]
    # What stands within CASE is computed each time that it is named: so these are computed before, once.
    casts = ", ".join(f"{_cast(names[name])} AS {read}" for name, read in _READ_BEFORE.items())
    exactly = (
        f"SELECT *, {names['start_us']} AS start_text, {_microseconds(names, 'start_us')} AS began, "
        f"{_microseconds(names, 'end_us')} AS ended, {_integer(took, _READ_BEFORE['elapsed'])} AS took "
        f"FROM (SELECT *, {casts} FROM {source})"
    )
    read = ", ".join(
        [
            f"{texts['success']} AS success_text",
            f"{stamp} AS stamp_text, {took} AS took_text, took, began, ended",
            f"{_stamp_sql(stamp, stamps)} AS stamp",
            *(f"{places[name]} AS {alias}" for name, alias in _FURTHER.items() if name in places),
            *(f"{sql} AS {name}" for name, sql in fields.items()),
        ]
    )
    first = "stamp_text = 'timeStamp' AND took_text = 'elapsed' AND success_text = 'success'"
    stamp_us = f"{_clamped('stamp')} * 1000" if stamps.is_plain else f"greatest(least(stamp, {_FAR_US}), -{_FAR_US})"
    timed = (
        f"SELECT *, least(coalesce(began, {stamp_us}), {_FAR_US}) AS start_us, "
        f"least(coalesce(ended, start_us + {_clamped('took')} * 1000), {_FAR_US}) AS end_us "
        f"FROM (SELECT {read} FROM ({exactly}))"
    )
    reason = (
        f"CASE WHEN stamp IS NULL OR took IS NULL THEN "
        f"CASE WHEN {first} THEN '{REPEATED_HEADER}' ELSE '{NO_NUMBER}' END "
        f"WHEN {OUT_OF_ORDER if 'start_us' in places else IMPOSSIBLE} THEN '{OUT_OF_RANGE}' "
        f"WHEN success IS NULL THEN '{NO_SUCCESS}' "
        f"WHEN began IS NULL AND {stamps.another_unit_sql('start_us')} THEN '{OTHER_UNIT}' "
        f"{_transaction_sql(places)} END AS reason"
    )
    if SAMPLE_COUNT in places:
        timed = _each_of_many(timed, ERROR_COUNT in places)
    return f"SELECT {', '.join(columns)}, {reason} FROM ({timed})"


def _stamp_sql(text: str, stamps: Stamps) -> str:
    """Milliseconds where the log has them, else microseconds."""
    if not stamps.is_plain:
        return stamps.microseconds_sql(text)
    # As our own logs have it, the digits of the start less the last three: sooner seen than read as a number.
    same = f"starts_with(start_text, {text}) AND strlen({text}) = strlen(start_text) - 3 AND began < {_HUGE}"
    return f"CASE WHEN {same} THEN began // 1000 ELSE {_integer(text, _cast(text))} END"


def tells_transactions(header: Iterable[str]) -> bool:
    """Whether a log has what `_transaction_sql` knows a good Transaction Controller by; ours has no such rows."""
    names = set(header)
    return "responseMessage" in names or {"dataType", "URL"} <= names or "answered_by" in names


def _transaction_sql(places: Mapping[str, str]) -> str:
    """The row of a Transaction Controller: by its message, and where none was written, by having neither type nor
    address."""
    if "responseMessage" in places:
        return (
            f"WHEN starts_with(message, '{_TRANSACTION_OF}') THEN "
            f"'{TRANSACTION}' || regexp_extract(message, '{_TRANSACTION_OF}([0-9]+)', 1)"
        )
    if {"dataType", "URL"} <= places.keys():
        return f"WHEN coalesce(data_type, '') = '' AND url = 'null' THEN '{TRANSACTION}'"
    # A failed transaction has no code; one that did not fail has that of a good request.
    return f"WHEN code = '' AND NOT success THEN '{UNSURE_TRANSACTION}'" if "responseCode" in places else ""


def _each_of_many(timed: str, counts_errors: bool) -> str:
    """A row of many samples (JMeter's statistical sender) as so many rows, of which the first have failed."""
    held = f"greatest(1, least(coalesce(try_cast(sample_count AS BIGINT), 1), {_MANY}))"
    failed = "CAST(NOT success AS BIGINT)"
    if counts_errors:
        failed = f"coalesce(try_cast(error_count AS BIGINT), {failed})"
    many = f"SELECT *, {held} AS held, {failed} AS wrong, unnest(range({held})) AS place FROM ({timed})"
    return (
        "SELECT * REPLACE (CASE WHEN held > 1 THEN place >= wrong ELSE success END AS success, "
        f"CASE WHEN held > 1 AND place >= wrong THEN '' ELSE error END AS error) FROM ({many})"
    )


def _fields(names: Mapping[str, str], texts: Mapping[str, str], has_error: bool) -> dict[str, str]:
    def among(name: str, otherwise: str) -> str:
        text, kind = names[name], kind_of(name)
        other = f"CAST('{otherwise}' AS {kind})"
        # One by one: of a long list behind IN DuckDB makes a join, and behind a join it keeps no order of rows.
        further = (one for one in _KNOWN[name] if one != otherwise)
        whens = " ".join(f"WHEN {text} = '{one}' THEN CAST('{one}' AS {kind})" for one in further)
        return f"CASE WHEN {text} IS NULL THEN {other} {whens} ELSE {other} END"

    def number(name: str, otherwise: int = 0) -> str:
        decimal = _decimal(names[name], _READ_BEFORE.get(name))
        return f"CASE WHEN {names[name]} = '{otherwise}' THEN {otherwise} ELSE coalesce({decimal}, {otherwise}) END"

    return {
        "intended_us": _microseconds(names, "intended_us"),
        "label": texts["label"],
        "code": texts["responseCode"],
        "message": texts["responseMessage"],
        "thread": texts["threadName"],
        "success": _truth_sql(texts["success"]),
        "nbytes": number("bytes"),
        "sent_bytes": number("sentBytes"),
        "url": texts["URL"],
        "latency_us": f"least({number('Latency')}, {_FAR_MS}) * 1000",
        "connect_us": f"least({number('Connect')}, {_FAR_MS}) * 1000",
        "backend": texts["backend"],
        "balancer": texts["balancer"],
        "answered_by": among("answered_by", AnsweredBy.UNKNOWN),
        "error": among("error", "") if has_error else f"CAST({_error_sql(texts)} AS {kind_of('error')})",
        "attempts": number("attempts", 1),
        "stream": among("stream", ""),
        "session": texts["session"],
        "users": number("allThreads", 1),
    }


def kind_of(column: str) -> str:
    """The type of a column in a table of requests."""
    return enum_sql(sorted(_KNOWN[column])) if column in _KNOWN else TYPES.get(column, "VARCHAR")


def declare_columns(columns: Iterable[str]) -> str:
    """SQL: these columns with their types."""
    return ", ".join(f"{name} {kind_of(name)}" for name in columns)


def _error_sql(texts: Mapping[str, str]) -> str:
    rules = failure_sql(texts["responseCode"], texts["responseMessage"])
    return f"CASE WHEN NOT {_truth_sql(texts['success'])} THEN {rules} ELSE '' END"


def _truth_sql(text: str) -> str:
    """Nearly all are written as JMeter does; NULL where it is neither."""
    words = " ".join(
        f"WHEN lower({text}) IN ({', '.join(map(sql_text, names))}) THEN {truth}"
        for truth, names in (("true", TRUE), ("false", FALSE))
    )
    return f"(CASE WHEN {text} = 'true' THEN true WHEN {text} = 'false' THEN false {words} END)"


SAMPLE_COUNT, ERROR_COUNT = "SampleCount", "ErrorCount"
_FURTHER = {SAMPLE_COUNT: "sample_count", ERROR_COUNT: "error_count", "dataType": "data_type"}
_MANY = 1_000_000
"""Samples that one row may stand for."""

_TEXTS = (
    "label", "responseCode", "responseMessage", "threadName", "success", "URL",
    "backend", "balancer", "answered_by", "error", "stream", "session",
)  # fmt: skip
_NUMBERS = (
    "elapsed", "bytes", "sentBytes", "allThreads", "Latency", "Connect", "attempts", "intended_us", "start_us",
    "end_us",
)  # fmt: skip
_READ_BEFORE = {
    "elapsed": "took_number", "allThreads": "users_number", "intended_us": "due_number", "start_us": "start_number",
    "end_us": "end_number",
}  # fmt: skip
"""Numbers that differ from row to row."""


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


def _microseconds(names: Mapping[str, str], name: str) -> str:
    """The same, quicker for times since 1970 in microseconds: these have sixteen digits.

    What DuckDB reads as such a number from sixteen characters is made of digits, unless it begins with 0x or has an
    exponent (12345678901234e2).
    """
    text, read = names[name], _READ_BEFORE[name]
    has_exponent = f"contains({text}, 'e') OR contains({text}, 'E')"
    digits_only = f"strlen({text}) = 16 AND {read} >= {10**15} AND {text} >= '1' AND NOT ({has_exponent})"
    return f"CASE WHEN {digits_only} THEN {read} ELSE {_decimal(text, read)} END"


def _integer(text: str, read: str) -> str:
    """The same, perhaps with a sign and blanks around it, and of at most `_DIGITS` characters."""
    return (
        f"CASE WHEN CAST({read} AS VARCHAR) = {text} THEN {read} "
        f"WHEN regexp_full_match({text}, '\\s*[+-]?[0-9]+\\s*') AND length({text}) <= {_DIGITS} "
        f"THEN coalesce({read}, {_HUGE}) END"
    )


def _clamped(milliseconds: str) -> str:
    return f"greatest(least({milliseconds}, {_FAR_MS}), -{_FAR_MS})"
