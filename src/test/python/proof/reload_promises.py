"""`python -m proof.reload_promises`: what `switchover predict` says of a reload, against the real HAProxy and Nginx.

Each configuration is started, connections of all kinds are opened, and it is reloaded once. A row for each
configuration and kind of load goes to docs/proof/reload_promises.csv, their table to docs/proof/predictions.txt.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from proof.pages import write_between
from proof.results import DOCS, NAMES, exit_status, option_parser, software_of
from support.reload_cases import CASES, Case, TriedLoad, try_case
from switchover.predict.promise import Fate

NAME = "reload_promises"
PAGE = "proof/predictions.txt"
FILE = DOCS / "proof" / f"{NAME}.csv"
AS_PROMISED, OTHERWISE, LEFT_TO_CHANCE = "yes", "no", "not tried"
COLUMNS = (
    "software",
    "configuration",
    "lines",
    "started",
    "load",
    "promise",
    "decides",
    "open",
    "lost",
    "closed_silently",
    "told_before",
    "first_after_ms",
    "as_promised",
)
Row = Mapping[str, str]


def main() -> int:
    parser = option_parser(f"proof.{NAME}", __doc__)
    parser.add_argument("--only", help="a part of a configuration's name; the rows of the others stay")
    chosen = parser.parse_args()
    rows = [
        row
        for balancer, cases in CASES.items()
        for name, case in cases.items()
        if not chosen.only or chosen.only in name
        for row in case_rows(balancer, name, case, try_case(balancer, case))
    ]
    kept = with_new(read_rows() if FILE.exists() else [], rows)
    with FILE.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
    write_between(DOCS / PAGE, NAME, as_table(kept))
    return exit_status(broken(rows))


def with_new(known: Sequence[Row], new: Sequence[Row]) -> list[Row]:
    """Those of the same configurations give way to the new ones; in the order of the cases."""
    places = [(NAMES[balancer], name) for balancer, cases in CASES.items() for name in cases]
    made = {_place(row) for row in new}
    return sorted(
        [*(row for row in known if _place(row) not in made), *new], key=lambda row: places.index(_place(row))
    )


def _place(row: Row) -> tuple[str, str]:
    return row["software"].partition(" ")[0], row["configuration"]


def case_rows(balancer: str, name: str, case: Case, loads: Sequence[TriedLoad]) -> Iterator[Row]:
    lines = [f"{place}: {line.strip()}" for place, fill in case.fills.items() for line in fill.splitlines()]
    for one in loads:
        ended = [*one.fates.lost_after_s, *one.fates.unannounced_after_s]
        yield {
            "software": software_of(balancer),
            "configuration": name,
            "lines": "; ".join(lines),
            "started": case.start if balancer == "haproxy" else "",
            "load": one.kind,
            "promise": one.promise.text,
            "decides": one.promise.because,
            "open": str(one.fates.opened),
            "lost": str(len(one.fates.lost_after_s)),
            "closed_silently": str(len(one.fates.unannounced_after_s)),
            "told_before": str(one.fates.announced),
            "first_after_ms": f"{min(ended) * 1000:.0f}" if ended else "",
            "as_promised": (OTHERWISE if one.disagreement else AS_PROMISED) if one.is_judged else LEFT_TO_CHANCE,
        }
    said = "; ".join(f"{one.kind}: {one.disagreement}" for one in loads if one.disagreement) or "as promised"
    print(f"{balancer}, {name}: {said}", flush=True)


def broken(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if row["as_promised"] == OTHERWISE:
            yield f"{row['software']}, {row['configuration']}: {row['load']} was promised as {row['promise']}"


def read_rows() -> list[Row]:
    with FILE.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def as_table(rows: Sequence[Row]) -> str:
    """A line for each program: its configurations, and how many of their loads were promised what."""
    lines = [
        "| on | configurations | kept | cut after T | may be lost | not served | left to chance "
        "| otherwise than promised |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for software in dict.fromkeys(row["software"] for row in rows):
        own = [row for row in rows if row["software"] == software]
        tried = [row for row in own if row["as_promised"] != LEFT_TO_CHANCE]
        promised = Counter(row["promise"].partition(" after ")[0] for row in tried)
        cells = (
            software,
            len({row["configuration"] for row in own}),
            *(promised[fate.value] for fate in (Fate.KEPT, Fate.CUT, Fate.MAY_BE_LOST, Fate.NOT_SERVED)),
            len(own) - len(tried),
            sum(row["as_promised"] == OTHERWISE for row in own),
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
