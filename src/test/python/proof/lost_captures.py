"""`python -m proof.lost_captures`: ten losses of reloads, each with the packets of its connection, for others to see.

Reloads of HAProxy and of Nginx with their defaults are made beside a capture until five losses of each are there. Of
each loss docs/proof/losses/ has the packets of its connection around it (a pcap, for Wireshark or tcpdump), and
docs/proof/lost_captures.json a row. `make check-claims` reads each loss from its packets again.
"""

import json
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from proof.captured_changes import PAGE, CapturedSeries, Pair, capture_series
from proof.captured_losses import By
from proof.pages import write_between
from proof.results import DOCS, exit_status, option_parser, run_folder
from support.pcap import ETHERNET, FILE_HEAD, RECORD_HEAD, Flag, Segment, read_segment, read_segments
from switchover.lab import addresses

NAME = "lost_captures"
CASES = ("haproxy-reload", "nginx-reload")
LOSSES, CHANGES, PIECES = 5, 20, 5
"""Of each balancer; changes of one series, and how many series are made at most."""
CONNECTIONS = "pooled=100,idle=200"
BEFORE_NS, BEHIND_NS = 150_000_000, 100_000_000
"""What is kept before the request was sent, and behind the end of its connection."""
PACKETS = 60
"""Of a connection, the last ones: some kB."""
Row = Mapping[str, Any]


def main() -> int:
    option_parser(f"proof.{NAME}", __doc__).parse_args()
    folder, rows = run_folder(), []
    for name in CASES:
        found: list[Row] = []
        for piece in range(1, PIECES + 1):
            if len(found) < LOSSES:
                series = capture_series(name, CHANGES, folder / f"{name}-{piece}", "--connections", CONNECTIONS)
                found += _keep(name, series, len(found))
                print(f"{name}: {len(found)} losses after {piece * CHANGES} changes", flush=True)
        rows += found
    (DOCS / "proof" / f"{NAME}.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    write_between(DOCS / PAGE, "losses", as_table(rows))
    return exit_status(differences())


def _keep(name: str, series: CapturedSeries, known: int) -> Iterator[Row]:
    """A row, and a file, for each loss of the series that both the capture and the report have, as far as wanted."""
    begun = {change["number"]: change["from_us"] for change in series.verdict["changes"]["by_change"]}
    pairs = [pair for pair in series.pairs if pair.captured.sent_ns is not None and pair.reported.change in begun]
    for number, pair in enumerate(pairs[: LOSSES - known], known + 1):
        path = file_of(name, number)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(cut_connection(series.capture.read_bytes(), pair))
        yield {
            "change": name,
            "number": number,
            "kind": pair.captured.kind,
            "ended_by": pair.captured.by.value,
            "position": pair.reported.position,
            "worker": pair.reported.worker,
            "after_change_ms": round((pair.reported.at_us - begun[pair.reported.change]) / 1000, 3),
            "under_way_ms": under_way_ms(path),
        }


def file_of(change: str, number: int) -> Path:
    return DOCS / "proof" / "losses" / f"{change}-{number}.pcap"


def cut_connection(capture: bytes, pair: Pair) -> bytes:
    """The packets of one connection around its loss, of a file of tcpdump."""
    loss = pair.captured
    sent_ns, ended_ns = loss.sent_ns or loss.at_ns, loss.at_ns
    records, place = [], FILE_HEAD
    while place + RECORD_HEAD <= len(capture):
        seconds, nanoseconds, length, _ = struct.unpack_from("<IIII", capture, place)
        at_ns = seconds * 1_000_000_000 + nanoseconds
        record = capture[place : place + RECORD_HEAD + length]
        if min(sent_ns, ended_ns) - BEFORE_NS <= at_ns <= max(sent_ns, ended_ns) + BEHIND_NS:
            segment = read_segment(at_ns, record[RECORD_HEAD + ETHERNET :])
            if segment is not None and loss.port in (segment.source[1], segment.destination[1]):
                records.append(record)
        place += RECORD_HEAD + length
    return capture[:FILE_HEAD] + b"".join(records[-PACKETS:])


def under_way_ms(path: Path) -> float:
    """How long the last request of a connection had been under way when FIN or RST came; below 0: it was sent so long
    behind it."""
    sent, ended = _last(path)
    return round((ended.at_ns - sent.at_ns) / 1e6, 3)


def ended_by(path: Path) -> By:
    return By.RST if Flag.RST in _last(path)[1].flags else By.FIN


def _last(path: Path) -> tuple[Segment, Segment]:
    """The request that was lost, and what ended its connection."""
    segments = list(read_segments(path))
    is_ours = [one.destination[0] == addresses.VIP for one in segments]
    ended = next(at for at, one in enumerate(segments) if not is_ours[at] and one.flags & (Flag.FIN | Flag.RST))
    answered = max((at for at in range(ended) if not is_ours[at] and segments[at].data), default=-1)
    asked = next(at for at, one in enumerate(segments) if is_ours[at] and one.data and at > answered)
    return segments[asked], segments[ended]


def differences() -> Iterator[str]:
    """Captures that say something else than their row."""
    for row in json.loads((DOCS / "proof" / f"{NAME}.json").read_text(encoding="utf-8")):
        path = file_of(row["change"], row["number"])
        if (under_way_ms(path), ended_by(path)) != (row["under_way_ms"], row["ended_by"]):
            yield f"{path.relative_to(DOCS)} has another loss than its row"


def as_table(rows: Sequence[Row]) -> str:
    lines = [
        "| packets | kind | ended by | byte | worker | after the change's command | the request had been under way |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        name = file_of(row["change"], row["number"]).name
        cells = (
            f"losses/{name}",
            row["kind"],
            row["ended_by"].upper(),
            f"{row['position']}",
            row["worker"],
            f"{row['after_change_ms']:,.1f} ms",
            f"{row['under_way_ms']:.3f} ms",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
