"""Read HAProxy's statistics: `show info;show stat` on a socket or through a command, or the CSV of the HTTP page.
Columns have the names of the header line. Empty fields are skipped, and also the column `-`, which only ends the
fixed columns."""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit, urlunsplit

from switchover.model.errors import TelemetryError
from switchover.target.telemetry_sources import HttpPage, Source
from switchover.telemetry.fetch import SCRAPE_S, fetch

REQUEST = b"show info;show stat\n"
"""The request is one line, because HAProxy reads only one line in non-interactive mode."""
TYPES = ("frontend", "backend", "server", "listener")
"""The names of the values 0 to 3 in the column `type` (HAProxy management guide, section 9.1)."""
TEXT_COLUMN = re.compile(
    "pxname|svname|status|tracked|check_status|last_chk|check_desc|agent_status|last_agt|agent_desc|addr|cookie|mode|algo"
)
"""The columns with text. Some text, for example a cookie, may look like a number."""
COUNTER = re.compile(
    "stot|bin|bout|req_tot|conn_tot|lbtot|econ|eresp|ereq|wretr|wredis|cli_abrt|srv_abrt|hrsp_([1-5]xx|other)"
)
"""The columns whose values never decrease in a process, except after `clear counters all`. After a reload, the values
start at 0."""
_HEADER = re.compile("^# pxname,", re.MULTILINE)
_INTEGER = re.compile(r"-?\d{1,19}", re.ASCII)
_INT64_MAX = 2**63 - 1
_VERSION = re.compile(r"^Version: (\d{1,4}(?:\.\d{1,6}){1,3})", re.MULTILINE)
_NODE = re.compile(r"^node:[ \t]*(\S{1,255})[ \t]*\r?$", re.MULTILINE)
_INFO_LINE = re.compile(r"([A-Za-z][\w.-]{0,63}):[ \t]*(-?\d{1,19})[ \t]*", re.ASCII)
_QUOTED = re.compile(r'(?<![^,\n])"(?:[^"]++|"")*+"(?![^,\r\n])')
"""A quoted field. HAProxy quotes a field that contains a quote, and doubles this quote (management guide, 9.1)."""
_START_TOLERANCE_S = 2
"""The tolerance for a start time that is derived from an uptime in whole seconds."""


def is_server_up(status: str) -> bool:
    """Return True for a server that gets requests: `UP`, `UP 1/3` (going down) or `no check`."""
    return status.upper().startswith(("UP", "NO CHECK"))


def is_frontend_open(status: str) -> bool:
    """Return True for a frontend that is neither disabled nor stopped by a reload (DOWN in exporters)."""
    return status.upper() not in ("STOP", "PAUSED", "DOWN")


@dataclass(frozen=True, slots=True)
class StatRow:
    """One line of `show stat`. `server` is HAProxy's `svname`, which may be `FRONTEND` or `BACKEND`."""

    proxy: str
    server: str
    type: str
    status: str
    numbers: Mapping[str, int]
    address: str = ""
    """The address of a server, such as `198.18.0.31:80`. HAProxy prints the address only at `level operator` and
    above."""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.proxy, self.server, self.type


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One complete answer of HAProxy. Counters rise only within one `generation`."""

    rows: tuple[StatRow, ...]
    info: Mapping[str, int] = field(default_factory=dict)
    generation: str = ""
    version: str = ""
    node: str = ""
    """HAProxy's setting `node`, by default the host name. Empty on a statistics page."""


def parse_answer(answer: bytes, *, page: bool = False) -> Snapshot:
    """Parse the answer to `REQUEST`, or the CSV of the statistics page. Raises TelemetryError for any other text."""
    text = answer.decode("utf-8", "replace")
    header = _HEADER.search(text)
    if header is None:
        raise TelemetryError(_refusal(text))
    head, body = text[: header.start()], text[header.start() :]
    # On a socket, an empty line ends the table. For a page, HTTP ensures the length.
    if not (body.endswith("\n\n") or (page and body.endswith("\n"))):
        raise TelemetryError("HAProxy's table was cut off: its end is missing")
    version, node = _VERSION.search(head), _NODE.search(head)
    return Snapshot(
        _parse_table(body), _parse_info(head), version=version[1] if version else "", node=node[1] if node else ""
    )


def stats_page(source: HttpPage) -> HttpPage:
    """Return the URL of the statistics page as CSV: `;csv` follows the path, or the query if `stats uri` has a
    query."""
    parts = urlsplit(source.url)
    if ";csv" in parts.path + parts.query:
        return source
    place = "query" if parts.query else "path"
    return HttpPage(urlunsplit(parts._replace(**{place: f"{getattr(parts, place)};csv"})))


