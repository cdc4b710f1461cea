"""SQL that converts the rows of a sample log to requests. Columns are found by name, in any order."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from switchover.evidence.logs.format import FALSE, TRUE
from switchover.evidence.requests.stamps import Stamps
from switchover.evidence.requests.store import enum_sql, sql_text
from switchover.evidence.requests.table import TYPES
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy
from switchover.model.outcome import Outcome
from switchover.rundir.sample_log import MAX_US
from switchover.tables import read_table

REQUIRED = ("timeStamp", "elapsed", "success")
REPEATED_HEADER = "repeated header"
NO_NUMBER = "a number cannot be read"
OUT_OF_RANGE = "times out of order or range"
NO_SUCCESS = "success is neither true nor false"
TRANSACTION = "Transaction Controller"
UNSURE_TRANSACTION = "perhaps a Transaction Controller"
PART = "part of a request"
MANY, SAMPLE_COUNT = "several samples in one row", "SampleCount"
_TRANSACTION_OF = "Number of samples in transaction : "
"""The text at the start of the response message of JMeter's TransactionController."""

INTEGERS = ("timeStamp", "elapsed", "start_us", "end_us", "intended_us", "attempts", "bytes", SAMPLE_COUNT)
"""The columns with integers. `timeStamp` may also have dates."""
_ASKED = (*REQUIRED, "responseCode", "responseMessage", "dataType", "URL", SAMPLE_COUNT)
"""The columns that are needed to decide if a row is a request."""
_FAR_MS = 10**13
"""A time in milliseconds that is later than `MAX_US`, and that can be multiplied by 1000 without an overflow."""

_KNOWN: Mapping[str, Collection[str]] = {
    "answered_by": tuple(AnsweredBy),
    "code": ("", *map(str, range(100, 1000))),
    "error": ("", *FailureKind),
    "stream": ("", "fresh", "kept"),
    "reason": (REPEATED_HEADER, NO_NUMBER, OUT_OF_RANGE, NO_SUCCESS, TRANSACTION, UNSURE_TRANSACTION, MANY, PART),
}
"""The columns with a fixed set of values. The table stores the values of these columns as numbers."""

_FAILURES = json.loads(read_table("failures.json"))
_THROWN = "^Non HTTP response code: (?:[\\w.$]*[.$])?(\\w+)"
"""Matches the name of an exception's class in the response code."""

YEAR_US = 365 * 86_400 * 1_000_000
IMPOSSIBLE = f"(NOT (0 <= start_us AND start_us <= end_us AND end_us <= {MAX_US}) OR end_us - start_us > {YEAR_US})"
"""SQL: a time in the row is impossible."""

SENT = f"error <> '{FailureKind.GENERATOR}'"
"""SQL: the outcome is not `unsent`."""
GOOD_OR_LATE = f"success AND {SENT}"
"""SQL: the outcome is `good` or `late`. DuckDB evaluates this condition faster than `outcome_sql`."""


