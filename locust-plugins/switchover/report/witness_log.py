"""A balancer's log as a witness of who answered what, as far as it is of the time of a run."""

import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from switchover.analysis.reconciliation import path_of
from switchover.analysis.requests.account import Account
from switchover.analysis.requests.unpack import unpack
from switchover.analysis.run_data import RunData
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import Ignored, read_lines
from switchover.telemetry.balancer_log import parse_haproxy_line, parse_nginx_line
from switchover.telemetry.named_log import LoggedAnswer, Parser, csv_parser

SECOND_US = 1_000_000
"""A log that tells whole seconds may mean the end of each; and it is written when the answer has gone."""
QUARTER_US = 900 * SECOND_US
ZONES = range(-14 * 4, 14 * 4 + 1)
"""Time zones lie quarters of an hour apart, from UTC-12 to UTC+14."""

UNREADABLE = "a line of a balancer's log cannot be read"

Counts = Mapping[str, Counter[str]]
"""Answers by server, and of each by path."""

_PARSERS: Mapping[str, Parser] = {"HAProxy": parse_haproxy_line, "Nginx": parse_nginx_line}


@dataclass(frozen=True, slots=True)
class WitnessLog:
    """`kind`: HAProxy or Nginx. `node`: whose log it is, where its lines do not name a server."""

    kind: str
    path: Path
    node: str = ""

    def __str__(self) -> str:
        return f"{self.kind}'s log {self.path.name}"


def parse_witness(kind: str, text: str) -> WitnessLog:
    """`FILE`, or `NODE=FILE`."""
    node, equals, path = text.partition("=")
    return WitnessLog(kind, Path(path), node) if equals and "/" not in node else WitnessLog(kind, Path(text))


def read_witness(
    log: WitnessLog, start_us: int, end_us: int, aliases: Mapping[str, str], account: Account
) -> dict[str, Counter[str]]:
    answers = list(_read_answers(log, account))
    if not answers:
        raise RunDirectoryError(f"{log.path} has no line of {log.kind}'s log that could be read")
    if log.kind == "Nginx" and not log.node and not any(answer.server for answer in answers):
        raise RunDirectoryError(
            f"{log.path} names no server: log $upstream_addr behind the combined format, or say whose log it is "
            f"with --nginx-log NODE={log.path}"
        )
    shift_us = _find_zone_shift(answers, start_us, end_us)
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for answer in answers:
        if _is_within(answer, shift_us, start_us, end_us):
            server = answer.server or log.node
            found[aliases.get(server, server)][path_of(answer.asked)] += 1
    if not found:
        raise RunDirectoryError(f"none of the {len(answers):,} lines of {log.path} is of the time of the run")
    return dict(found)


def add_witnesses(data: RunData, logs: Sequence[WitnessLog], aliases: Mapping[str, str]) -> RunData:
    """The run with what these logs say of it. `aliases`: names by address, beside those of the run's target."""
    if not logs:
        return data
    plan, account = data.run.plan, Account()
    if plan.start_us is None or plan.end_us is None:
        raise RunDirectoryError(f"the run has no start or no end: nothing says which lines of {logs[0].path} are its")
    named = data.run.target.get("aliases")
    known = {str(address): str(name) for address, name in named.items()} if isinstance(named, Mapping) else {}
    known |= aliases
    found = {str(log): read_witness(log, plan.start_us, plan.end_us, known, account) for log in logs}
    data.run.warnings += account.damage
    for log, servers in found.items():
        data.run.warnings += hints_of_aliases(data, log, servers)
    return replace(data, balancer_logs=found, ignored=Counter(data.ignored) + account.reasons)


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


def _read_answers(log: WitnessLog, account: Account) -> Iterator[LoggedAnswer]:
    with tempfile.TemporaryDirectory(prefix="switchover-") as folder:
        try:
            text = unpack(log.path, Path(folder), account)
        except OSError as error:
            raise RunDirectoryError(f"cannot unpack {log.path} into {folder}: {error.strerror or error}") from error
        yield from _parse_lines(log.kind, text, account)


def _parse_lines(kind: str, text: Path, ignored: Ignored) -> Iterator[LoggedAnswer]:
    parse = _PARSERS[kind]
    for number, line in enumerate(read_lines(text, ignored)):
        by_header = (
            csv_parser(line) if number == 0 and b"," in line and b"[" not in line and b"{" not in line else None
        )
        if by_header is not None:
            parse = by_header
            continue
        try:
            answer = parse(line)
        except ValueError:
            ignored.add(UNREADABLE)
            continue
        if answer is not None:
            yield answer


def _is_within(answer: LoggedAnswer, shift_us: int, start_us: int, end_us: int) -> bool:
    if answer.time_us is None:
        return True
    at_us = answer.time_us + (0 if answer.zoned else shift_us)
    whole = SECOND_US if at_us % SECOND_US == 0 else 0
    return start_us <= at_us + whole and at_us <= end_us + SECOND_US


def _find_zone_shift(answers: Sequence[LoggedAnswer], start_us: int, end_us: int) -> int:
    """HAProxy writes its local time without its zone: the zone is the one in which most lines are of the run, of
    several such UTC, or this machine's."""
    local_us = -time.localtime(start_us / 1e6).tm_gmtoff * SECOND_US
    zones = dict.fromkeys([0, local_us, *(quarters * QUARTER_US for quarters in ZONES)])
    if all(answer.zoned for answer in answers):
        return 0
    sampled = answers[:: max(1, len(answers) // 1000)]
    return max(zones, key=lambda shift_us: sum(_is_within(one, shift_us, start_us, end_us) for one in sampled))
