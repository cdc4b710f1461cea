"""A balancer's log as a source of who answered what, as far as it is of the time of a run."""

import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from switchover.evidence.access_paths import path_of
from switchover.evidence.logs.access import parse_access
from switchover.evidence.logs.account import Account
from switchover.evidence.logs.haproxy import is_haproxy_event, parse_haproxy
from switchover.evidence.logs.logged_request import LoggedRequest
from switchover.evidence.logs.named import csv_parser, parse_json_answer
from switchover.evidence.logs.unpack import unpack
from switchover.evidence.run_data import RunData
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import Ignored, read_lines

SECOND_US = 1_000_000
"""A log that tells whole seconds may mean the end of each; and it is written when the answer has gone."""
UNREADABLE = "a line of a balancer's log cannot be read"


def _parse_haproxy(line: bytes) -> LoggedRequest | None:
    """None for a line that is no request. ValueError: it cannot be read."""
    found = parse_haproxy(line)
    if found is None and not (b"{" not in line and is_haproxy_event(line)):
        return parse_json_answer(line)
    return found


def _parse_nginx(line: bytes) -> LoggedRequest:
    return parse_access(line) or parse_json_answer(line)


_PARSERS: Mapping[str, Callable[[bytes], LoggedRequest | None]] = {"HAProxy": _parse_haproxy, "Nginx": _parse_nginx}


@dataclass(frozen=True, slots=True)
class SourceLog:
    """`kind`: HAProxy or Nginx. `node`: whose log it is, where its lines do not name a server."""

    kind: str
    path: Path
    node: str = ""

    def __str__(self) -> str:
        return f"{self.kind}'s log {self.path.name}"


def parse_source(kind: str, text: str) -> SourceLog:
    """`FILE`, or `NODE=FILE`."""
    node, equals, path = text.partition("=")
    return SourceLog(kind, Path(path), node) if equals and "/" not in node else SourceLog(kind, Path(text))


def read_source(
    log: SourceLog, start_us: int, end_us: int, aliases: Mapping[str, str], account: Account
) -> dict[str, Counter[str]]:
    """By server how many answers of the time of the run the log has of each path.

    HAProxy writes times without a zone: they are of this machine's zone.
    """
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    shift_us = -time.localtime(start_us / 1e6).tm_gmtoff * SECOND_US
    read, has_server = 0, False
    for answer in _read_answers(log, account):
        read += 1
        has_server |= bool(answer.identity.backend)
        if answer.logged_us is not None:
            at_us = answer.logged_us if answer.zoned else answer.logged_us + shift_us
            whole_us = 0 if at_us % SECOND_US else SECOND_US
            if not (start_us <= at_us + whole_us and at_us <= end_us + SECOND_US):
                continue
        name = answer.identity.backend or log.node
        found[aliases.get(name, name)][path_of(answer.url)] += 1
    if not read:
        raise RunDirectoryError(f"{log.path} has no line of {log.kind}'s log that could be read")
    if log.kind == "Nginx" and not log.node and not has_server:
        raise RunDirectoryError(
            f"{log.path} names no server: log $upstream_addr behind the combined format, or say whose log it is "
            f"with --nginx-log NODE={log.path}"
        )
    if not found:
        raise RunDirectoryError(
            f"none of the {read:,} lines of {log.path} is of the time of the run (times without a zone are in "
            "the zone that TZ names)"
        )
    return dict(found)


def add_sources(data: RunData, logs: Sequence[SourceLog], aliases: Mapping[str, str]) -> RunData:
    """The run with what these logs say of it. `aliases`: names by address, beside those of the run's target."""
    if not logs:
        return data
    plan, account = data.run.plan, Account()
    if plan.start_us is None or plan.end_us is None:
        raise RunDirectoryError(f"the run has no start or no end: nothing says which lines of {logs[0].path} are its")
    known = {**data.run.target.aliases, **aliases}
    found = {str(log): read_source(log, plan.start_us, plan.end_us, known, account) for log in logs}
    hints = [hint for log, servers in found.items() for hint in hints_of_aliases(data, log, servers)]
    run = replace(data.run, warnings=[*data.run.warnings, *account.damage, *hints])
    return replace(data, run=run, balancer_logs=found, ignored=Counter(data.ignored) + account.reasons)


def hints_of_aliases(data: RunData, log: str, servers: Mapping[str, Counter[str]]) -> list[str]:
    """Servers that a log calls otherwise than the samples."""
    rows = data.samples.rows("SELECT DISTINCT backend FROM {requests} WHERE backend <> '' ORDER BY backend")
    by_client = [name for (name,) in rows if name not in servers]
    by_log = [name for name in sorted(servers) if name and (name,) not in rows]
    if not by_client or not by_log:
        return []
    return [
        f"{log} names {', '.join(by_log)}, which no sample does; the samples name {', '.join(by_client)}: "
        "--alias NAME=ADDRESS says which is which"
    ]


def _read_answers(log: SourceLog, account: Account) -> Iterator[LoggedRequest]:
    with tempfile.TemporaryDirectory(prefix="switchover-") as folder:
        try:
            text = unpack(log.path, Path(folder), account)
        except OSError as error:
            raise RunDirectoryError(f"cannot unpack {log.path} into {folder}: {error.strerror or error}") from error
        yield from _parse_lines(log.kind, text, account)


def _parse_lines(kind: str, text: Path, ignored: Ignored) -> Iterator[LoggedRequest]:
    parse = _PARSERS[kind]
    header: bytes | None = None
    for number, line in enumerate(read_lines(text, ignored)):
        by_header = (
            csv_parser(line) if number == 0 and b"," in line and b"[" not in line and b"{" not in line else None
        )
        if by_header is not None:
            parse, header = by_header, line
        if line == header:  # again where logs were put together
            continue
        try:
            answer = parse(line)
        except ValueError:
            ignored.add(UNREADABLE)
            continue
        if answer is not None and answer.code:
            yield answer
