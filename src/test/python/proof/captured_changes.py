"""`python -m proof.captured_changes`: each loss that a series of changes reports, against a packet capture.

A loss is matched by its kind of connection and its time. What only one of the two has is a difference. The answers of
all processes of the balancer, old ones too, are counted against the backends' access logs.
"""

import argparse
import json
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proof.captured_losses import CapturedLoss, Conversation, follow
from proof.hitless import VALID_VERDICTS
from proof.pages import write_between
from proof.results import DOCS, exit_status, run_folder, said
from support.capture import Tcpdump, WallClock
from support.connections import read_rows
from switchover.figures.accounting.log_ledger import ACCESS_LOG
from switchover.lab import addresses
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec
from switchover.model.held_kind import HeldKind
from switchover.rundir.sample_log import HELD_FILE

NAME = "captured_changes"
PAGE = "proof/captured.txt"
CHANGES = 100
EVERY_S = 2.0
NEAR_US = 250_000
"""A busy process notes the sending of a request so long before it leaves, at most."""
NEAR_CLOSE_US = 1_500_000
"""And reads the end of a stream of messages so late; the next change comes later."""
DIFFERENCES = ("only_captured", "only_reported")
STREAMS = ("sse", "websocket", "tcp")
CASES = {"haproxy-reload": "haproxy", "nginx-reload": "nginx"}
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedLoss:
    kind: str
    at_us: int
    sent_us: int | None
    by: str
    place: str
    is_own: bool
    """The load's own fault: it timed out, but had stood still."""
    position: int | None
    """After which byte of the answer."""
    worker: str
    change: int | None


