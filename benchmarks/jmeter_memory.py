"""What a JMeter holds while it records millions of samples: its heap after a full collection, resident memory."""

import re
import subprocess
import tempfile
import time
from pathlib import Path

from jmeter_contestants import JMeterPlayer, Stage, said, start_jmeter
from jmeter_plan import http, listener, plan, target, users, who_answered
from tables import quote

MILLION = 1_000_000
PROBE_RATE = 100.0
GROWTH_LIMIT_MB = 2.0
"""From the first million to the last; less is what caches and classes vary by."""
PATIENCE_S = 600.0
"""For a million samples."""


def measure_memory(stage: Stage, millions: int) -> int:
    """1 if it holds more at the end than at the first million."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        directory = Path(name)
        file, out = str(stage.balancer.target_file), str(directory / "runs")
        load = users(stage.users, http(stage.url, who_answered()))
        recorded = plan([load], [target(file, out, PROBE_RATE), listener()])
        process = start_jmeter(recorded, directory, ["-l", "result.jtl"])
        player = JMeterPlayer(process, stage, directory)
        try:
            lines, heaps = [], []
            for wanted in range(1, millions + 1):
                _await(player, wanted * MILLION, directory)
                heaps.append(_live_heap_mb(process.pid))
                lines.append(f"| {wanted} | {heaps[-1]:.1f} | {_resident_mb(process.pid):.0f} |")
                print(lines[-1], flush=True)
        finally:
            player.end()
    growth = heaps[-1] - heaps[0]
    table = "\n".join(("| million samples | live heap MB | resident MB |", "|---|---|---|", *lines)) + "\n"
    verdict = (
        f"\nThe live heap grew by {growth:.1f} MB. The benchmark fails above {GROWTH_LIMIT_MB:g} MB of growth.\n"
    )
    print(verdict)
    quote(table + verdict, "jmeter.py --memory")
    return int(growth > GROWTH_LIMIT_MB)


def _await(player: JMeterPlayer, samples: int, directory: Path) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while player.reading().requests < samples:
        if time.monotonic() > give_up or player.process.poll() is not None:
            raise SystemExit(f"there are no {samples:,} samples: {said(directory)}")
        time.sleep(0.5)


def _live_heap_mb(pid: int) -> float:
    """Of all objects in use, counted while everything stands still: a second later there are 100 MB of garbage."""
    histogram = _jcmd(pid, "GC.class_histogram")
    found = re.search(r"^Total +\d+ +(\d+)", histogram, re.MULTILINE)
    if not found:
        raise SystemExit("jcmd does not tell what is in use")
    return int(found[1]) / 1024**2


def _jcmd(pid: int, command: str) -> str:
    return subprocess.run(["jcmd", str(pid), command], capture_output=True, text=True, check=True).stdout


def _resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024