def outcome_sql(late_us: int) -> str:
    """Return SQL that computes the outcome, like `decide_outcome` in Python."""
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
    stamps: Stamps = Stamps(),  # noqa: B008
) -> str:
    """Return SQL that computes `columns` and `reason` (why a row is not a request) from the fields c0, c1, … of a
    log. The columns of `INTEGERS` are integers; all others are texts. The SQL keeps the order of the log's rows."""
    places = {name: f"c{place}" for place, name in reversed(list(enumerate(header)))}
    fields = _fields(places)
    took, own_start, own_end = (places.get(name, "NULL") for name in ("elapsed", "start_us", "end_us"))
    # DuckDB evaluates an alias again at each use, so the times are computed first.
    source = (
        f"(SELECT *, {stamps.number_sql(places['timeStamp'])} AS stamp, {took} AS took, {own_start} AS own_start, "
        f"{own_end} AS own_end FROM {source})"
    )
    start = _clamped("stamp", 1000 * _FAR_MS) if stamps.is_date else f"{_clamped('stamp')} * 1000"
    start = f"coalesce({_clamped('own_start', 1000 * _FAR_MS)}, {start})"
    times = f"stamp, took, {start} AS start_us, coalesce(own_end, {start} + {_clamped('took')} * 1000) AS end_us"
    selected = ", ".join(f"{sql} AS {name}" for name, sql in fields.items())
    impossible = IMPOSSIBLE if "start_us" in places else f"{IMPOSSIBLE} OR start_us < {stamps.earliest_us}"
    many = f" WHEN {places[SAMPLE_COUNT]} > 1 THEN '{MANY}'" if SAMPLE_COUNT in places else ""
    reason = (
        f"CASE WHEN stamp IS NULL OR took IS NULL "
        f"THEN CASE WHEN {places['success']} = 'success' THEN '{REPEATED_HEADER}' ELSE '{NO_NUMBER}' END "
        f"WHEN {impossible} THEN '{OUT_OF_RANGE}' WHEN success IS NULL THEN '{NO_SUCCESS}' "
        f"{'' if 'start_us' in places else _transaction_sql(places) + many} END AS reason"
    )
    needed = sorted({place for name, place in places.items() if name in _ASKED})
    return (
        f"SELECT {', '.join(columns)}, {reason} FROM (SELECT {selected}, {times}, {', '.join(needed)} FROM {source})"
    )


def has_transaction_columns(header: Collection[str]) -> bool:
    """Return True if the columns identify rows of Transaction Controllers. Switchover's logs contain no such rows."""
    return "responseMessage" in header or {"dataType", "URL"} <= set(header) or "answered_by" in header


def _transaction_sql(places: Mapping[str, str]) -> str:
    """Return SQL that detects the row of a Transaction Controller by the response message. If the log has no column
    for messages, a missing data type and URL identify the row."""
    if "responseMessage" in places:
        condition, reason = f"starts_with({places['responseMessage']}, '{_TRANSACTION_OF}')", TRANSACTION
    elif {"dataType", "URL"} <= places.keys():
        condition, reason = f"coalesce({places['dataType']}, '') = '' AND {places['URL']} = 'null'", TRANSACTION
    else:  # a failed transaction has no code; a good transaction has the code of a good request
        code = f"{places['responseCode']} IS NULL" if "responseCode" in places else "false"
        condition, reason = f"{code} AND NOT success", UNSURE_TRANSACTION
    return f"WHEN {condition} THEN '{reason}'"


def _fields(places: Mapping[str, str]) -> dict[str, str]:
    """Return SQL that computes each column of a table of requests, except the times."""

    def text(name: str) -> str:
        return f"coalesce({places[name]}, '')" if name in places else "''"

    def number(name: str, otherwise: int = 0) -> str:
        return f"coalesce({places[name]}, {otherwise})" if name in places else str(otherwise)

    def among(name: str, otherwise: str) -> str:
        place, kind = places.get(name, "NULL"), kind_of(name)
        other = f"CAST('{otherwise}' AS {kind})"
        # No list after IN, because DuckDB turns a long list into a join, which does not keep the order of rows.
        known = (value for value in _KNOWN[name] if value != otherwise)
        whens = " ".join(f"WHEN {place} = '{value}' THEN CAST('{value}' AS {kind})" for value in known)
        return f"CASE WHEN {place} IS NULL THEN {other} {whens} ELSE {other} END"

    success = _truth_sql(text("success"))
    rules = failure_sql(text("responseCode"), text("responseMessage"))
    logged = f"WHEN {text('logged_error')} <> '' THEN {text('logged_error')}"
    error_kind = f"CAST(CASE WHEN {success} IS NOT FALSE THEN '' {logged} ELSE {rules} END AS {kind_of('error')})"
    return {
        "intended_us": places.get("intended_us", "CAST(NULL AS BIGINT)"),
        "label": text("label"),
        "code": f"coalesce(try_cast({text('responseCode')} AS {kind_of('code')}), '')",
        "thread": text("threadName"),
        "success": success,
        "nbytes": number("bytes"),
        "url": text("URL"),
        "backend": text("backend"),
        "balancer": text("balancer"),
        "answered_by": among("answered_by", AnsweredBy.UNKNOWN) if "answered_by" in places else _answered_by(text),
        "error": among("error", "") if "error" in places else error_kind,
        "attempts": number("attempts", 1),
        "stream": among("stream", ""),
        "session": text("session"),
    }


