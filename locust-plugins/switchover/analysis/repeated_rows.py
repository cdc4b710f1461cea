"""Requests that stand in several of the logs that were given together, and would count twice.

Rows that are equal in all columns are counted once, where nearly all rows that two logs have of the same time are the
same in the same order. Some equal rows may be chance: users of two hosts do the same in the same millisecond.
"""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

from switchover.analysis.clock_jumps import utc
from switchover.analysis.logs.account import Account
from switchover.analysis.requests.columns import ROW_HASH
from switchover.analysis.requests.table import Requests
from switchover.analysis.resolution import resolution_of
from switchover.model.interval import Span

SAME_LOG = 0.9
"""From this share of the rows on, in the time that two logs have in common, they are the same log."""
BY_CHANCE = 0.5
"""To this share single rows may be equal by chance, where times are exact."""
BY_CHANCE_IN_A_ROW = 0.01
"""The same of rows that follow each other in both logs."""
IN_A_ROW = 8
"""Rows that follow each other in both logs."""
MANY = 500_000
"""Of more rows one in `STEP` is looked at first."""
STEP = 16
_REQUEST = "hash(start_us // 1000, end_us // 1000, label, thread, success)"
"""What any log of a request says of it, to the millisecond."""
_EDGES = "min(start_us), max(start_us)"


@dataclass(frozen=True, slots=True)
class _Common:
    """What two logs have in common, by their numbers."""

    first: int
    second: int
    rows: int
    """Of the second."""
    share: float
    """Of the rows of their time, in the log that has fewer."""
    time: Span
    """Of both logs."""


def count_repeated_rows_once(samples: Requests, account: Account) -> None:
    """Rows that are repeated stay in the first of the logs. What two logs have in common, but not in the same order
    or not in all columns, is a reason not to trust them."""
    if not _have_a_time_in_common(samples):
        return
    left_out: set[tuple[int, int]] = set()
    """What such logs still have in common are rows that one of them has several times: those are requests."""
    common = _common_rows(samples, ROW_HASH, left_out)
    while same := next((one for one in common if _is_same_log(samples, one)), None):
        account.notes.append(f"{_text(same, account)}: they are counted once")
        _leave_out(samples, same)
        left_out.add((same.first, same.second))
        common = _common_rows(samples, ROW_HASH, left_out)
    is_coarse = bool(resolution_of(samples))
    for one in common:
        is_chance = one.share < BY_CHANCE and _share_in_a_row(samples, one) < BY_CHANCE_IN_A_ROW
        if not (is_chance or is_coarse):
            account.damage.append(f"{_text(one, account)}, and each counts twice: are they the same requests?")
        else:
            account.notes.append(f"{_text(one, account)}: by chance, for most others differ; all are counted")
    common_parts = {(one.first, one.second) for one in common}
    for one in _common_rows(samples, _REQUEST, left_out):
        if one.share >= SAME_LOG and (one.first, one.second) not in common_parts:
            account.damage.append(
                f"{_text(one, account, 'requests')}, whose other columns differ: one load that was written twice "
                "counts twice"
            )


def _text(common: _Common, account: Account, what: str = "rows") -> str:
    first, second = account.logs[common.first], account.logs[common.second]
    return (
        f"{first} and {second} have {common.rows:,} {what} in common, between {utc(common.time.from_us)} and "
        f"{utc(common.time.to_us)} UTC"
    )


def _have_a_time_in_common(samples: Requests) -> bool:
    spans = samples.rows(f"SELECT {_EDGES} FROM {{requests}} GROUP BY part ORDER BY min(start_us)")
    return any(begin <= before for (_, before), (begin, _) in pairwise(spans))


def _common_rows(samples: Requests, key: str, but: Collection[tuple[int, int]]) -> list[_Common]:
    """Of each pair of logs that have some, `but` these. `key`: SQL, equal for rows that are the same."""
    step = STEP if len(samples) > MANY else 1
    keyed = f"SELECT part, start_us, {key} AS key FROM {{requests}}"
    keys = f"SELECT part, start_us, key FROM ({keyed}) WHERE key % {step} = 0"
    shared = (
        "SELECT one.part AS first, other.part AS second, other.start_us FROM keys AS other "
        "JOIN (SELECT DISTINCT part, key FROM keys) AS one ON one.key = other.key AND one.part < other.part"
    )
    found = samples.rows(
        f"WITH keys AS MATERIALIZED ({keys}) SELECT first, second, count(*) FROM ({shared}) GROUP BY ALL ORDER BY ALL"
    )
    spans = {
        part: Span(*edges) for part, *edges in samples.rows(f"SELECT part, {_EDGES} FROM {{requests}} GROUP BY part")
    }
    common = []
    for first, second, rows in found:
        if (first, second) in but:
            continue
        begun_us = max(spans[first].from_us, spans[second].from_us)
        ended_us = min(spans[first].to_us, spans[second].to_us)
        (fewer,) = samples.row(
            f"SELECT least(count(*) FILTER (part = {first}), count(*) FILTER (part = {second})) "
            f"FROM ({keys}) WHERE start_us BETWEEN {begun_us} AND {ended_us}"
        )
        common.append(_Common(first, second, rows * step, rows / max(1, fewer), Span(begun_us, ended_us)))
    return common


def _is_same_log(samples: Requests, common: _Common) -> bool:
    return common.share >= SAME_LOG and _share_in_a_row(samples, common) >= SAME_LOG


def _share_in_a_row(samples: Requests, common: _Common) -> float:
    """Of the rows of their time, in the log that has fewer, those that both logs have with all before them."""
    grams = (
        f"SELECT part, hash(list({ROW_HASH}) OVER (PARTITION BY part ORDER BY rowid ROWS {IN_A_ROW - 1} PRECEDING)) "
        f"AS gram FROM {{requests}} WHERE part IN ({common.first}, {common.second}) "
        f"AND start_us BETWEEN {common.time.from_us} AND {common.time.to_us}"
    )
    (repeated, fewer) = samples.row(
        f"WITH grams AS MATERIALIZED ({grams}) SELECT "
        f"(SELECT count(*) FROM grams WHERE part = {common.second} "
        f"AND gram IN (SELECT gram FROM grams WHERE part = {common.first})), "
        f"(SELECT least(count(*) FILTER (part = {common.first}), count(*) FILTER (part = {common.second})) "
        "FROM grams)"
    )
    return float(repeated / max(1, fewer))


def _leave_out(samples: Requests, common: _Common) -> None:
    """Of the second log, as many of each row as the first has."""
    numbered = (
        f"SELECT rowid AS place, part, {ROW_HASH}, row_number() OVER (PARTITION BY part, {ROW_HASH} ORDER BY rowid) "
        f"AS number FROM {samples.source} WHERE part IN ({common.first}, {common.second})"
    )
    samples.store.rows(
        f"DELETE FROM {samples.source} WHERE rowid IN (WITH numbered AS ({numbered}) SELECT one.place "
        f"FROM numbered AS one JOIN numbered AS other USING ({ROW_HASH}, number) "
        f"WHERE one.part = {common.second} AND other.part = {common.first})"
    )
    samples.forget_length()
