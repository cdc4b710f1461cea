"""A change window: what a reload or a failover cost by the logs that the balancers wrote, without any probe.

What never reached a balancer is not in its log, so the silences of the logs are the figure.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from switchover.evidence.log_run import load_part, read_samples
from switchover.evidence.logs.dates import epoch_us, utc
from switchover.evidence.logs.format import HEAD_BYTES
from switchover.evidence.logs.haproxy import is_haproxy_event
from switchover.evidence.requests.reader import HowToRead
from switchover.evidence.requests.table import TYPES, Requests
from switchover.evidence.run_data import RunData
from switchover.evidence.source_log import SourceLog
from switchover.model.errors import RunDirectoryError, UsageError
from switchover.model.identity import AnsweredBy
from switchover.model.interval import Span

SHORT_US = 1_000_000
"""The logs may begin or end by so much inside the window before it is said."""


@dataclass(frozen=True, slots=True)
class ChangeWindow:
    """The time that is asked about: around a change."""

    span: Span
    zoned: bool
    """Its times name a zone."""

    def __str__(self) -> str:
        return f"{utc(self.span.from_us)} to {utc(self.span.to_us)}"


def parse_window(from_text: str, to_text: str) -> ChangeWindow:
    """Two dates with times; without a zone they are as the logs have them, or UTC where the logs name one."""
    begin, end = _time(from_text), _time(to_text)
    if (begin.tzinfo is None) != (end.tzinfo is None):
        raise UsageError("--window: write both times with a zone, or none of them")
    span = Span(epoch_us(begin), epoch_us(end))
    if span.duration_us <= 0:
        raise UsageError(f"--window: {to_text} is not after {from_text}")
    return ChangeWindow(span, begin.tzinfo is not None)


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            f"--window: {text!r} is no time: write 2026-11-24T02:00 or 2026-11-24T02:00:30+01:00"
        ) from error


def load_window(
    window: ChangeWindow,
    logs: Sequence[SourceLog],
    how: HowToRead | None = None,
    columns: Collection[str] = tuple(TYPES),
    *,
    tolerate: bool = False,
) -> RunData:
    """What the balancers logged in the window, as one load."""
    how = how or HowToRead()
    logs, idle = _with_requests(logs)
    samples, account = read_samples([log.path for log in logs], how, columns)
    account.notes += [f"{log.path.name} has no request in it" for log in idle]
    if window.zoned and account.has_local_times:
        raise UsageError(
            "these logs name no zone: write the times of --window as the logs have them, without a zone, too"
        )
    for part, log in enumerate(logs):
        if log.node:
            samples.rows(
                f"UPDATE {samples.source} SET balancer = ? WHERE part = {part} AND balancer = ''", [log.node]
            )
    (own,) = samples.row(f"SELECT count(*) FROM {{requests}} WHERE {_OWN} AND {_within(window.span)}")
    asked = Requests(samples.store, f"(SELECT rowid, * FROM {samples.source} WHERE NOT ({_OWN}))")
    inside = Requests(
        samples.store, f"(SELECT rowid, * FROM {asked.source} WHERE {_within(window.span)})", samples.columns
    )
    if not inside:
        first_us, last_us = samples.row("SELECT min(start_us), max(end_us) FROM {requests}")
        raise RunDirectoryError(
            f"no request of the window {window} is in the logs, which are of {utc(first_us)} to {utc(last_us)}: "
            "a window begins well before the change and ends well after it"
        )
    if own:
        answers, say, are = ("answer", "says", "is") if own == 1 else ("answers", "say", "are")
        account.notes.append(
            f"{own:,} {answers} that a balancer made itself without an error (redirects, statistics) {say} nothing "
            f"of the service and {are} left out"
        )
    account.notes += _beyond_the_logs(asked, window.span)
    return load_part(f"window {window}", inside, account, how, window.span, tolerate=tolerate)


def _with_requests(logs: Sequence[SourceLog]) -> tuple[list[SourceLog], list[SourceLog]]:
    """The logs to be read, and those of a balancer that had nothing to do: a backup's may be empty, or have nothing
    but servers that come and go."""
    idle = [log for log in logs if log.path.is_file() and _is_idle(log.path)]
    if len(idle) == len(logs):
        raise RunDirectoryError(f"{logs[0].path} has no request in it, and neither has any other of these logs")
    return [log for log in logs if log not in idle], idle


def _is_idle(path: Path) -> bool:
    """False of what cannot be read: who reads it says so."""
    with suppress(OSError), path.open("rb") as file:
        lines = iter(lambda: file.readline(HEAD_BYTES), b"")
        return all(is_haproxy_event(line) for line in lines if line.strip())
    return False


_OWN = f"(success AND answered_by = '{AnsweredBy.BALANCER}')"


def _within(span: Span) -> str:
    return f"(start_us >= {span.from_us} AND start_us < {span.to_us})"


def _beyond_the_logs(asked: Requests, span: Span) -> list[str]:
    """Where nothing is known of a part of the window."""
    first_us, last_us = asked.row("SELECT min(start_us), max(end_us) FROM {requests}")
    notes = []
    if first_us - span.from_us > SHORT_US:
        notes.append(f"the logs begin at {utc(first_us)}: nothing is known of the window before that")
    if span.to_us - last_us > SHORT_US:
        notes.append(f"the logs end at {utc(last_us)}: nothing is known of the window after that")
    return notes