def failure_sql(code: str, message: str) -> str:
    """Return SQL that derives the kind of a failure from the SQL expressions `code` and `message`, whose values must
    never be NULL. An unknown kind is empty.

    The operating system's error message has precedence over the class of an exception. JMeter writes equal rows for a
    request that its Sample Timeout interrupted, and for a request that the end of the test interrupted. Both requests
    count as failures.
    """
    text = f"lower({code} || ' ' || {message})"
    thrown = f"regexp_extract({code}, '{_THROWN}', 1)"
    whens = [
        f"WHEN regexp_full_match({code}, '[1-5][0-9]{{2}}') THEN "
        f"CASE WHEN {code} >= '400' THEN '{FailureKind.STATUS}' ELSE '{FailureKind.ASSERTION}' END"
    ]
    for rule in _FAILURES["messages"]:
        contained = " OR ".join(f"contains({text}, {sql_text(word)})" for word in rule["words"])
        whens.append(f"WHEN {contained} THEN '{rule['kind']}'")
    for rule in _FAILURES["exceptions"]:
        named = " OR ".join(f"{thrown} = '{name}'" for name in rule["types"])
        whens.append(f"WHEN ({named}) AND contains({text}, '{rule.get('message', '')}') THEN '{rule['kind']}'")
    whens.append(f"WHEN {thrown} <> '' THEN '{FailureKind.PROTOCOL}'")
    return f"CASE {' '.join(whens)} ELSE '' END"


def _answered_by(text: Callable[[str], str]) -> str:
    """Return SQL that computes `answered_by` from backend and balancer; `none` for a row without an HTTP status."""
    return (
        f"CAST(CASE WHEN {text('backend')} = '' AND {text('balancer')} = '' THEN '{AnsweredBy.UNKNOWN}' "
        f"WHEN NOT regexp_full_match({text('responseCode')}, '[0-9]{{3}}') THEN '{AnsweredBy.NONE}' "
        f"WHEN {text('backend')} <> '' THEN '{AnsweredBy.BACKEND}' ELSE '{AnsweredBy.BALANCER}' END "
        f"AS {kind_of('answered_by')})"
    )


def kind_of(column: str) -> str:
    """Return the type of a column in a table of requests."""
    return enum_sql(sorted(_KNOWN[column])) if column in _KNOWN else TYPES.get(column, "VARCHAR")


def declare_columns(columns: Iterable[str]) -> str:
    """Return SQL that declares the given columns with their types."""
    return ", ".join(f"{name} {kind_of(name)}" for name in columns)


def _truth_sql(text: str) -> str:
    """Return SQL that converts a text to true, false or NULL. JMeter's usual texts, `true` and `false`, are checked
    first."""
    statuses = " ".join(
        f"WHEN lower({text}) IN ({', '.join(map(sql_text, names))}) THEN {truth}"
        for truth, names in (("true", TRUE), ("false", FALSE))
    )
    return f"(CASE WHEN {text} = 'true' THEN true WHEN {text} = 'false' THEN false {statuses} END)"


def _clamped(name: str, limit: int = _FAR_MS) -> str:
    return f"(CASE WHEN {name} > {limit} THEN {limit} WHEN {name} < -{limit} THEN -{limit} ELSE {name} END)"


def integers_sql(source: str, integers: Iterable[str]) -> str:
    """Return a relation with the columns of `source`, in which the given columns are integers instead of texts.
    Without `nullif`, DuckDB would convert the columns while it reads the file, and would reject rows that TRY_CAST
    accepts."""
    converted = ", ".join(f"try_cast(nullif({place}, '') AS BIGINT) AS {place}" for place in integers)
    return f"(SELECT * REPLACE ({converted}) FROM {source})"
