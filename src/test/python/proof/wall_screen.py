"""`python -m proof.wall_screen`: how soon Drill's wall screen shows an outage while the drill runs beside it.

Every second it asks a real InfluxDB what the board asks: which run is the newest, then the panels that turn red.
Every five seconds, as the open board does, it asks for the whole refresh and notes how long that took. Nothing is
drawn here.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proof.results import exit_status, keep, run_folder, said
from support.grafana import FOLDER, Asked, asked_in_a_refresh, load, panels
from support.influxdb import InfluxDB, influxdb

TOP = Path(__file__).parents[4]
DRILL = load(FOLDER / "grafana" / "switchover-drill.json")
DATABASE = "drills"
FAULTS = ("haproxy-kill", "node-down")
ALLOWED_MS = 10_000
REFRESH_S = 5
RANGE_MS = 300_000
"""The board opens with the last five minutes."""
PATIENCE_S = 300.0
VARIABLES = {"node": ".*", "generator": ".*", "backend": ".*"}


@dataclass
class WallScreen:
    """What the screen would have shown, by when the answer was there (milliseconds since the epoch)."""

    server: InfluxDB
    run_shown: dict[str, int] = field(default_factory=dict)
    share_shown: dict[str, int] = field(default_factory=dict)
    bar_shown: dict[str, int] = field(default_factory=dict)
    refreshes_ms: list[float] = field(default_factory=list)

    def watch(self, over: threading.Event) -> None:
        second = 0
        while not over.wait(1.0):
            self._look()
            if second % REFRESH_S == 0:
                self._refresh()
            second += 1

    def _look(self) -> None:
        run = self._newest_run()
        if run is None:
            return
        self.run_shown.setdefault(run, _now_ms())
        share = self._ask(_query("Failing now"), run)
        if any(value > 0 for one in share for value in one.column(one.columns[-1])):
            self.share_shown.setdefault(run, _now_ms())
        bars = [one for one in self._ask(_query("Probes by balancer"), run) if one.tags["outcome"] == "failed"]
        if any(value > 0 for one in bars for value in one.column(one.columns[-1])):
            self.bar_shown.setdefault(run, _now_ms())

    def _refresh(self) -> None:
        run = self._newest_run() or ""
        started = time.monotonic()
        with ThreadPoolExecutor(6) as pool:
            for answered in [pool.submit(self._ask, text, run) for text in asked_in_a_refresh(DRILL)]:
                answered.result()
        self.refreshes_ms.append(1000 * (time.monotonic() - started))

    def _newest_run(self) -> str | None:
        (asked,) = (one["query"] for one in DRILL["templating"]["list"] if one["name"] == "run")
        found = self._ask(asked, ".*")
        newest = max(found, key=lambda one: one.rows[0][0], default=None)
        return newest.column("run")[0] if newest else None

    def _ask(self, text: str, run: str) -> list[Any]:
        now = _now_ms()
        filled = Asked("wall screen", text).filled(now - RANGE_MS, now, VARIABLES | {"run": run})
        return self.server.query(filled, DATABASE)


def main() -> int:
    rows = said(_drilled(run_folder()))
    keep("wall_screen", rows, "wall_screen", as_table(rows))
    return exit_status(
        f"{row['run']}: an outage was on the screen only after {row['on_screen_at_most_ms']} ms"
        for row in rows
        if row["on_screen_at_most_ms"] is None or row["on_screen_at_most_ms"] > ALLOWED_MS
    )


def _drilled(made: Path) -> Iterator[dict[str, Any]]:
    with influxdb("1.8", made / "influxdb") as server:
        url = server.create(DATABASE)
        screen, over = WallScreen(server), threading.Event()
        watching = threading.Thread(target=screen.watch, args=(over,))
        watching.start()
        try:
            for fault in FAULTS:
                del screen.refreshes_ms[:]
                load_before = os.getloadavg()[0]
                yield _row(_drill(fault, url, made / fault), screen) | {"load_average": round(load_before, 1)}
        finally:
            over.set()
            watching.join()


def _drill(fault: str, url: str, out: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "switchover", "drill", "--fault", fault, "--users", "5", "--probe-rate", "100"]
    subprocess.run([*command, "--influx", url, "--out", str(out)], cwd=TOP, timeout=PATIENCE_S, check=False)
    verdict: dict[str, Any] = json.loads(next(out.glob("*/verdict.json")).read_bytes())
    return verdict


def _row(verdict: dict[str, Any], screen: WallScreen) -> dict[str, Any]:
    """Times since the beginning of the outage; an open board asks at most one refresh later."""
    run, began = verdict["run"], verdict["outage"]["from_us"] // 1000
    shown = {"share": screen.share_shown.get(run), "bar": screen.bar_shown.get(run)}
    after = {name: at - began if at else None for name, at in shown.items()}
    slowest = round(max(screen.refreshes_ms, default=0.0))
    share = after["share"]
    return {
        "run": run,
        "verdict": verdict["verdict"],
        "outage_ms": verdict["outage"]["high_ms"],
        "failing_now_ms": share,
        "red_bar_ms": after["bar"],
        "slowest_refresh_ms": slowest,
        "on_screen_at_most_ms": None if share is None else share + 1000 * REFRESH_S + slowest,
    }


def _query(title: str) -> str:
    """Of a panel of Drill with one query."""
    (text,) = (one["targets"][0]["query"] for one in panels(DRILL) if one["title"] == title)
    return str(text)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def as_table(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        '| run | verdict | load average before | outage (ms) | "Failing now" red after (ms) | red bar after (ms) '
        "| slowest refresh (ms) | on an open board at most after (ms) |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['run']} | {row['verdict']} | {row['load_average']} | {_ms(row['outage_ms'])} "
        f"| {_ms(row['failing_now_ms'])} | {_ms(row['red_bar_ms'])} | {_ms(row['slowest_refresh_ms'])} "
        f"| {_ms(row['on_screen_at_most_ms'])} |"
        for row in rows
    ]
    return "\n".join(lines)


def _ms(value: float | None) -> str:
    return "never" if value is None else f"{value:,.0f}"


if __name__ == "__main__":
    sys.exit(main())
