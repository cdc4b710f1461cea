"""`python -m proof.retrying_clients`: what a client that sends again tells of reloads, beside ours, which never does.

Sixty reloads of HAProxy and of Nginx with their defaults: docs/proof/retrying_clients.json has a row for each,
docs/hitless.md the table.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from proof.hitless import VALID_VERDICTS, Case, make_series
from proof.pages import write_between
from proof.results import DOCS, exit_status, option_parser, run_folder, said
from switchover.model.held_kind import HeldKind

NAME = "retrying_clients"
PAGE = "hitless.md"
CHANGES = 60
RETRYING_CLIENTS = ("--connections", "pooled=60", "--retrying-client")
CASES = (Case("haproxy-reload", options=RETRYING_CLIENTS), Case("nginx-reload", "nginx", RETRYING_CLIENTS))
Row = Mapping[str, Any]


def main() -> int:
    option_parser(f"proof.{NAME}", __doc__).parse_args()
    folder = run_folder()
    rows = said(row for case in CASES for row in _made(case, folder / case.change))
    (DOCS / "proof" / f"{NAME}.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    write_between(DOCS / PAGE, NAME, as_table(rows))
    return exit_status(broken(rows))


def _made(case: Case, out: Path) -> Iterator[dict[str, Any]]:
    """Its row; none where it gave no verdict."""
    load = os.getloadavg()[0]
    verdict = make_series(case, CHANGES, out)
    if verdict is not None:
        yield {"case": case.name, "load_average": round(load, 2), **figures(verdict)}


def figures(verdict: Mapping[str, Any]) -> dict[str, Any]:
    changes = verdict["changes"]
    (pooled,) = [kind for kind in changes["kinds"] if kind["kind"] == HeldKind.POOLED]
    return {
        "verdict": verdict["verdict"],
        "made": changes["made"],
        "lossy": changes["lossy"],
        "lost": pooled["lost"],
        "retrying_clients": {
            retrying_client.pop("client"): retrying_client
            for retrying_client in map(dict, changes["retrying_clients"])
        },
    }


def broken(rows: Sequence[Row]) -> Iterator[str]:
    for case in CASES:
        row = next((one for one in rows if one["case"] == case.name), None)
        if row is None:
            yield f"{case.name}: no verdict"
        elif row["verdict"] not in VALID_VERDICTS:
            yield f"{case.name}: {row['verdict']}"


def as_table(rows: Sequence[Row]) -> str:
    """What urllib3 raised, of all that it lost: what it raised and what it sent again."""
    heads = ("`switchover change …`", "changes", "load average", "ours lost", "urllib3 reported")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in rows:
        retrying_client = row["retrying_clients"]["urllib3"]
        cells = (
            f"`{row['case']}`",
            f"{row['made']}, {row['lossy']} lossy",
            f"{row['load_average']:.1f}",
            f"{row['lost']:,}",
            f"{retrying_client['raised']:,} of {retrying_client['raised'] + retrying_client['resent']:,}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
