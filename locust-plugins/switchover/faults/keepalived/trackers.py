"""What an instance tracks: scripts, processes, files, interfaces; what each of them does to its priority."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from switchover.faults.keepalived.syntax import Remark, Statement
from switchover.model.vrrp import BY_HTTP, BY_PROCESS, BY_UNKNOWN, CheckScript

N = TypeVar("N", int, float)

KINDS = {
    "track_script": ("vrrp_script",),
    "track_process": ("vrrp_track_process",),
    "track_file": ("track_file", "vrrp_track_file"),
    "track_interface": (),
    "track_bfd": ("bfd_instance",),
}
"""The block that an instance tracks by, and those that define what it names there."""

MAX_SCRIPT_BYTES = 1 << 16

_PROCESS_TOOLS = (
    "pidof",
    "pgrep",
    "killall",
    "killall5",
    "kill -0",
    "pkill -0",
    "is-active",
    "ps -C",
    "ps aux",
    "ps -ef",
)
_ASKS = re.compile(
    r"\b(?:curl|wget|nc|ncat|socat|httping)\b|https?://|/dev/tcp|check_(?:http|tcp)|http\.client|urllib|\brequests\b"
)
_BALANCERS = ("haproxy", "nginx", "envoy", "traefik", "openresty", "apache2", "httpd", "varnish")
_NOT_BALANCER = ("ping", "fping", "arping", "ip route", "ip link", "ip addr")

_OWN_LIMIT = re.compile(
    r"\b(?:curl|wget|ncat|nc|ping)\b[^;|&\n]*?(?:--max-time|--timeout|-m|-w|-T|-W)[ =](\d+(?:\.\d+)?)\b"
    r"|\btimeout (\d+(?:\.\d+)?)s?\b"
)
_SLEEP = re.compile(r"\bsleep (\d+(?:\.\d+)?)")
_RESTARTS = re.compile(r"\b(?:systemctl|service|rc-service)\b[^;&|]*\b(?:re)?start\b|/init\.d/\S+ (?:re)?start")


@dataclass(frozen=True, slots=True)
class Tracker:
    """One thing that an instance tracks."""

    name: str
    kind: str
    place: str
    check: CheckScript
    command: str = ""
    """Its command line, and the lines of the script that it runs where that lies beside the configuration."""
    reverse: bool = False
    """Fails while what it looks at is well: it says nothing about a death."""

    @property
    def is_of_balancer(self) -> bool:
        """It names a program that balances, or asks for an answer."""
        text = f"{self.name} {self.command}".lower()
        return not self.reverse and (any(name in text for name in _BALANCERS) or self.check.by == BY_HTTP)

    @property
    def may_be_of_balancer(self) -> bool:
        """A script whose command does not say what it looks at."""
        if self.kind != "track_script" or self.reverse:
            return False
        return not any(word in f"{self.command} ".lower() for word in _NOT_BALANCER)

    @property
    def adds_when_well(self) -> int:
        """What it adds to the priority while all is well; a file is taken to hold 0."""
        if self.kind == "track_file":
            return 0
        return max(0, self.check.weight) * (-1 if self.reverse else 1)

    @property
    def may_take_s(self) -> float | None:
        """How long a run may take by its own command line (`curl -m 5`, `sleep 3`); None: it does not say."""
        limits = [text for found in _OWN_LIMIT.findall(self.command) for text in found if text]
        found = [float(value) for value in (*limits, *_SLEEP.findall(self.command))]
        return max(found, default=None)

    @property
    def restarts_service(self) -> bool:
        """The check itself starts what it looks at again."""
        return bool(_RESTARTS.search(self.command))


class ValueReader:
    """Reads values as Keepalived does: one that is out of bounds is a remark, and its default stands."""

    def __init__(self) -> None:
        self.remarks: list[Remark] = []

    def number(self, block: Sequence[Statement], keyword: str, bounds: tuple[N, N], default: N) -> N:
        """The last statement of that keyword; a whole number where the bounds are whole numbers."""
        statement = last_statement(block, keyword)
        if statement is None:
            return default
        kind: Callable[[str], N] = type(bounds[0])
        found = _parse(statement.value(), kind)
        if found is None or not bounds[0] <= found <= bounds[1]:
            what = "a whole number" if kind is int else "a number"
            text = f"{statement.text!r} must have {what} from {bounds[0]:g} to {bounds[1]:g}"
            self.remark(statement.place, f"{text}: Keepalived ignores it and takes {default:g}")
            return default
        return found

    def remark(self, place: str, text: str) -> None:
        self.remarks.append(Remark(place, text))


def read_trackers(holder: Statement, top: Sequence[Statement], values: ValueReader) -> Iterator[Tracker]:
    """What an instance or a sync group tracks; a name without a definition is a remark."""
    for statement in holder.block:
        if statement.keyword in KINDS:
            for line in statement.block:
                tracker = _tracker(line, statement.keyword, top, values)
                if tracker is not None:
                    yield tracker


def _tracker(line: Statement, kind: str, top: Sequence[Statement], values: ValueReader) -> Tracker | None:
    definitions = KINDS[kind]
    block: Sequence[Statement] = ()
    if definitions:
        definition = next((s for s in top if s.keyword in definitions and s.value() == line.keyword), None)
        if definition is None:
            values.remark(line.place, f"{line.keyword!r} is tracked, but there is no {definitions[0]} of that name")
            return None
        block = definition.block
    default = 1 if kind == "track_file" else 0
    weight, reverse = _weight(last_statement(block, "weight"), (default, False), values)
    weight, reverse = _weight(line, (weight, reverse), values)
    command = " ".join(word for s in block if s.keyword in ("script", "process", "file") for word in s.words[1:])
    if kind == "track_script" and block:
        command = "\n".join([command, *_script_lines(command, Path(block[0].place.rpartition(":")[0]).parent)])
    if kind == "track_script":
        check = _script(block, command, values)
    elif kind == "track_process":
        delay = values.number(
            block, "terminate_delay", (0.0, 3600.0), values.number(block, "delay", (0.0, 3600.0), 0.0)
        )
        check = CheckScript(interval_s=0, timeout_s=0, by=BY_PROCESS, delay_s=delay)
    else:
        check = CheckScript(interval_s=0, timeout_s=0)
    return Tracker(line.keyword, kind, line.place, replace(check, weight=weight), command, reverse)


def _script_lines(command: str, folder: Path) -> list[str]:
    """The script that a command runs, without its comments, if a copy lies in the folder under its own name."""
    for word in command.split()[:3]:
        path = folder / Path(word).name
        try:
            if "/" in word and path.is_file():
                text = path.read_bytes()[:MAX_SCRIPT_BYTES].decode("utf-8", "replace")
                return [line for line in text.splitlines() if not line.lstrip().startswith("#")]
        except (OSError, ValueError):
            return []
    return []


def _script(block: Sequence[Statement], command: str, values: ValueReader) -> CheckScript:
    interval = values.number(block, "interval", (0.0, 4294.0), 1.0) or 1.0
    return CheckScript(
        interval_s=interval,
        timeout_s=values.number(block, "timeout", (0.0, 4294.0), interval) or 1.0,
        fall=values.number(block, "fall", (1, 2**31 - 1), 1),
        rise=values.number(block, "rise", (1, 2**31 - 1), 1),
        by=_looks_at(command),
    )


def _weight(statement: Statement | None, default: tuple[int, bool], values: ValueReader) -> tuple[int, bool]:
    """`weight -20 [reverse]`, as a statement of its own or behind a tracked name."""
    if statement is None or "weight" not in statement.words:
        return default
    position = statement.words.index("weight")
    found = _parse(statement.value(position + 1), int)
    if found is None or not -254 <= found <= 254:
        values.remark(
            statement.place, f"{statement.text!r} must have a weight from -253 to 253: Keepalived ignores it"
        )
        return default
    reverse = "reverse" in statement.words or (default[1] and "noreverse" not in statement.words)
    return max(-253, min(253, found)), reverse


def _looks_at(command: str) -> str:
    if _ASKS.search(command):
        return BY_HTTP
    return BY_PROCESS if any(tool in command for tool in _PROCESS_TOOLS) else BY_UNKNOWN


def last_statement(block: Sequence[Statement], keyword: str) -> Statement | None:
    """The last one wins, as in Keepalived."""
    return next((s for s in reversed(block) if s.keyword == keyword), None)


def _parse(text: str, kind: Callable[[str], N]) -> N | None:
    if not text.isascii() or "_" in text:
        return None
    try:
        found = kind(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None
