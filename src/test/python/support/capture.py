"""The second source of an outage and of an election: packet captures, read by tcpdump itself.

tcpdump prints one line for each TCP segment from the virtual address that begins with "HTTP": the head of an
answer. The sender's MAC address tells which balancer sent it.

The kernel stamps packets by the wall clock, which on a virtual machine may be set while a drill runs (229 ms, seen
once); the run's clock goes on evenly. So the capture keeps an account of the wall clock and takes its steps out.
"""

import bisect
import re
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from support.pcap import Segment, read_segments
from switchover.lab import addresses

_PACKET = re.compile(r"(\d+)\.(\d{6}) ((?:[0-9a-f]{2}:){5}[0-9a-f]{2}) > ")
_GOOD = re.compile(r"HTTP: HTTP/1\.[01] [23]\d\d ")
_SEGMENT = re.compile(r" (\S+ > \S+): Flags .* seq (\d+)")
_MAC = re.compile(r"link/ether ((?:[0-9a-f]{2}:){5}[0-9a-f]{2})")
_STARTS_WITH_HTTP = "tcp[((tcp[12:1] & 0xf0) >> 2):4] = 0x48545450"
_ADVERT = "ip proto 112 and ip[((ip[0] & 0xf) << 2) + 2] != 0"
"""VRRP; priority 0 is a master that resigns."""
START_WITHIN_S = 10.0
READ_EVERY_S = 0.02
NARROW_NS = 100_000
"""Readings of the two clocks that lie further apart say nothing."""
STAMP_BOUND_MS = 0.05
"""A stamp without the steps of its clock is right within this: half of the widest pair of readings."""
LENGTH_BOUND_MS = 2 * STAMP_BOUND_MS
"""Of the time between two stamps."""


class HasHosts(Protocol):
    """A lab, of this process or of another."""

    def exec_argv(self, host: str, argv: Sequence[str]) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Answer:
    at_us: int
    """As the kernel stamped the packet, on a clock that is never set."""
    balancer: str
    is_good: bool
    """By its status."""


@dataclass(frozen=True, slots=True)
class Handover:
    """The last answer of the old master and the first one of the new master after it."""

    last_us: int
    first_us: int
    old: str
    new: str

    @property
    def gap_ms(self) -> float:
        return (self.first_us - self.last_us) / 1000


