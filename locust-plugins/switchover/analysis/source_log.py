"""A balancer's log as a source of who answered what, as far as it is of the time of a run."""

import tempfile
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from switchover.analysis.log_ledger import path_of
from switchover.analysis.logs.access import parse_access
from switchover.analysis.logs.account import Account
from switchover.analysis.logs.haproxy import is_haproxy_event, parse_haproxy
from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.analysis.logs.named import csv_parser, parse_json_answer
from switchover.analysis.logs.unpack import unpack
from switchover.analysis.requests.store import Integers
from switchover.analysis.run_data import RunData
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import Ignored, read_lines

SECOND_US = 1_000_000
"""A log that tells whole seconds may mean the end of each; and it is written when the answer has gone."""
QUARTER_US = 900 * SECOND_US
ZONES = range(-14 * 4, 14 * 4 + 1)
"""Time zones lie quarters of an hour apart, from UTC-12 to UTC+14."""

UNREADABLE = "a line of a balancer's log cannot be read"

_NO_TIME = -1


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
    """By server how many answers of the time of the run the log has of each path."""
    answers = _read_answers(log, account)
    if not answers.times_us:
        raise RunDirectoryError(f"{log.path} has no line of {log.kind}'s log that could be read")
    if log.kind == "Nginx" and not log.node and not any(server for server, _ in answers.places):
        raise RunDirectoryError(
            f"{log.path} names no server: log $upstream_addr behind the combined format, or say whose log it is "
            f"with --nginx-log NODE={log.path}"
        )
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (server, url), number in answers.within(start_us, end_us).items():
        found[aliases.get(server or log.node, server or log.node)][path_of(url)] += number
    if not found:
        raise RunDirectoryError(
            f"none of the {len(answers.times_us):,} lines of {log.path} is of the time of the run"
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
    """Where a log calls servers otherwise than the samples, but their numbers of answers say who is who."""
    rows = data.samples.rows(
        "SELECT backend, count(*) FROM {requests} WHERE backend <> '' AND answered_by = 'backend' GROUP BY backend "
        "ORDER BY backend"
    )
    by_client = {str(name): int(number) for name, number in rows if name not in servers}
    by_log = {name: counts.total() for name, counts in servers.items() if name and name not in dict(rows)}
    if not by_client or not by_log:
        return []
    pairs = [
        (name, next((one for one, logged in by_log.items() if logged == number), None))
        for name, number in by_client.items()
    ]
    plain = len(set(by_client.values())) == len(by_client) and all(address for _, address in pairs)
    hint = " ".join(f"--alias {name}={address}" for name, address in pairs) if plain else "--alias NAME=ADDRESS"
    reads = "the numbers of answers agree with" if plain else "which is which? say it with"
    return [
        f"{log} names {', '.join(sorted(by_log))}, which no sample does; the samples name "
        f"{', '.join(sorted(by_client))}: {reads} {hint}"
    ]


@dataclass(slots=True)
class _LoggedAnswers:
    """The lines of a log that tell of an answer: of each its time, and by place which server answered what."""

    places: dict[tuple[str, str], int] = field(default_factory=dict)
    """By server and URL."""
    place: "array[int]" = field(default_factory=lambda: array("q"))
    times_us: "array[int]" = field(default_factory=lambda: array("q"))
    zoned: bytearray = field(default_factory=bytearray)

    def add(self, answer: LoggedRequest) -> None:
        self.place.append(self.places.setdefault((answer.identity.backend, answer.url), len(self.places)))
        self.times_us.append(_NO_TIME if answer.logged_us is None else answer.logged_us)
        self.zoned.append(answer.zoned)

    def within(self, start_us: int, end_us: int) -> dict[tuple[str, str], int]:
        """How many of each are of that time. What has no time is."""
        times, zoned = np.array(self.times_us, np.int64), np.array(self.zoned, np.bool_)
        shift_us = _find_zone_shift(times, zoned, start_us, end_us)
        counts = np.bincount(np.array(self.place)[_are_within(times, zoned, shift_us, start_us, end_us)])
        return {key: int(number) for key, number in zip(self.places, counts.tolist(), strict=False) if number}


def _read_answers(log: SourceLog, account: Account) -> _LoggedAnswers:
    answers = _LoggedAnswers()
    with tempfile.TemporaryDirectory(prefix="switchover-") as folder:
        try:
            text = unpack(log.path, Path(folder), account)
        except OSError as error:
            raise RunDirectoryError(f"cannot unpack {log.path} into {folder}: {error.strerror or error}") from error
        for answer in _parse_lines(log.kind, text, account):
            answers.add(answer)
    return answers


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


def _are_within(
    times: Integers, zoned: npt.NDArray[np.bool_], shift_us: int, start_us: int, end_us: int
) -> npt.NDArray[np.bool_]:
    at = times + np.where(zoned, 0, shift_us)
    whole = np.where(at % SECOND_US == 0, SECOND_US, 0)
    found: npt.NDArray[np.bool_] = (times == _NO_TIME) | ((start_us <= at + whole) & (at <= end_us + SECOND_US))
    return found


def _find_zone_shift(times: Integers, zoned: npt.NDArray[np.bool_], start_us: int, end_us: int) -> int:
    """HAProxy writes its local time without its zone: the zone is the one in which most lines are of the run, of
    several such UTC, or this machine's."""
    local_us = -time.localtime(start_us / 1e6).tm_gmtoff * SECOND_US
    zones = dict.fromkeys([0, local_us, *(quarters * QUARTER_US for quarters in ZONES)])
    step = max(1, len(times) // 1000)
    return max(
        zones, key=lambda shift_us: int(_are_within(times[::step], zoned[::step], shift_us, start_us, end_us).sum())
    )
