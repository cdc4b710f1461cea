"""What both languages read: each input must make the same of itself in both, or be refused by both."""

import json
import struct
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from ipaddress import ip_address

from fuzz.catalogue import BOTH
from fuzz.java import java_command
from fuzz.target import Target, file_of, in_pieces
from switchover.drill.conduct import target_facts
from switchover.http.answer import AnswerProgress, CountedAnswer
from switchover.http.head import HeadReader
from switchover.model.errors import SwitchoverError
from switchover.model.identity import IdentitySettings
from switchover.rundir.points import format_point, parse_point
from switchover.target.reader import load_target
from switchover.telemetry.address_list import parse_address_line
from switchover.telemetry.haproxy import parse_answer
from switchover.telemetry.keepalived import parse_notification
from switchover.telemetry.scrapers import haproxy_readings, parse_status

TIME_NS = 1_700_000_012_000_000_000
OF_PYTHON = (b"connections", b"change", b"claim", b"release", b"environment", b"disarm", b"metrics")
"""What of a target file only Python reads."""
REFUSED, NOTHING = "refused", "nothing"


def _haproxy(data: bytes) -> str:
    snapshot = replace(parse_answer(data[1:], page=data[:1] == b"p"), generation="generation")
    info = [f"{name}={value}" for name, value in snapshot.info.items()]
    readings = haproxy_readings("lb1", snapshot)
    lines = (format_point(it.measurement, it.tags, it.fields, TIME_NS) for it in readings)
    return "\n".join((*info, *lines))


def _address(data: bytes) -> str:
    found = parse_address_line(data.decode("utf-8", "replace"))
    if found is None:
        return NOTHING
    return f"{found.interface} {_as_java(found.address)} {_or_null(found.deleted)} {_or_null(found.stamp_ns)}"


def _as_java(address: str) -> str:
    """Java writes no `::`; an IPv4 address within IPv6 is one of IPv4 to it."""
    packed = ip_address(address).packed
    if len(packed) == 4:
        return address
    if packed.startswith(bytes(10) + b"\xff\xff"):
        return ".".join(map(str, packed[12:]))
    return ":".join(f"{int.from_bytes(packed[at : at + 2], 'big'):x}" for at in range(0, 16, 2))


def _or_null(value: object) -> str:
    return "null" if value is None else str(value).lower()


def _notification(data: bytes) -> str:
    found = parse_notification(data.decode("utf-8", "replace"))
    return f"{found.instance} {found.state} {_or_null(found.priority)}" if found else NOTHING


def _point(data: bytes) -> str:
    try:
        point = parse_point(data.decode("utf-8", "replace"))
    except ValueError:
        return REFUSED
    try:
        return format_point(point.measurement, point.tags, point.fields, point.time_ns)
    except ValueError:
        return REFUSED


def _target(data: bytes) -> str:
    return json.dumps(target_facts(load_target(file_of(data, "target.toml"))), sort_keys=True)


def _answer(data: bytes) -> str:
    answer, progress = CountedAnswer(HeadReader(IdentitySettings()).read), AnswerProgress.MORE
    for piece in in_pieces(data):
        if piece and progress is AnswerProgress.MORE:
            progress = answer.feed(piece)
    head = None if progress is AnswerProgress.BROKEN else answer.head
    return progress.name if head is None else f"{progress.name} {head.status} {head.length}"


READERS: Mapping[str, Callable[[bytes], str]] = {
    "haproxy-answer": _haproxy,
    "nginx-status": lambda data: format_point("m", {}, parse_status(data), TIME_NS),
    "ip-line": _address,
    "fifo-line": _notification,
    "line-protocol": _point,
    "target-file": _target,
    "probed-answer": _answer,
}


class JavaReader:
    """Java's reader of the same name, in a process that is begun with the first input."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, data: bytes) -> str:
        if self._process is None:
            command = java_command("io.github.switchover.jmeter.fuzz.ReaderServer", self._name)
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        sent, answered = self._process.stdin, self._process.stdout
        assert sent is not None and answered is not None
        sent.write(struct.pack(">i", len(data)) + data)
        sent.flush()
        (length,) = struct.unpack(">i", answered.read(4))
        return answered.read(length).decode("utf-8")


def same_in_both(name: str) -> Target:
    ours, java_reader = READERS[name], JavaReader(name)

    def read(data: bytes) -> None:
        if not _is_text(data) or (name == "target-file" and any(word in data for word in OF_PYTHON)):
            return
        try:
            here = ours(data)
        except SwitchoverError:
            here = REFUSED
        there = java_reader.read(data)
        if name == "target-file" and REFUSED not in (here, there):
            here, there = _without_file(here), _without_file(there)
        assert here == there, f"Python {here[:300]!r}, Java {there[:300]!r}"

    return Target(read, longest=1024)


def _is_text(data: bytes) -> bool:
    """How many signs of replacement a piece that is no UTF-8 becomes, each language decides for itself."""
    try:
        data[1:].decode("utf-8")
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _without_file(facts: str) -> str:
    values = json.loads(facts)
    values.pop("file", None)
    return json.dumps(values, sort_keys=True)


TARGETS: Mapping[str, Target] = {f"{BOTH}{name}": same_in_both(name) for name in READERS}
