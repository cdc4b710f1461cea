"""The trackers of a VRRP instance, and their effect on its priority."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from switchover.model.errors import TargetError
from switchover.model.vrrp import BY_HTTP, BY_PROCESS, BY_UNKNOWN, CheckScript
from switchover.predict.config_file import Statement
from switchover.predict.keepalived_syntax import Block, read_number

KINDS = {
    "track_script": ("vrrp_script",),
    "track_process": ("vrrp_track_process",),
    "track_file": ("track_file", "vrrp_track_file"),
    "track_interface": (),
    "track_bfd": ("bfd_instance",),
}
"""The blocks of an instance that list trackers, and for each such block, the blocks that define these trackers."""

_PROCESS_TOOLS = ("pidof", "pgrep", "killall", "kill -0", "pkill -0", "is-active", "ps -C", "ps aux", "ps -ef")
_ASKS = re.compile(
    r"\b(?:curl|wget|nc|ncat|socat|httping)\b|https?://|/dev/tcp|check_http|http\.client|urllib|\brequests\b"
)
_CONNECTS = re.compile(r"\b(?:nc|ncat|netcat)\b[^;&|\n]*? -\w*z[^;&|\n]*|(?<!<)[<>] ?/dev/tcp/\S*|\bcheck_tcp\b")
"""Matches a check that only opens a connection. The kernel accepts connections even for a stopped process."""
_BALANCERS = ("haproxy", "nginx", "envoy", "traefik", "openresty", "apache2", "httpd", "varnish")
_NOT_BALANCER = ("ping", "fping", "arping", "ip route", "ip link", "ip addr")


class Tracker(NamedTuple):
    name: str
    kind: str
    place: str
    check: CheckScript
    command: str = ""

    @property
    def is_of_balancer(self) -> bool:
        """True: the tracker names a balancer program, or connects to a port."""
        text = f"{self.name} {self.command}".lower()
        asks = self.check.by == BY_HTTP or _CONNECTS.search(self.command) is not None
        return asks or any(name in text for name in _BALANCERS)

    @property
    def may_be_of_balancer(self) -> bool:
        """True: the tracker is a script that names no object to check, so it may check the balancer."""
        command = f"{self.command} ".lower()
        return self.kind == "track_script" and not any(word in command for word in _NOT_BALANCER)

    @property
    def adds_when_well(self) -> int:
        """The weight that a successful check adds to the priority. Tracked files are assumed to contain 0."""
        return 0 if self.kind == "track_file" else max(0, self.check.weight)

    @property
    def is_pidof(self) -> bool:
        """True: the check runs `pidof` directly, without a shell or a script."""
        program = next(iter(self.command.split()), "")
        return self.kind == "track_script" and program.rpartition("/")[2] == "pidof"


def choose_balancer_trackers(trackers: Sequence[Tracker]) -> tuple[Tracker, ...]:
    """Return the trackers that name the balancer. Without such trackers, return scripts that may check the
    balancer."""
    named = tuple(tracker for tracker in trackers if tracker.is_of_balancer)
    return named or tuple(tracker for tracker in trackers if tracker.may_be_of_balancer)


def read_trackers(instance: Block, top: Block) -> tuple[Tracker, ...]:
    """Return the trackers of a VRRP instance. Names without a definition are skipped, as in Keepalived."""
    trackers = (
        _read_tracker(line, kind.keyword, top)
        for kind in instance.statements
        if kind.keyword in KINDS
        for line in kind.block
    )
    return tuple(tracker for tracker in trackers if tracker is not None)


def _read_tracker(line: Statement, kind: str, top: Block) -> Tracker | None:
    definitions = KINDS[kind]
    definition = next((s for s in top.statements if s.keyword in definitions and s.value() == line.keyword), None)
    if definitions and definition is None:
        return None
    if len(line.words) > 1 and (line.words[1] != "weight" or len(line.words) == 2):
        return None
    block = Block(definition.block if definition else ())
    weights = (line, *(statement for statement in block.statements if statement.keyword == "weight"))
    if any("reverse" in statement.words[2:] for statement in weights):
        raise TargetError(f"{line.place}: {line.keyword!r} has a reversed weight, which is not supported")
    weight = block.whole("weight", 1 if kind == "track_file" else 0)
    if len(line.words) > 1:  # `chk weight -20`: the tracked name has a weight
        weight = int(read_number(line, "weight", line.words[2]))
    named = (s for s in block.statements if s.keyword in ("script", "process", "file"))
    command = " ".join(word for s in named for word in s.words[1:])
    check = CheckScript(interval_s=0, timeout_s=0)
    if kind == "track_script":
        check = _read_script(block, command)
    elif kind == "track_process":
        check = replace(check, by=BY_PROCESS, delay_s=block.number("terminate_delay", "delay") or 0.0)
    return Tracker(line.keyword, kind, line.place, replace(check, weight=weight), command)


def _read_script(block: Block, command: str) -> CheckScript:
    interval = block.number("interval") or 1.0
    return CheckScript(
        interval_s=interval,
        timeout_s=block.number("timeout") or interval,
        fall=block.whole("fall", 1),
        rise=block.whole("rise", 1),
        by=_classify(command),
    )


def _classify(command: str) -> str:
    rest, connects = _CONNECTS.subn("", command)
    if _ASKS.search(rest):
        return BY_HTTP
    return BY_PROCESS if connects or any(tool in command for tool in _PROCESS_TOOLS) else BY_UNKNOWN