class HaproxyReader:
    """Read one HAProxy repeatedly, and detect restarts of its counters. Not thread-safe."""

    def __init__(self, source: Source) -> None:
        self._page = isinstance(source, HttpPage)
        self._source = stats_page(source) if isinstance(source, HttpPage) else source
        self._last: Snapshot | None = None
        self._process = ""
        self._pid_start: tuple[int, int] | None = None
        self._restarts = 1

    def read(self, now_s: float, timeout_s: float = SCRAPE_S) -> Snapshot:
        """Scrape once. If the answer has no start time, the start time is `now_s` (epoch seconds) minus the
        uptime."""
        answer = fetch(self._source, None if self._page else REQUEST, timeout_s)
        try:
            snapshot = parse_answer(answer, page=self._page)
        except TelemetryError as error:
            raise TelemetryError(f"{self._source}: {error}") from error
        process = self._process_of(snapshot.info, now_s)
        if process != self._process:
            self._process, self._restarts = process, 1
        elif self._last is not None and counters_fell(self._last, snapshot):
            self._restarts += 1
        suffix = "" if self._restarts == 1 else f".{self._restarts}"
        self._last = replace(snapshot, generation=self._process + suffix)
        return self._last

    def _process_of(self, info: Mapping[str, int], now_s: float) -> str:
        """Return a name of the process: `<Pid>-<Start_time_sec>`, or `page` if the answer has no pid."""
        if "Pid" not in info:
            return "page"
        pid = info["Pid"]
        start = info.get("Start_time_sec")
        if start is None:
            start = round(now_s) - info.get("Uptime_sec", 0)
            previous = self._pid_start
            if previous is not None and previous[0] == pid and abs(previous[1] - start) <= _START_TOLERANCE_S:
                start = previous[1]
        self._pid_start = (pid, start)
        return f"{pid}-{start}"


def counters_fell(before: Snapshot, after: Snapshot) -> bool:
    earlier = {row.key: row.numbers for row in before.rows}
    return any(
        value < earlier.get(row.key, {}).get(name, value)
        for row in after.rows
        for name, value in row.numbers.items()
        if COUNTER.fullmatch(name)
    )


def _refusal(text: str) -> str:
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if not first:
        return "no answer: the connection ended without a byte"
    if "Permission denied" in text[:1000]:
        return "Permission denied: give the socket `level user` or more in HAProxy's configuration"
    shown = "".join(c if c.isprintable() else "." for c in first[:80])
    return f"answered {shown!r}, which is not an answer of HAProxy"


def _parse_info(head: str) -> dict[str, int]:
    matches = filter(None, map(_INFO_LINE.fullmatch, head.splitlines()))
    return {match[1]: value for match in matches if (value := _integer(match[2])) is not None}


def _parse_table(body: str) -> tuple[StatRow, ...]:
    header, _, table = body.rstrip("\n").partition("\n")
    columns = header.removeprefix("# ").rstrip("\r").split(",")
    # The regular expression is slow, a large table is read each second, and most tables contain no quote.
    if '"' in table and '"' in _QUOTED.sub("", table):
        raise TelemetryError("HAProxy's table cannot be read: a quote is in the middle of a field")
    try:
        lines = csv.reader(io.StringIO(table, newline="\n"), strict=True)
        return tuple(filter(None, (_row(dict(zip(columns, fields, strict=False))) for fields in lines)))
    except csv.Error as error:
        raise TelemetryError(f"HAProxy's table cannot be read: {error}") from error


def _row(values: dict[str, str]) -> StatRow | None:
    proxy, server = values.get("pxname", ""), values.get("svname", "")
    if not proxy or not server:
        return None
    numbers = {
        name: value
        for name, text in values.items()
        if name not in ("", "-") and not TEXT_COLUMN.fullmatch(name) and (value := _integer(text)) is not None
    }
    return StatRow(proxy, server, _type(server, numbers), values.get("status", ""), numbers, values.get("addr", ""))


def _type(server: str, numbers: Mapping[str, int]) -> str:
    number = numbers.get("type")
    if number is not None and 0 <= number < len(TYPES):
        return TYPES[number]
    return {"FRONTEND": "frontend", "BACKEND": "backend"}.get(server, "server")


def _integer(text: str) -> int | None:
    value = int(text) if _INTEGER.fullmatch(text) else _INT64_MAX + 1
    return value if abs(value) <= _INT64_MAX else None
