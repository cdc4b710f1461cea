"""`make hitless`: what each change of each balancer costs each kind of connection, in docs/proof/hitless.csv.

A case is done with 300 changes, or when 20 lossy ones were seen. Changes that are in the file are not made again, so
the program may be ended and started as often as need be: `--minutes` bounds one go.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proof.pages import write_between
from proof.results import DOCS, run_folder, software_of
from switchover.model.held_kind import HeldKind
from switchover.model.statistics import proportion_bounds

PAGE = "hitless"
FILE = DOCS / "proof" / f"{PAGE}.csv"
CHANGES, LOSSY = 300, 20
FIRST_PIECE, PIECE, SHORTEST_PIECE = 25, 100, 10
"""Changes of one series. What each change loses shows in a short one."""
AROUND_S = 45.0
"""Lab, baseline, the time after the last change, and the report."""
PROBE_RATE = 150
CONFIDENCE = 0.95
FRESH = "fresh"
KINDS = (FRESH, *HeldKind)
LASTING = frozenset({HeldKind.SSE, HeldKind.WEBSOCKET, HeldKind.TCP})
COLUMNS = (
    "case",
    "software",
    "load_average",
    "series",
    "verdict",
    "change",
    f"{FRESH}_open",
    f"{FRESH}_lost",
    *(f"{kind}_{what}" for kind in HeldKind for what in ("open", "lost", "closed")),
)
VALID_VERDICTS = ("MEASURED", "PASSED", "FAILED")
Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """A change in a lab, and how its options are typed."""

    change: str
    balancer: str = "haproxy"
    options: tuple[str, ...] = ()
    every_s: float = 2.0

    @property
    def statuses(self) -> tuple[str, ...]:
        """As a user types them."""
        balancer = () if self.balancer == "haproxy" else ("--balancer", self.balancer)
        return (self.change, *balancer, *self.options)

    @property
    def name(self) -> str:
        return " ".join(self.statuses)


CASES = (
    Case("haproxy-reload"),
    Case("haproxy-reload", options=("--idle-close-on-response",)),
    Case("haproxy-reload", options=("--hard-stop-after", "3s"), every_s=5.0),
    Case("haproxy-reload", options=("--no-expose-fd",)),
    Case("nginx-reload", "nginx"),
    Case("nginx-reload", "nginx", ("--hard-stop-after", "3s"), every_s=5.0),
    Case("caddy-reload", "caddy"),
    Case("traefik-swap", "traefik"),
    Case("envoy-listener", "envoy"),
    Case("envoy-listener", "envoy", ("--hard-stop-after", "3s"), every_s=5.0),
    Case("certificate-swap", options=("--mode", "https"), every_s=5.0),
    Case("backend-swap", every_s=5.0),
    Case("server-drain"),
    Case("priority-move", every_s=12.0),
)

README_CASES = tuple(case for case in CASES if case.options in ((), ("--idle-close-on-response",)))[:6]
"""Each balancer with its defaults, and the line that makes HAProxy hitless."""
KINDS_BY_COLUMN: Mapping[str, Sequence[str]] = {
    "fresh": (FRESH,),
    "pooled": (HeldKind.POOLED,),
    "idle": (HeldKind.IDLE,),
    "downloads, uploads": (HeldKind.DOWNLOAD, HeldKind.UPLOAD),
    "WebSockets": (HeldKind.WEBSOCKET,),
    "events, TCP": (HeldKind.SSE, HeldKind.TCP),
    "HTTP/2": (HeldKind.H2,),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog=f"python -m proof.{PAGE}", description=__doc__)
    parser.add_argument(
        "--minutes", type=float, default=180.0, help="begin nothing that would end later (default 180)"
    )
    parser.add_argument("--only", action="append", metavar="CASE", help="'haproxy-reload --hard-stop-after 3s', say")
    parser.add_argument("--pages-only", action="store_true", help="only make the table again")
    chosen = parser.parse_args()
    ends = time.monotonic() + (0 if chosen.pages_only else chosen.minutes * 60)
    open_cases = [case for case in CASES if not chosen.only or case.name in chosen.only]
    folder = None if chosen.pages_only else run_folder()
    while folder is not None and open_cases:  # in turns, so that each case has some early
        known = read_rows()
        open_cases.sort(key=lambda case: (len(valid(case, known)), case.every_s))
        open_cases = [case for case in open_cases if make_piece(case, ends, folder)]
    write_between(DOCS / "hitless.md", PAGE, as_table(read_rows()))
    write_between(DOCS.parent / "README.md", PAGE, as_short_table(read_rows()))
    return 0


def next_piece(case: Case, rows: Sequence[Row], left_s: float) -> int:
    """How many changes are to be made next; 0: the case is done, or no time is left."""
    made = valid(case, rows)
    if len(made) >= CHANGES or sum(map(is_lossy, made)) >= LOSSY:
        return 0
    fitting = int((left_s - AROUND_S) / (case.every_s * 1.2))
    times = min(CHANGES - len(made), PIECE if made else FIRST_PIECE, fitting)
    return times if times >= min(SHORTEST_PIECE, CHANGES - len(made)) else 0


def make_piece(case: Case, ends: float, folder: Path) -> bool:
    """Make a series and keep its rows. False: there is no other to make, or it said nothing of the change."""
    times = next_piece(case, read_rows(), ends - time.monotonic())
    if not times:
        return False
    series = 1 + max((int(row["series"]) for row in read_rows() if row["case"] == case.name), default=0)
    out = folder / f"{case.name.replace(' ', '_')}-{series}"
    load = os.getloadavg()[0]
    verdict = make_series(case, times, out)
    if verdict is None:
        return False
    said = {"software": software_of(case.balancer), "load_average": f"{load:.2f}"}
    found = [{**said, **row} for row in change_rows(case, series, verdict, next(out.iterdir()))]
    keep([*read_rows(), *found])
    lossy = sum(map(is_lossy, found))
    print(f"{case.name}: {len(found)} changes, {lossy} lossy, {verdict['verdict']}", flush=True)
    return verdict["verdict"] in VALID_VERDICTS


def make_series(case: Case, times: int, out: Path) -> dict[str, Any] | None:
    """Its verdict, and what was wrong with it on the screen."""
    series_of = ("--times", str(times), "--every", f"{case.every_s:g}s", "--probe-rate", str(PROBE_RATE))
    command = [sys.executable, "-m", "switchover", "change", *case.statuses, *series_of, "--json", "--out", str(out)]
    limit_s = 120 + times * case.every_s * 3
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=False)
    if not done.stdout.startswith("{"):
        print(f"{case.name}: {done.stderr.strip()[-500:]}", flush=True)
        return None
    verdict: dict[str, Any] = json.loads(done.stdout)
    for reason in verdict["reasons"]:
        print(f"{case.name}: {reason['text']}", flush=True)
    return verdict


def change_rows(case: Case, series: int, verdict: Mapping[str, Any], run: Path) -> Iterator[Row]:
    """A row for each change. Fresh requests are those from its beginning to that of the next one."""
    planned = json.loads((run / "run.json").read_text(encoding="utf-8"))["plan"]["changes"]
    exposed = {change["number"]: change["exposed"] for change in planned}
    made = verdict.get("changes", {}).get("by_change", [])
    fresh = _fresh_of(run / "probes.jtl", [change["from_us"] for change in made])
    for place, change in enumerate(made):
        row = {"case": case.name, "series": series, "verdict": verdict["verdict"]}
        row |= {"change": change["number"], f"{FRESH}_open": fresh[place][0], f"{FRESH}_lost": fresh[place][1]}
        for kind in HeldKind:
            row[f"{kind}_open"] = exposed[change["number"]].get(kind, "")
            felt = change["felt"].get(kind, {})
            for what, name in (("lost", "lost"), ("closed", "closed_politely")):
                row[f"{kind}_{what}"] = felt.get(name, 0) if row[f"{kind}_open"] != "" else ""
        yield {name: str(value) for name, value in row.items()}


def _fresh_of(log: Path, begun_us: Sequence[int]) -> list[list[int]]:
    """For each change how many fresh requests were made, and how many of them failed."""
    counts = [[0, 0] for _ in begun_us]
    with log.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            place = bisect_right(begun_us, int(row["start_us"])) - 1
            if place >= 0:
                counts[place][0] += 1
                counts[place][1] += row["success"] != "true"
    return counts


def read_rows() -> list[Row]:
    if not FILE.exists():
        return []
    with FILE.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def keep(rows: Sequence[Row]) -> None:
    """All of them, or none: the program may be ended at any time."""
    new = FILE.with_suffix(".new")
    with new.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    new.replace(FILE)


def valid(case: Case, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["case"] == case.name and row["verdict"] in VALID_VERDICTS]


def is_lossy(row: Row) -> bool:
    return any(int(row[f"{kind}_lost"] or 0) for kind in KINDS)


def as_table(rows: Sequence[Row]) -> str:
    heads = ("`switchover change …`", "lossy changes", "at most", *KINDS_BY_COLUMN)
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for case in CASES:
        made = valid(case, rows)
        if made:
            lossy = sum(map(is_lossy, made))
            _, high = proportion_bounds(lossy, len(made), CONFIDENCE)
            software = ", ".join(dict.fromkeys(row["software"] for row in made))
            cells = (
                f"`{case.name}` ({software})",
                f"{lossy} of {len(made)}",
                f"{100 * high:.1f} %",
                *(_lost(made, *kinds) for kinds in KINDS_BY_COLUMN.values()),
            )
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join((*lines, "", series_line(rows)))


def series_line(rows: Sequence[Row]) -> str:
    """Return the line below the table. These series set no limit, so a series is FAILED only if a default limit is
    exceeded: no unaccounted request, and no split brain."""
    series = {(row["case"], row["series"]): row for row in rows if row["verdict"] in VALID_VERDICTS}.values()
    loads = [float(row["load_average"]) for row in series]
    failed = sum(row["verdict"] == "FAILED" for row in series)
    return (
        f"The changes ran in {len(series)} series. {failed} series had unaccounted requests or a split brain. At the "
        f"start of a series, the machine's load average was {min(loads, default=0.0):.1f} to "
        f"{max(loads, default=0.0):.1f}."
    )


def as_short_table(rows: Sequence[Row]) -> str:
    """README's: how many changes lost something."""
    made = {" ".join((case.change, *case.options)): valid(case, rows) for case in README_CASES}
    found = [f"| `{name}` | {sum(map(is_lossy, known))} of {len(known)} |" for name, known in made.items() if known]
    return "\n".join(("| change | lossy changes |", "|---|---|", *found))


def _lost(rows: Sequence[Row], *kinds: str) -> str:
    """Lost, of those that were open; a dash where the balancer does not proxy that kind. Of those that only the
    change would end, also how many were closed politely."""
    opened, lost, closed = (
        [int(row[f"{kind}_{what}"]) for row in rows for kind in kinds if row.get(f"{kind}_{what}")]
        for what in ("open", "lost", "closed")
    )
    if not opened:
        return "-"
    politely = f", {sum(closed):,} closed" if LASTING.issuperset(kinds) and any(closed) else ""
    return f"{sum(lost):,} of {sum(opened):,}{politely}"


if __name__ == "__main__":
    sys.exit(main())
