"""A sample log read row by row in plain Python: slow, and written apart from the SQL that reports use.

What stands in a table is held against it, and tests that look at single samples read them with it.
"""

import csv
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path

from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.damaged_lines import Ignored, read_lines, read_rows
from switchover.rundir.sample_log import COLUMNS, MAX_US, Sample

_SUCCESS = {"true": True, "1": True, "false": False, "0": False}
_STREAMS = {"fresh": "fresh", "kept": "kept"}


def read_samples(path: Path, ignored: Ignored | None = None) -> Iterator[Sample]:
    """The samples of a JTL, ours or anybody's, in the order of the file.

    Columns are found by name. Without ours, times are those of JMeter's milliseconds and the identity is unknown.
    Rows that cannot be read are counted in `ignored`.
    """
    left_out = Ignored() if ignored is None else ignored
    lines = read_lines(path, left_out)
    columns = next(csv.reader([next(lines).decode("utf-8-sig", "replace").rstrip("\r")]))
    width = len(columns)
    places = {name: place for place, name in reversed(list(enumerate(columns)))}
    pick = itemgetter(*(places.get(name, width) for name in COLUMNS))
    for row in read_rows(lines, width, left_out):
        if row == columns:
            left_out.add("repeated header")
            continue
        row.append("")  # where columns that the file lacks are found
        try:
            yield _sample(pick(row))
        except _RowError as reason:
            left_out.add(str(reason))
        except ValueError:
            left_out.add("a number cannot be read")


class _RowError(Exception):
    """Says why, in a phrase from a fixed set."""


def _sample(fields: tuple[str, ...]) -> Sample:
    (
        stamp, elapsed, label, code, message, thread, _type, success, failure_message, nbytes, sent_bytes,
        _group, users, url, latency, _idle, connect,
        backend, balancer, answered_by, error, attempts, stream, session, intended, start, end,
    ) = fields  # fmt: skip
    stamp_us, elapsed_us = int(stamp) * 1000, int(elapsed) * 1000
    start_us = int(start) if start.isdecimal() else stamp_us
    end_us = int(end) if end.isdecimal() else start_us + elapsed_us
    if not 0 <= start_us <= end_us <= MAX_US:
        raise _RowError("times out of order or range")
    good = _SUCCESS.get(success.lower())
    if good is None:
        raise _RowError("success is neither true nor false")
    return Sample(
        start_us=start_us,
        end_us=end_us,
        intended_us=int(intended) if intended.isdecimal() else None,
        label=label,
        code=code,
        message=message,
        thread=thread,
        success=good,
        failure_message=failure_message,
        nbytes=_count(nbytes),
        sent_bytes=_count(sent_bytes),
        url=url,
        latency_us=_count(latency) * 1000,
        connect_us=_count(connect) * 1000,
        identity=Identity(backend, balancer, _ANSWERED_BY.get(answered_by, AnsweredBy.UNKNOWN)),
        error=_KINDS.get(error),
        attempts=_count(attempts, 1),
        stream=_STREAMS.get(stream, ""),
        session=session,
        users=_count(users, 1),
    )


_KINDS = {kind.value: kind for kind in FailureKind}
_ANSWERED_BY = {answered_by.value: answered_by for answered_by in AnsweredBy}


def _count(text: str, otherwise: int = 0) -> int:
    return int(text) if text.isdecimal() else otherwise
