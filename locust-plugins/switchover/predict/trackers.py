"""The trackers of an instance: scripts, processes, files and interfaces, and their effect on its priority."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from switchover.model.vrrp import BY_HTTP, BY_PROCESS, BY_UNKNOWN, CheckScript
from switchover.predict.keepalived_syntax import Block, Statement, read_number

KINDS = {
    "track_script": ("vrrp_script",),
    "track_process": ("vrrp_track_process",),
    "track_file": ("track_file", "vrrp_track_file"),
    "track_interface": (),
    "track_bfd": ("bfd_instance",),
}
"""The block of an instance that lists trackers, and the blocks that define these trackers."""

FRACTIONS_SINCE = "2.3.2"
"""The first version of Keepalived that allows fractions of a second as the interval of a script."""

MAX_SCRIPT_BYTES = 1 << 16

_PROCESS_TOOLS = ("pidof", "pgrep", "killall", "kill -0", "pkill -0", "is-active", "ps -C", "ps aux", "ps -ef")
_ASKS = re.compile(
    r"\b(?:curl|wget|nc|ncat|socat|httping)\b|https?://|/dev/tcp|check_http|http\.client|urllib|\brequests\b"
)
_CONNECTS = re.compile(r"\b(?:nc|ncat|netcat)\b[^;&|\n]*? -\w*z[^;&|\n]*|(?<!<)[<>] ?/dev/tcp/\S*|\bcheck_tcp\b")
"""Matches a check that only connects. The kernel accepts connections even if the process is stopped."""
_BALANCERS = ("haproxy", "nginx", "envoy", "traefik", "openresty", "apache2", "httpd", "varnish")
_NOT_BALANCER = ("ping", "fping", "arping", "ip route", "ip link", "ip addr")


@dataclass(frozen=True, slots=True)
class Tracker:
    name: str
    kind: str
    place: str
    check: CheckScript
    command: str = ""
    """The command line, and the lines of the script if a copy of the script is next to the configuration."""
    reverse: bool = False
    """True: the tracker fails while its object works, so it does not detect a failure."""

    @property
    def is_of_balancer(self) -> bool:
        """True: the tracker names a balancer program, or connects to a port."""
        text = f"{self.name} {self.command}".lower()
        asks = self.check.by == BY_HTTP or _CONNECTS.search(self.command) is not None
        return not self.reverse and (any(name in text for name in _BALANCERS) or asks)

    @property
    def may_be_of_balancer(self) -> bool:
        """True: the tracker is a script that may check the balancer, because it names no other object."""
        if self.kind != "track_script" or self.reverse:
            return False
        return not any(word in f"{self.command} ".lower() for word in _NOT_BALANCER)

    @property
    def adds_when_well(self) -> int:
        """The weight that is added to the priority while the check succeeds. A tracked file is assumed to contain
        0."""
        if self.kind == "track_file":
            return 0
        return max(0, self.check.weight) * (-1 if self.reverse else 1)

    @property
    def is_pidof(self) -> bool:
        """True: Keepalived runs `pidof` without a shell or a script."""
        program = next(iter(self.command.split()), "")
        return self.kind == "track_script" and program.rpartition("/")[2] == "pidof"


def instance_trackers(
    block: Block, group: Statement | None, members: Sequence[Statement], top: Block, *, is_owner: bool
) -> tuple[Tracker, ...]:
    """Return the trackers of an instance, of its sync group, and of other members if they put the group into
    FAULT."""
    own = _read_trackers(block, top)
    if group is None:
        return tuple(_without_weights(own, "priority 255", block) if is_owner else own)
    of_group = Block(group.block, remarks=block.remarks)
    if of_group.last("sync_group_tracking_weight") is None:
        own = _without_weights(own, f"sync group {group.value()}", block)
    shared = [t for other in members for t in _read_trackers(Block(other.block), top) if t.check.weight == 0]
    trackers: dict[tuple[str, str], Tracker] = {}
    for tracker in (*_read_trackers(of_group, top), *own, *shared):
        trackers.setdefault((tracker.kind, tracker.name), tracker)
    return tuple(trackers.values())


def _without_weights(trackers: Sequence[Tracker], why: str, block: Block) -> list[Tracker]:
    """Return the trackers without a weight, and all process trackers."""
    counting = []
    for tracker in trackers:
        if tracker.check.weight == 0 or tracker.kind == "track_process":
            counting.append(tracker)
        else:
            block.remark(tracker.place, f"{why}: {tracker.name} has a weight, so Keepalived ignores it")
    return counting


def _read_trackers(holder: Block, top: Block) -> list[Tracker]:
    """Return the trackers of an instance or a sync group. Undefined names become remarks."""
    trackers = [
        _tracker(line, kind.keyword, holder, top)
        for kind in holder.statements
        if kind.keyword in KINDS
        for line in kind.block
    ]
    return [tracker for tracker in trackers if tracker is not None]


def _tracker(line: Statement, kind: str, holder: Block, top: Block) -> Tracker | None:
    definitions = KINDS[kind]
    definition = next((s for s in top.statements if s.keyword in definitions and s.value() == line.keyword), None)
    if definitions and definition is None:
        holder.remark(line.place, f"{line.keyword!r} is tracked, but there is no {definitions[0]} of that name")
        return None
    if len(line.words) > 1 and (line.words[1] != "weight" or len(line.words) == 2):
        holder.remark(
            line.place, f"{line.text!r}: Keepalived does not track it, because its 'weight NUMBER' is wrong"
        )
        return None
    block = Block(definition.block if definition else (), remarks=holder.remarks)
    weight = block.whole("weight", 1 if kind == "track_file" else 0)
    reverse = any(s.keyword == "weight" and "reverse" in s.words[2:] for s in block.statements)
    if len(line.words) > 1:  # `chk weight -20 reverse`: the tracked name has a weight
        weight = int(read_number(line, "weight", line.words[2]))
        reverse = "reverse" in line.words[3:] or (reverse and "noreverse" not in line.words[3:])
    named = (s for s in block.statements if s.keyword in ("script", "process", "file"))
    command = " ".join(word for s in named for word in s.words[1:])
    check = CheckScript(interval_s=0, timeout_s=0)
    if kind == "track_script" and block.statements:
        folder = Path(block.statements[0].place.rpartition(":")[0]).parent
        command = "\n".join([command, *_script_lines(command, folder)])
    if kind == "track_script":
        check = _script(block, command)
    elif kind == "track_process":
        check = replace(check, by=BY_PROCESS, delay_s=block.number("terminate_delay", "delay") or 0.0)
    return Tracker(line.keyword, kind, line.place, replace(check, weight=weight), command, reverse)


def _script_lines(command: str, folder: Path) -> list[str]:
    """Return the lines of the script that a command runs, without comments, if `folder` has a copy of the script."""
    for word in command.split()[:3]:
        path = folder / Path(word).name
        try:
            if "/" in word and path.is_file():
                text = path.read_bytes()[:MAX_SCRIPT_BYTES].decode("utf-8", "replace")
                return [line for line in text.splitlines() if not line.lstrip().startswith("#")]
        except (OSError, ValueError):
            return []
    return []


def _script(block: Block, command: str) -> CheckScript:
    interval = block.number("interval") or 1.0
    timeout = block.number("timeout") or interval
    for keyword, seconds in (("interval", interval), ("timeout", timeout)):
        if seconds % 1 and block.last(keyword):
            text = f"{keyword} {seconds:g}: Keepalived before {FRACTIONS_SINCE} uses whole seconds"
            block.remark(block.place_of(keyword), text)
    return CheckScript(
        interval_s=interval,
        timeout_s=timeout,
        fall=block.whole("fall", 1),
        rise=block.whole("rise", 1),
        by=_looks_at(command),
    )


def _looks_at(command: str) -> str:
    asked, connects = _CONNECTS.subn("", command)
    if _ASKS.search(asked):
        return BY_HTTP
    return BY_PROCESS if connects or any(tool in command for tool in _PROCESS_TOOLS) else BY_UNKNOWN