class WallClock:
    """How far the wall clock was ahead of the monotonic one, from `with` to its end."""

    def __init__(self) -> None:
        self._readings: list[tuple[int, int]] = []
        """Wall clock and how far it was ahead, in microseconds."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> "WallClock":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def without_steps_us(self, wall_us: int) -> int:
        """A stamp as it would be had the clock not been set since the first reading."""
        place = bisect.bisect_right(self._readings, (wall_us, 0))
        ahead_us = self._readings[min(place, len(self._readings) - 1)][1]
        return wall_us - (ahead_us - self._readings[0][1])

    def of_monotonic_us(self, monotonic_us: int) -> int:
        """A moment of the monotonic clock as this clock has it."""
        return monotonic_us + self._readings[0][1]

    def _read(self) -> None:
        while True:
            before, wall, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
            if after - before < NARROW_NS:
                self._readings.append((wall // 1000, (wall - (before + after) // 2) // 1000))
            if self._ended.wait(READ_EVERY_S) and self._readings:
                return


class Tcpdump:
    """tcpdump on one host of the lab, from `with` to its end; a line for each packet, or all of it as it was."""

    def __init__(
        self, lab: HasHosts, host: str, packets: str, directory: Path, name: str, *, as_lines: bool = True
    ) -> None:
        form = ("-ne", "-tt", "-l", "-S", "-s", "128") if as_lines else ("--time-stamp-precision=nano", "-w", "-")
        self._argv = lab.exec_argv(host, ["tcpdump", "-Z", "root", "-i", "eth0", "-B", "16384", *form, packets])
        self._lines, self._errors = directory / f"{name}.txt", directory / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Tcpdump":
        with self._lines.open("wb") as lines, self._errors.open("wb") as errors:
            self._process = subprocess.Popen(self._argv, stdout=lines, stderr=errors, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + START_WITHIN_S
        while "listening on" not in self._errors.read_text():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"tcpdump did not start: {self._errors.read_text()}")
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait(timeout=START_WITHIN_S)

    def packets(self, clock: WallClock) -> list[tuple[int, str, bool]]:
        """Return the time in microseconds of the clock without its steps, the sender's MAC address, and True if the
        packet begins a good response. Retransmissions are left out: the kernel sends them even if HAProxy is dead."""
        packets: list[tuple[int, str, bool]] = []
        sent: set[tuple[str | None, ...]] = set()
        for line in self._lines.read_text(errors="replace").splitlines():
            if (match := _PACKET.match(line)) is None:
                continue
            segment = _SEGMENT.search(line)
            if segment is None or segment.groups() not in sent:
                at_us = clock.without_steps_us(int(match[1]) * 1_000_000 + int(match[2]))
                packets.append((at_us, match[3], _GOOD.search(line) is not None))
            if segment is not None:
                sent.add(segment.groups())
        return packets

    @property
    def file(self) -> Path:
        """All that it has written."""
        return self._lines

    def segments(self) -> Iterator[Segment]:
        """Of a capture that is not of lines."""
        return read_segments(self._lines)

    def dropped(self) -> int:
        """Packets that the kernel dropped before tcpdump saw them: with any, the capture is no source."""
        match = re.search(r"(\d+) packets dropped by kernel", self._errors.read_text())
        return int(match[1]) if match else 0


class Capture:
    """The answers at the client, and the adverts as each balancer sends them, from `with` to its end."""

    def __init__(self, lab: HasHosts, vip: str, directory: Path) -> None:
        answers = f"src host {vip} and tcp and {_STARTS_WITH_HTTP}"
        self._balancer_of = {_mac(lab, name): name for name in addresses.BALANCERS}
        self._answers = Tcpdump(lab, addresses.CLIENT, answers, directory, "capture")
        self._adverts = {
            name: Tcpdump(lab, name, f"ether src {mac} and {_ADVERT}", directory, f"adverts-{name}")
            for mac, name in self._balancer_of.items()
        }
        self._wall_clock = WallClock()
        self._running = ExitStack()

    def __enter__(self) -> "Capture":
        with ExitStack() as started:
            for tcpdump in (self._answers, *self._adverts.values()):
                started.enter_context(tcpdump)
            started.enter_context(self._wall_clock)
            self._running = started.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def answers(self) -> list[Answer]:
        return [
            Answer(at_us, self._balancer_of.get(mac, mac), is_good)
            for at_us, mac, is_good in self._answers.packets(self._wall_clock)
        ]

    def adverts_us(self, balancer: str) -> list[int]:
        """When it said that it is master."""
        return [at_us for at_us, _, _ in self._adverts[balancer].packets(self._wall_clock)]

    def dropped(self) -> int:
        return sum(tcpdump.dropped() for tcpdump in (self._answers, *self._adverts.values()))


def handover(run: Mapping[str, Any], answers: Iterable[Answer]) -> Handover | None:
    """The one that the fault of this run brought about: from the last answer of the master before another balancer's
    first answer to that first answer. The heal brings another, and a capture may hold other runs."""
    plan, old = run["plan"], run["fault"]["master"]
    until_us = plan["heal_from_us"] or plan["end_us"]
    last = None
    for answer in answers:
        if not plan["start_us"] <= answer.at_us < until_us:
            continue
        if answer.balancer == old:
            last = answer
        elif last is not None:
            return Handover(last.at_us, answer.at_us, old, answer.balancer)
    return None


def silence_ms(answers: Iterable[Answer], from_us: int, to_us: int) -> float | None:
    """The longest time between two good answers, one after the other, that has a part of this period; None where
    none followed."""
    good = [answer.at_us for answer in answers if answer.is_good]
    lengths = [(after - before) / 1000 for before, after in pairwise(good) if after > from_us and before < to_us]
    return max(lengths) if lengths and good[-1] >= to_us else None


def _mac(lab: HasHosts, host: str) -> str:
    shown = subprocess.run(
        lab.exec_argv(host, ["ip", "-o", "link", "show", "eth0"]), capture_output=True, text=True, check=True
    )
    match = _MAC.search(shown.stdout)
    assert match is not None, shown.stdout
    return match[1]