@dataclass(frozen=True, slots=True)
class Pair:
    """One loss as both have it."""

    captured: CapturedLoss
    reported: ReportedLoss
    apart_us: int
    """Between its two times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedSeries:
    """A series of changes, and what a capture beside it says."""

    verdict: dict[str, Any]
    capture: Path
    dropped: int
    conversations: Sequence[Conversation]
    """Of the held connections."""
    reported: Sequence[ReportedLoss]
    pairs: Sequence[Pair]
    only_captured: Sequence[str]
    only_reported: Sequence[str]

    @property
    def lost(self) -> list[CapturedLoss]:
        return [loss for one in self.conversations for loss in one.losses]


def main() -> int:
    parser = argparse.ArgumentParser(prog=f"python -m proof.{NAME}", description=__doc__)
    parser.add_argument("--times", type=int, default=CHANGES, help="changes of each balancer (default %(default)s)")
    parser.add_argument("--only", choices=CASES, help="this change only; the row of the other one stays")
    parser.add_argument("--connections", help="other connections than the usual ones; nothing is kept")
    chosen = parser.parse_args()
    more = ("--connections", chosen.connections) if chosen.connections else ()
    names = [chosen.only] if chosen.only else list(CASES)
    made = run_folder()
    rows = said(captured(name, chosen.times, made / name, *more) for name in names)
    if not chosen.connections:
        keep(rows)
    return exit_status(problem for row in rows for problem in broken(row))


def keep(rows: Sequence[Row]) -> None:
    """In the place of those of the same changes, and in the table of the page."""
    file = DOCS / "proof" / f"{NAME}.json"
    known = {row["change"]: row for row in (*json.loads(file.read_text(encoding="utf-8")), *rows)}
    kept = [known[name] for name in CASES if name in known]
    file.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    write_between(DOCS / PAGE, "captured", as_table(kept))


def captured(name: str, times: int, folder: Path, *options: str) -> dict[str, Any]:
    series = capture_series(name, times, folder, *options)
    lost, verdict = series.lost, series.verdict
    return {
        "change": name,
        "made": verdict["changes"]["made"],
        "verdict": verdict["verdict"],
        "reasons": [reason["text"] for reason in verdict["reasons"]],
        "unaccounted": verdict["accounting"]["unaccounted"],
        "answers": sum(line["client"] for line in verdict["accounting"]["lines"] if line["said_by"] == ACCESS_LOG),
        "capture_dropped": series.dropped,
        "connections": len(series.conversations),
        "closed_politely": sum(one.polite for one in series.conversations),
        "captured": _count(lost),
        "reported": _count([one for one in series.reported if not one.is_own]),
        "own_fault": [f"{one.kind} {one.by}" for one in series.reported if one.is_own],
        "apart_ms": round(max((pair.apart_us for pair in series.pairs), default=0) / 1000, 3),
        "under_way_us": sorted(
            (loss.at_ns - loss.sent_ns) // 1000 for loss in lost if loss.sent_ns and loss.late_ns is None
        ),
        "sent_behind_us": sorted(loss.late_ns // 1000 for loss in lost if loss.late_ns is not None),
        "only_captured": series.only_captured,
        "only_reported": series.only_reported,
    }


def capture_series(name: str, times: int, folder: Path, *options: str) -> CapturedSeries:
    folder.mkdir()
    with Lab(LabSpec(balancer=CASES[name], connections=True)) as lab:
        target = folder / "target.toml"
        target.write_text(_with_kinds_in_paths(lab.target_file.read_text(encoding="utf-8")), encoding="utf-8")
        series_of = ("--times", str(times), "--every", f"{EVERY_S:g}s", "--probe-rate", "150", "--arm", "--json")
        command = [sys.executable, "-m", "switchover", "change", name, "--target", str(target), "--out", str(folder)]
        capture = Tcpdump(lab, addresses.CLIENT, f"tcp and host {addresses.VIP}", folder, "capture", as_lines=False)
        limit_s = 120 + times * EVERY_S * 2
        with WallClock() as clock, capture:
            try:
                done = subprocess.run(
                    lab.exec_argv("client", [*command, *series_of, *options]),
                    capture_output=True,
                    text=True,
                    timeout=limit_s,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                sys.exit(f"{name}: {times} changes were not made within {limit_s:g} s; their run is in {folder}")
    assert done.stdout, done.stderr[-2000:]
    ports = frozenset({80, addresses.H2_PORT})
    followed = follow(capture.segments(), addresses.VIP, ports, addresses.RAW_PORT)
    conversations = [one for one in followed if one.kind in set(HeldKind)]
    reported = list(_reported(next(folder.glob(f"*/{HELD_FILE}"))))
    lost = [loss for one in conversations for loss in one.losses]
    pairs, only_captured, only_reported = _match(lost, reported, clock)
    return CapturedSeries(
        verdict=json.loads(done.stdout),
        capture=capture.file,
        dropped=capture.dropped(),
        conversations=conversations,
        reported=reported,
        pairs=pairs,
        only_captured=only_captured,
        only_reported=only_reported,
    )


def _count(losses: Sequence[CapturedLoss | ReportedLoss]) -> dict[str, int]:
    return dict(Counter(f"{loss.kind} {loss.by}" for loss in losses))


def _with_kinds_in_paths(target: str) -> str:
    """Pooled and idle connections ask for the same otherwise."""
    for kind in ("pooled", "idle"):
        target = target.replace(f'{kind} = "/connections/post"', f'{kind} = "/connections/post/{kind}"')
    return target


def _reported(log: Path) -> Iterator[ReportedLoss]:
    for row in read_rows(log):
        is_own = row["error"] == "generator"
        if row["success"] == "false" and (row["ended_by"] or not is_own):
            by = row["ended_by"] or row["error"]
            sent_us = None
            if row["stream"] not in STREAMS:
                sent_us = int(row["start_us"]) + int(row["Connect"]) * 1000
            yield ReportedLoss(
                kind=row["stream"],
                at_us=int(row["end_us"]),
                sent_us=sent_us,
                by=by,
                place=row["threadName"],
                is_own=is_own,
                position=int(row["position"]) if row["position"] else None,
                worker=row["worker"],
                change=int(row["change"]) if row["change"] else None,
            )


def _match(
    captured: Sequence[CapturedLoss], reported: Sequence[ReportedLoss], clock: WallClock
) -> tuple[list[Pair], list[str], list[str]]:
    """Pairs, and what is left over of either side."""
    left, pairs, only_captured = list(reported), [], []
    for loss in captured:
        at_us = clock.without_steps_us(loss.at_ns // 1000)
        sent_us = clock.without_steps_us(loss.sent_ns // 1000) if loss.sent_ns else None
        apart = [
            (abs(one.at_us - at_us if sent_us is None or one.sent_us is None else one.sent_us - sent_us), place)
            for place, one in enumerate(left)
            if (one.kind, one.sent_us is None) == (loss.kind, sent_us is None)
        ]
        nearest_us, place = min(apart, default=(NEAR_CLOSE_US, 0))
        if nearest_us >= (NEAR_CLOSE_US if sent_us is None else NEAR_US):
            only_captured.append(f"{loss.kind} {loss.by} at {at_us}, port {loss.port}, late {loss.late_ns}")
            continue
        pairs.append(Pair(loss, left.pop(place), nearest_us))
    return pairs, only_captured, [f"{one.kind} {one.by} at {one.at_us}, {one.place}" for one in left]


def broken(row: Row) -> Iterator[str]:
    if row["verdict"] not in VALID_VERDICTS:
        yield f"{row['change']}: {row['verdict']}: {'; '.join(row['reasons'])}"
    if row["unaccounted"] != 0:
        yield f"{row['change']}: {row['unaccounted']} of {row['answers']:,} answers are unaccounted"
    for place in DIFFERENCES:
        for loss in row[place]:
            yield f"{row['change']}: {place.replace('_', ' ')}: {loss}"
    if row["capture_dropped"]:
        yield f"{row['change']}: the capture dropped {row['capture_dropped']} packets"


def as_table(rows: Sequence[Row]) -> str:
    lines = [
        "| change | made, verdict | connections; closed with nothing under way | lost in the capture | reported "
        "| own fault | differences | had been under way | sent behind the FIN | unaccounted answers |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = (
            f"`{row['change']}`",
            f"{row['made']}, {row['verdict']}",
            f"{row['connections']:,}; {row['closed_politely']:,}",
            *(_counts(Counter(row[name])) for name in ("captured", "reported", "own_fault")),
            f"{sum(len(row[place]) for place in DIFFERENCES)}",
            *(_spread(row[name]) for name in ("under_way_us", "sent_behind_us")),
            "not kept" if row["unaccounted"] is None else f"{row['unaccounted']} of {row['answers']:,}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _spread(times_us: Sequence[int]) -> str:
    if not times_us:
        return "none"
    shortest, middle, longest = (
        f"{value / 1000:,.2f}" for value in (min(times_us), statistics.median(times_us), max(times_us))
    )
    return f"{shortest} to {longest} ms, median {middle}"


def _counts(found: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(found.items())) or "0"


if __name__ == "__main__":
    sys.exit(main())
