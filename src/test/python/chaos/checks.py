"""What must be true of a drill, whatever happened to it."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from chaos.scene import Scene, command_line
from support.capture import LENGTH_BOUND_MS, Answer, Capture, silence_ms
from support.hand_made_pair import await_well, holds_the_address, runs_on
from support.remains import marked
from switchover.figures.probes import HELD_UP_US
from switchover.lab import addresses
from switchover.lab.lab import Lab

OWN_CODES = frozenset({0, 1, 2, 130, 143})
"""What a drill may end with, if it was not killed: its word's code, or interrupted by a signal."""
INSIDE = re.compile(r"Traceback \(most recent call last\)|internal error|AssertionError|Segmentation fault")
GONE_WITHIN_S = 20.0
"""A child notices within seconds that its parent has ended; a shipper waits for its database for a while."""
WELL_WITHIN_S = 45.0
"""A heal is tried for half a minute where it fails; then an election, and a gratuitous ARP."""
REPORT_S = 600.0
"""Of 10,000 names it takes 12 s of a processor, which a busy machine gives in minutes."""
LATE_MS = 1000.0
"""Where nothing was away, two answers may be further apart than their requests, by what an answer may take."""
READ_MS = HELD_UP_US / 1000
"""So much later than the first a prober that is on time may have read the last good answer (measurement.md)."""
EDGE_US = 1_000
"""So far within a gap a period between two answers must reach to be of it: its ends are answers themselves."""


def problems(scene: Scene, capture: Capture) -> Iterator[str]:
    """Of a drill that has ended, with everything mended that its misfortunes had broken."""
    yield from _not_restored(scene.lab)
    yield from _left_running(scene)
    yield from _left_elsewhere(scene)
    yield from _ended_badly(scene)
    for run in scene.runs:
        yield from _report_fails(run)
        yield from _wrong(run, capture)
        if not scene.others_ask:
            yield from accused(run)


def _not_restored(lab: Lab) -> Iterator[str]:
    give_up = time.monotonic() + WELL_WITHIN_S
    while not _is_whole(lab):
        if time.monotonic() > give_up:
            yield f"the pair is not restored {WELL_WITHIN_S:g} s after the end"
            for host in addresses.balancers():
                for service in ("haproxy", "keepalived"):
                    lab.service(host.name, service, "thaw")
                    lab.service(host.name, service, "start")
            await_well(lab)
            return
        time.sleep(0.2)


def _is_whole(lab: Lab) -> bool:
    victim, backup = addresses.BALANCERS
    return (
        runs_on(lab, victim)
        and runs_on(lab, backup)
        and holds_the_address(lab, victim)
        and not holds_the_address(lab, backup)
    )


def _left_running(scene: Scene) -> Iterator[str]:
    give_up = time.monotonic() + GONE_WITHIN_S
    while (left := marked(scene.folder)) and time.monotonic() < give_up:
        time.sleep(0.1)
    for pid in left:
        yield f"still running {GONE_WITHIN_S:g} s later: {command_line(pid)[:200]}"
        os.kill(pid, signal.SIGKILL)


def _left_elsewhere(scene: Scene) -> Iterator[str]:
    for folder in scene.elsewhere:
        found = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        if found:
            yield f"left outside of the run directory, in {folder.name}: {', '.join(found[:5])}"


def _ended_badly(scene: Scene) -> Iterator[str]:
    for runner in scene.runners:
        code = runner.returncode
        if code not in OWN_CODES and not scene.was_ended:
            yield f"ended with {code}"
    if found := INSIDE.search(scene.said()):
        yield f"said {found[0]!r}"


