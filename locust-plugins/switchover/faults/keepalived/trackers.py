"""What an instance tracks: scripts, processes, files, interfaces; what each of them does to its priority."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from switchover.faults.keepalived import number_rules
from switchover.faults.keepalived.number_rules import FRACTIONS_SINCE, NumberRule
from switchover.faults.keepalived.syntax import Statement
from switchover.faults.keepalived.values import ValueReader
from switchover.model.vrrp import BY_HTTP, BY_PROCESS, BY_UNKNOWN, CheckScript

KINDS = {
    "track_script": ("vrrp_script",),
    "track_process": ("vrrp_track_process",),
    "track_file": ("track_file", "vrrp_track_file"),
    "track_interface": (),
    "track_bfd": ("bfd_instance",),
}
"""The block that an instance tracks by, and those that define what it names there."""

_WEIGHTS = {
    "track_script": (number_rules.SCRIPT_WEIGHT, number_rules.TRACKED_SCRIPT),
    "track_process": (number_rules.PROCESS_WEIGHT, number_rules.TRACKED_PROCESS),
    "track_file": (number_rules.FILE_WEIGHT, number_rules.TRACKED_FILE),
    "track_interface": (None, number_rules.TRACKED_INTERFACE),
    "track_bfd": (number_rules.BFD_WEIGHT, number_rules.TRACKED_BFD),
}
"""The rule of the definition's weight, and of one behind the tracked name."""

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
    if len(line.words) > 1 and (line.words[1] != "weight" or len(line.words) == 2):
        values.remark(line.place, f"{line.text!r}: Keepalived does not track it, for its 'weight NUMBER' is wrong")
        return None
    defined, tracked = _WEIGHTS[kind]
    weight = 0 if defined is None else values.whole(block, defined, 0)
    reverse = any(s.keyword == "weight" and "reverse" in s.words[2:] for s in block)
    weight, reverse = _tracked_weight(line, tracked, (weight, reverse), values)
    command = " ".join(word for s in block if s.keyword in ("script", "process", "file") for word in s.words[1:])
    if kind == "track_script" and block:
        command = "\n".join([command, *_script_lines(command, Path(block[0].place.rpartition(":")[0]).parent)])
    if kind == "track_script":
        check = _script(block, command, values)
    elif kind == "track_process":
        delay = values.number(block, number_rules.TERMINATE_DELAY, number_rules.PROCESS_DELAY)
        check = CheckScript(interval_s=0, timeout_s=0, by=BY_PROCESS, delay_s=delay or 0.0)
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
    interval = values.time_s(block, number_rules.INTERVAL, 1.0)
    timeout = values.time_s(block, number_rules.TIMEOUT, interval)
    silent = ValueReader()
    whole_interval = silent.time_s(block, number_rules.WHOLE_INTERVAL, 1.0)
    whole_timeout = silent.time_s(block, number_rules.WHOLE_TIMEOUT, whole_interval)
    if (whole_interval, whole_timeout) != (interval, timeout):
        place = next(s.place for s in block if s.keyword in ("interval", "timeout"))
        text = f"Keepalived before {FRACTIONS_SINCE} reads interval {whole_interval:g} s, timeout {whole_timeout:g} s"
        values.remark(place, f"{text}; the windows take {interval:g} s and {timeout:g} s")
    return CheckScript(
        interval_s=interval,
        timeout_s=timeout,
        fall=values.whole(block, number_rules.FALL, 1),
        rise=values.whole(block, number_rules.RISE, 1),
        by=_looks_at(command),
    )


def _tracked_weight(
    line: Statement, rule: NumberRule, defined: tuple[int, bool], values: ValueReader
) -> tuple[int, bool]:
    """`chk weight -20 [reverse]`: a weight of its own behind a tracked name, else the definition's."""
    weight, reverse = defined
    if len(line.words) == 1:
        return defined
    weight = int(values.value(line, line.words[2], rule, weight) or 0)
    return weight, "reverse" in line.words[3:] or (reverse and "noreverse" not in line.words[3:])


def _looks_at(command: str) -> str:
    if _ASKS.search(command):
        return BY_HTTP
    return BY_PROCESS if any(tool in command for tool in _PROCESS_TOOLS) else BY_UNKNOWN


def last_statement(block: Sequence[Statement], keyword: str) -> Statement | None:
    """The last one wins, as in Keepalived."""
    return next((s for s in reversed(block) if s.keyword == keyword), None)
