"""`python -m proof.kept_captures`: captures and probes of drills, cut to both edges of the outage, for others to see.

Of each drill docs/proof/captures/ has every TCP packet between the client and the virtual address in the last moments
before the outage and the first ones behind it (a pcap, for Wireshark or tcpdump), and the probes that ended then.
`make check-claims` takes the outage from both again. Every row goes to docs/proof/captures-quiet.json, or
captures-busy.json, as soon as it is there; what is there is not drilled again.
"""

import csv
import json
import os
import re
import struct
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from proof.coverage import drill_wanted, short_drill
from proof.coverage_rows import BUSY, INVALID, QUIET, Row, read_rows
from proof.results import DOCS, exit_status, option_parser
from support.capture import LENGTH_BOUND_MS, Tcpdump
from support.pcap import FILE_HEAD, RECORD_HEAD, read_segments
from support.sample_rows import read_samples
from switchover.lab import addresses
from switchover.lab.lab import Lab

NAME = "captures"
FAULTS = ("haproxy-kill", "node-down")
DRILLS, FIRST_SEED = 10, 7000
NEAR_NS = 5_000_000
"""What is kept on both sides of an edge."""
HEAD_BYTES = 460
"""Of a packet: its headers, and those of an answer."""
BALANCER = re.compile(rb"\r\nx-balancer: *(\w+)\r\n", re.IGNORECASE)
PROBE = ("after_kill_us", "lasted_us", "success", "error", "balancer")


def main() -> int:
    parser = option_parser("proof.kept_captures", __doc__)
    parser.add_argument("--drills", type=int, default=DRILLS, metavar="N", help="of each fault (default %(default)s)")
    parser.add_argument("--busy", action="store_true", help="the machine does other work meanwhile; the rows say so")
    arguments = parser.parse_args()
    machine = BUSY if arguments.busy else QUIET
    wanted = [(fault, FIRST_SEED + number) for number in range(1, arguments.drills + 1) for fault in FAULTS]
    drill_wanted(NAME, wanted, machine, partial(_drill, machine=machine), shown)
    return exit_status(differences())


def _drill(lab: Lab, fault: str, seed: int, folder: Path, machine: str) -> Row:
    capture = Tcpdump(lab, addresses.CLIENT, f"tcp and host {addresses.VIP}", folder, "raw", as_lines=False)
    with capture:
        exit_code, directory = short_drill(lab, fault, seed, folder)
    run = json.loads((directory / "run.json").read_text(encoding="utf-8"))
    verdict = json.loads((directory / "verdict.json").read_text(encoding="utf-8"))
    raw, plan = folder / "raw.txt", run["plan"]
    last_ns, first_ns = handover_ns(raw, run["fault"]["master"], plan["heal_from_us"] * 1000)
    pcap = file_of(fault, machine, seed, "pcap")
    pcap.parent.mkdir(exist_ok=True)
    pcap.write_bytes(cut(raw.read_bytes(), (last_ns, first_ns)))
    _keep_probes(directory, verdict["outage"], plan["fired_from_us"], file_of(fault, machine, seed, "csv"))
    return {
        "fault": fault,
        "load": machine,
        "seed": seed,
        "exit_code": exit_code,
        "verdict": verdict["verdict"],
        "master": run["fault"]["master"],
        "capture_ms": (first_ns - last_ns) / 1e6,
        "capture_dropped": capture.dropped(),
        "low_ms": verdict["outage"]["low_ms"],
        "high_ms": verdict["outage"]["high_ms"],
        "load_average": round(os.getloadavg()[0], 1),
    }


def file_of(fault: str, machine: str, seed: int, kind: str) -> Path:
    return DOCS / "proof" / NAME / f"{fault}-{machine}-{seed}.{kind}"


def handover_ns(path: Path, master: str, until_ns: int | None = None) -> tuple[int, int]:
    """When the old master's last answer came, and the first one of another balancer behind it."""
    last = None
    for segment in read_segments(path):
        found = BALANCER.search(segment.data) if segment.data.startswith(b"HTTP") else None
        if found is None or (until_ns is not None and segment.at_ns > until_ns):
            continue
        if found[1].decode() == master:
            last = segment.at_ns
        elif last is not None:
            return last, segment.at_ns
    raise AssertionError(f"{path} has no handover from {master}")


def cut(capture: bytes, edges_ns: Sequence[int]) -> bytes:
    """The packets near the edges, without their bodies."""
    kept, place = bytearray(capture[:FILE_HEAD]), FILE_HEAD
    while place + RECORD_HEAD <= len(capture):
        seconds, nanoseconds, length, whole = struct.unpack_from("<IIII", capture, place)
        packet = capture[place + RECORD_HEAD : place + RECORD_HEAD + min(length, HEAD_BYTES)]
        at_ns = seconds * 1_000_000_000 + nanoseconds
        if any(abs(at_ns - edge) <= NEAR_NS for edge in edges_ns):
            kept += struct.pack("<IIII", seconds, nanoseconds, len(packet), whole) + packet
        place += RECORD_HEAD + length
    return bytes(kept)


def _keep_probes(directory: Path, outage: dict[str, Any], fired_us: int, path: Path) -> None:
    near_us = NEAR_NS // 1000
    edges_us = (outage["from_us"], outage["to_us"])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(PROBE)
        for probe in sorted(read_samples(directory / "probes.jtl"), key=lambda one: one.end_us):
            if any(abs(probe.end_us - edge) <= near_us for edge in edges_us):
                begun, lasted = probe.start_us - fired_us, probe.end_us - probe.start_us
                writer.writerow((begun, lasted, int(probe.success), probe.error or "", probe.identity.balancer))


def probes_have(path: Path, outage_ms: float) -> bool:
    """Whether two good probes ended so far apart, of those that are kept: answers may overtake one another."""
    with path.open(encoding="utf-8", newline="") as file:
        ends = [
            int(row["after_kill_us"]) + int(row["lasted_us"]) for row in csv.DictReader(file) if row["success"] == "1"
        ]
    return any(round((after - before) / 1000, 3) == outage_ms for before in ends for after in ends)


def differences() -> Iterator[str]:
    """Kept captures and probes that do not give the outage of their row, and rows that do not agree."""
    for row in read_rows(NAME):
        drill = (row["fault"], row["load"], row["seed"])
        name = f"docs/proof/{NAME}/{'-'.join(map(str, drill))}"
        last_ns, first_ns = handover_ns(file_of(*drill, "pcap"), row["master"])
        if (first_ns - last_ns) / 1e6 != row["capture_ms"]:
            yield f"{name}.pcap gives another outage than its row"
        if row["high_ms"] is None:  # not back before the heal: no interval is claimed
            continue
        if not probes_have(file_of(*drill, "csv"), row["high_ms"]):
            yield f"{name}.csv gives another outage than its row"
        inside = row["low_ms"] - LENGTH_BOUND_MS <= row["capture_ms"] <= row["high_ms"] + LENGTH_BOUND_MS
        if row["verdict"] != INVALID and not inside:
            yield f"{shown(row)}: not inside"


def shown(row: Row) -> str:
    return (
        f"{row['fault']} seed {row['seed']}: {row['verdict']}, capture {row['capture_ms']:.3f} ms, "
        f"printed {row['low_ms']} to {row['high_ms']} ms"
    )


if __name__ == "__main__":
    sys.exit(main())
