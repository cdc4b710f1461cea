"""`python -m proof.streaming`: twenty runs whose database meets with a misfortune, and what is in it afterwards.

Needs the servers that `make influxdb` builds; those that are not there are named, and nothing is proved of them.
"""

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from proof.pages import write_between
from support.influxdb import VERSIONS, influxdb, is_built
from support.misfortune import KINDS, play

PAGE = Path(__file__).parents[4] / "docs" / "proof.md"
RESULTS = PAGE.parent / "proof" / "streaming.json"
SERVERS = ("1.8-auth", "2.7")
RUNS = 20


def main() -> int:
    made = Path(tempfile.mkdtemp(prefix="switchover-proof-"))
    print(f"runs are in {made}", flush=True)
    servers = [server for server in SERVERS if is_built(server)]
    rows = []
    for number in range(RUNS):
        kind, server = KINDS[number % len(KINDS)], servers[number // len(KINDS) % len(servers)]
        with influxdb(server, made / f"server{number}") as running:
            rows.append(play(kind, running, number + 1, made / f"run{number}"))
        print(json.dumps(rows[-1]), flush=True)
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    write_between(PAGE, "streaming", _table(rows))
    failures = [row for row in rows if row["lost"] or row["foreign"] or row["different"] or row["left_in_the_end"]]
    for row in failures:
        print(f"NOT PROVED: seed {row['seed']}, {row['misfortune']}")
    for server in SERVERS:
        if server not in servers:
            print(f"NOT PROVED of InfluxDB {VERSIONS[server]}: 'make influxdb' builds it")
    return 1 if failures or len(servers) < len(SERVERS) else 0


def _table(rows: Sequence[dict[str, Any]]) -> str:
    lines = [
        "| seed | the database | InfluxDB | lines in the journals | sent by the end of the run | uploads "
        "| points there are to be | lost | doubled | with another value |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['seed']} | {row['misfortune']} | {VERSIONS[row['server']]} | {row['lines']:,} | {row['streamed']:,} "
        f"| {row['uploads']} | {row['points']:,} | {row['lost']} | {row['foreign']} | {row['different']} |"
        for row in rows
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
