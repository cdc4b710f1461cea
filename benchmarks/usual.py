"""How often a limit of what is usual is broken by chance, and after how many drills it finds that outages got
longer.

    python benchmarks/usual.py [--quick]

Draws the past and the drills that follow from one distribution, judges each drill as `outage=usual` does, with the
words that it gives kept for the next, and then again with half a second added to each. The table goes into
docs/proof/usual.txt. Exit code 1 if more than 1 in 100 of equal drills are broken.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from switchover.verdict.record import LimitName, Status

sys.path.insert(0, str(Path(__file__).parents[1] / "src" / "test" / "python"))

from proof.pages import write_between
from switchover.report.history.entry import Entry, Length
from switchover.report.history.usual import FALSE_ALARM, past_of, usual_of

DOCS = Path(__file__).parents[1] / "docs"
PASTS = (8, 13, 30, 100)
MARGINS = (0.0, 0.2)
FOLLOWING = 20
"""Drills that follow each past."""
SHIFT_MS = 500.0
SEED = 20261124

Draw = Callable[[np.random.Generator, int], Sequence[float]]


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    past: int
    margin: float
    broken: float
    """Share of equal drills."""
    inconclusive: float
    half_found: float | None
    """After how many drills half of the shifts are found; None: fewer are, within FOLLOWING."""
    most_found: float | None
    """The same of 95 in 100."""


def main() -> int:
    parser = argparse.ArgumentParser(description="limits of what is usual, simulated")
    parser.add_argument("--quick", action="store_true", help="few rounds: whether it works, not what comes of it")
    options = parser.parse_args()
    rounds = 50 if options.quick else 1000
    rows = [
        simulated(name, draw, past, margin, rounds)
        for name, draw in distributions().items()
        for past in PASTS
        for margin in MARGINS
    ]
    text = table(rows, rounds)
    if not options.quick:
        write_between(DOCS / "proof" / "usual.txt", "usual", text)
    print(text)
    return 0 if all(row.broken <= FALSE_ALARM for row in rows) else 1


def distributions() -> dict[str, Draw]:
    """The window that theory has for `node-down` in the lab, and the outages that were measured there."""
    cases = json.loads((DOCS / "proof" / "drills.json").read_text(encoding="utf-8"))["cases"]
    measured = {fault: [drill["outage_ms"] for drill in cases[fault]] for fault in ("node-down", "haproxy-kill")}
    return {
        "`node-down`, theory": lambda rng, count: list(rng.uniform(2609.375, 3609.375, count)),
        **{f"`{fault}`, measured": _drawn_from(outages) for fault, outages in measured.items()},
    }


def _drawn_from(outages: Sequence[float]) -> Draw:
    """Between neighbours of the measured ones, so that no two drills are equal."""
    known = sorted(outages)
    places = np.linspace(0, 1, len(known))
    return lambda rng, count: list(np.interp(rng.uniform(0, 1, count), places, known))


def simulated(name: str, draw: Draw, past: int, margin: float, rounds: int) -> Row:
    rng = np.random.default_rng([SEED, past, round(margin * 100), len(name)])
    words = [word for _ in range(rounds) for word in drilled(draw(rng, past), draw(rng, FOLLOWING), margin)]
    found = []
    for _ in range(rounds):
        shifted = drilled(draw(rng, past), [drill + SHIFT_MS for drill in draw(rng, FOLLOWING)], margin, stop=True)
        found.append(len(shifted) if shifted[-1] is Status.FAILED else FOLLOWING + 1)
    half, most = (float(np.quantile(found, share, method="higher")) for share in (0.5, 0.95))
    return Row(
        name,
        past,
        margin,
        words.count(Status.FAILED) / len(words),
        words.count(Status.INCONCLUSIVE) / len(words),
        half if half <= FOLLOWING else None,
        most if most <= FOLLOWING else None,
    )


def drilled(past: Sequence[float], following: Sequence[float], margin: float, *, stop: bool = False) -> list[Status]:
    """The word of each drill that follows; `stop`: up to the first that is broken."""
    entries = [_entry(outage, Status.PASSED) for outage in past]
    words = []
    for outage in following:
        usual = usual_of(past_of(entries, LimitName.OUTAGE), margin)
        above = usual.limit_ms is not None and outage > usual.limit_ms
        word = Status.PASSED if not above else Status.FAILED if usual.decides else Status.INCONCLUSIVE
        words.append(word)
        if stop and word is Status.FAILED:
            break
        entries.append(_entry(outage, word))
    return words


def _entry(outage_ms: float, word: Status) -> Entry:
    length = Length("outage", outage_ms, outage_ms, 0.0, censored=False, recovered=True)
    return Entry(run="", path="", word=word, valid=True, outage=length)


def table(rows: Sequence[Row], rounds: int) -> str:
    lines = [
        "| outages | earlier runs | limit | equal: broken | equal: inconclusive | longer: half found | 95 % found |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        limit = "usual" + (f"+{row.margin * 100:.0f}%" if row.margin else "")
        found = [
            f"after {drills:.0f}" if drills else f"not in {FOLLOWING}" for drills in (row.half_found, row.most_found)
        ]
        shares = [f"{share * 100:.2f} %" for share in (row.broken, row.inconclusive)]
        lines.append(f"| {row.name} | {row.past} | `{limit}` | {' | '.join([*shares, *found])} |")
    counted = f"{rounds:,} pasts for each line, each with {FOLLOWING} equal drills after it, and with longer ones."
    return "\n".join([*lines, "", counted])


if __name__ == "__main__":
    raise SystemExit(main())
