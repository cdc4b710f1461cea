"""`python -m proof.streaming`: twenty runs whose database meets with a misfortune, and what is in it afterwards.

Needs the servers that `make influxdb` builds; those that are not there are named, and nothing is proved of them.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from proof.results import exit_status, keep, run_folder, said
from support.influxdb import VERSIONS, influxdb, is_built
from support.misfortune import KINDS, play

SERVERS = ("1.8-auth", "2.7")
RUNS = 20


def main() -> int:
    servers = [server for server in SERVERS if is_built(server)]
    rows = said(_played(servers, run_folder()))
    keep("streaming", rows, "streaming", as_table(rows))
    return exit_status(_unproved(rows, servers))


def _played(servers: Sequence[str], made: Path) -> Iterator[dict[str, Any]]:
    for number in range(RUNS):
        kind, server = KINDS[number % len(KINDS)], servers[number // len(KINDS) % len(servers)]
        with influxdb(server, made / f"server{number}") as running:
            yield play(kind, running, number + 1, made / f"run{number}")


def _unproved(rows: Sequence[dict[str, Any]], servers: Sequence[str]) -> Iterator[str]:
    for row in rows:
        if row["lost"] or row["foreign"] or row["different"] or row["left_in_the_end"]:
            yield f"seed {row['seed']}, {row['misfortune']}"
    for server in SERVERS:
        if server not in servers:
            yield f"InfluxDB {VERSIONS[server]}: 'make influxdb' builds it"


def as_table(rows: Sequence[dict[str, Any]]) -> str:
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