def _report_fails(run: Path) -> Iterator[str]:
    """A report can be made of whatever there is, or says in a line why not; and what it says holds."""
    done = _switchover("report", str(run))
    if done.returncode not in (0, 1, 2) or INSIDE.search(done.stdout + done.stderr):
        yield f"report ended with {done.returncode}: {done.stderr[-300:]}"
        return
    if not (run / "verdict.json").exists():
        if done.returncode != 2 or len(done.stderr.strip().splitlines()) != 1:
            yield f"report made no verdict, ended with {done.returncode} and said {done.stderr[-300:]!r}"
        return
    verified = _switchover("verify", str(run))
    valid = _verdict(run)["exit_code"] != 2
    if verified.returncode not in (0, 1) or (verified.returncode == 1 and valid):
        yield f"verify ended with {verified.returncode}: {(verified.stdout + verified.stderr)[-300:]}"


def _wrong(run: Path, capture: Capture) -> Iterator[str]:
    """A figure that is trusted and that the capture refutes."""
    if not (run / "verdict.json").exists() or capture.dropped():
        return
    verdict = _verdict(run)
    if verdict["exit_code"] == 2:
        return
    facts = json.loads((run / "run.json").read_text(encoding="utf-8"))
    plan, answers = facts["plan"], capture.answers()
    if plan["fired_from_us"] is not None and verdict["outage"] is not None:
        yield from refuted(verdict["outage"], answers)
        yield from unseen(verdict["outage"], answers, plan["fired_from_us"], plan["heal_from_us"] or plan["end_us"])


def refuted(outage: Mapping[str, Any], answers: Sequence[Answer]) -> Iterator[str]:
    """Gaps of an outage that the capture shows to have been shorter or longer. It sees good answers, by their status:
    one that came late is among them, and a gap with such ones is only known not to have been longer. The last gap of
    an outage without an end may have lasted for any time."""
    if not outage["gaps"]:
        return
    width_ms = (outage["to_us"] - outage["from_us"]) / 1000 - outage["low_ms"]
    for gap in outage["gaps"]:
        has_end = outage["high_ms"] is not None or gap["to_us"] < outage["to_us"]
        high_ms = gap["duration_ms"] if has_end else math.inf
        low_ms = 0.0 if gap["late"] else max(0.0, gap["duration_ms"] - width_ms)
        seen_ms = silence_ms(answers, gap["from_us"] + EDGE_US, gap["to_us"] - EDGE_US)
        if seen_ms is not None and not low_ms - LENGTH_BOUND_MS <= seen_ms <= high_ms + READ_MS + LENGTH_BOUND_MS:
            yield f"a gap of {low_ms:.3f} to {high_ms:.3f} ms: nothing good came for {seen_ms:.3f} ms by the capture"


def unseen(outage: Mapping[str, Any], answers: Sequence[Answer], from_us: int, to_us: int) -> Iterator[str]:
    """Silences between the fault and its heal that are no gap of the outage."""
    good = [answer.at_us for answer in answers if answer.is_good and from_us <= answer.at_us <= to_us]
    gaps = [*outage["gaps"], *outage["later_gaps"]]
    for before, after in pairwise(good):
        known = any(gap["from_us"] < after and gap["to_us"] > before for gap in gaps)
        if not known and after - before > (outage["detection_limit_ms"] + LATE_MS) * 1000:
            yield f"no gap is where nothing good came for {(after - before) / 1000:.3f} ms by the capture"


def accused(run: Path) -> Iterator[str]:
    """A difference between what the client counted and what the balancers did, which nobody had made."""
    if not (run / "verdict.json").exists():
        return
    verdict = _verdict(run)
    accounting = verdict["accounting"]
    if verdict["exit_code"] != 2 and accounting is not None and accounting["unaccounted"]:
        lines = [line for line in accounting["lines"] if line["unaccounted"]]
        yield f"{accounting['unaccounted']} unaccounted: {json.dumps(lines)[:500]}"


def _verdict(run: Path) -> dict[str, Any]:
    return dict(json.loads((run / "verdict.json").read_text(encoding="utf-8")))


def _switchover(*statuses: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "switchover", *statuses], capture_output=True, text=True, timeout=REPORT_S, check=False
    )
