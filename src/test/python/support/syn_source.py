"""The source of an outage that knows no client: SYNs from another host, and what the balancers' kernels say to them.

A kernel answers a SYN while somebody listens on the port of an address that it holds, and only then. So the time in
which no SYN is answered is the time in which no new connection could be made, to an interval of the SYNs. Nothing is
shared with the probes: not the host, the process, the code, the sockets, the time-outs, nor what counts as an answer.
The network between and the kernels' clock are.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from support.capture import START_WITHIN_S, HasHosts, Tcpdump, WallClock
from support.pcap import Flag

HOST, SOURCE = "web1", "198.18.0.21"
RATE = 10_000
CAPTURE = "syns"
ALONE = 3
"""A SYN or two without an answer, between answered ones, were lost on the way: a queue was full."""


@dataclass(frozen=True, slots=True)
class Syn:
    at_us: int
    """When it left, on a clock that is never set."""
    answered: bool


@dataclass(frozen=True, slots=True)
class Away:
    """When no SYN was answered: it began between two SYNs, and ended between two."""

    last_good_us: int
    first_bad_us: int
    last_bad_us: int
    first_good_us: int


class SynSource:
    """From `with` to its end; then `away` tells."""

    def __init__(self, lab: HasHosts, vip: str, port: int, directory: Path, seconds: int) -> None:
        """`seconds`: when the prober ends by itself, whatever becomes of its parent."""
        self._argv = lab.exec_argv(
            HOST, [sys.executable, "-m", "support.syn_prober", vip, str(port), SOURCE, str(RATE), str(seconds)]
        )
        ports = "portrange 20000-59999"
        packets = f"tcp and host {vip} and port {port} and {ports}"
        self._capture = Tcpdump(lab, HOST, packets, directory, CAPTURE, as_lines=False)
        self._wall_clock = WallClock()
        self._running = ExitStack()

    def __enter__(self) -> "SynSource":
        with ExitStack() as started:
            started.enter_context(self._capture)
            started.enter_context(self._wall_clock)
            prober = subprocess.Popen(self._argv, stdin=subprocess.DEVNULL, cwd=Path(__file__).parents[1])
            started.callback(_end, prober)
            self._running = started.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def dropped(self) -> int:
        return self._capture.dropped()

    def syns(self) -> list[Syn]:
        """In the order in which they left."""
        sent: dict[int, int] = {}
        answered: set[int] = set()
        for segment in self._capture.segments():
            if Flag.SYN in segment.flags and Flag.ACK in segment.flags:
                answered.add(segment.acknowledged - 1)
            elif Flag.SYN in segment.flags:
                sent[segment.sequence] = self._wall_clock.without_steps_us(segment.at_ns // 1000)
        return [Syn(at_us, number in answered) for number, at_us in sent.items()]


def away(syns: Sequence[Syn], from_us: int, until_us: int) -> Away | None:
    """The time without answers that began between two moments, with all its parts; None: each was answered."""
    parts = [part for part in _parts(syns) if from_us <= part.first_bad_us < until_us]
    if not parts:
        return None
    return Away(parts[0].last_good_us, parts[0].first_bad_us, parts[-1].last_bad_us, parts[-1].first_good_us)


def _parts(syns: Sequence[Syn]) -> Iterator[Away]:
    """Each series of SYNs without an answer, between two that had one."""
    last_good: Syn | None = None
    series: list[Syn] = []
    for syn in syns:
        if not syn.answered:
            series.append(syn)
            continue
        if last_good is not None and len(series) >= ALONE:
            yield Away(last_good.at_us, series[0].at_us, series[-1].at_us, syn.at_us)
        last_good, series = syn, []


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(timeout=START_WITHIN_S)
