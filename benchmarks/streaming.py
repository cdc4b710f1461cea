"""What streaming costs, what it holds in memory while the database is away, and what arrives: against the batching
API of influxdb-client, with the same lines and the same InfluxDB.

    python benchmarks/streaming.py [--quick]

Needs the InfluxDB 1.8 that `make influxdb` builds. Exit code 1 if a goal is missed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src" / "test" / "python"))

from locust_surroundings import package_version, python_with
from results import machine
from streaming_contestants import line
from surroundings import nginx

from support.influxdb import PASSWORD, USER, InfluxDB, influxdb
from support.locusting import PACKAGE
from switchover.streaming.influx.destination import choose_database
from switchover.streaming.influx.shipper import JournalSender
from switchover.streaming.influx.writer import Writer

HERE = Path(__file__).parent
OURS, THEIRS, NOTHING = "switchover", "influxdb-client", "nothing"
KIND = "1.8-auth"
GOAL_RATE = 50_000
GROWTH_MB = 10.0
"""What a Python process may take more in a minute for reasons of its own."""
AWAY_RATE = 5_000
END_LIMIT_S = 60.0
"""For a contestant to end that cannot reach the database; then it is killed, as a build server would do."""


def main() -> int:
    parser = argparse.ArgumentParser(description="streaming to InfluxDB, and what it costs")
    parser.add_argument("--quick", action="store_true", help="only to see that it works")
    quick = parser.parse_args().quick
    pythons = {NOTHING: sys.executable, OURS: sys.executable, THEIRS: str(python_with("influxdb-client"))}
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name, influxdb(KIND, Path(name) / "server") as server:
        folder = Path(name)
        found: dict[str, Any] = {
            **machine(),
            "load_before": round(load, 2),
            "influxdb_client": package_version(python_with("influxdb-client"), "influxdb-client"),
            "shipper": shipper_alone(folder, 100_000 if quick else 500_000),
            "there": [there(name, pythons[name], server, folder, 50_000 if quick else 300_000) for name in pythons],
            "away": [away(name, pythons[name], server, folder, 15 if quick else 60) for name in (OURS, THEIRS)],
        }
    goals = judged(found)
    if not quick:
        (HERE / "streaming.json").write_text(json.dumps({**found, "goals": goals}, indent=1) + "\n", encoding="utf-8")
    print_tables(found)
    for text, met in goals.items():
        print(f"{'met' if met else 'MISSED'}: {text}")
    return 0 if all(goals.values()) else 1


def shipper_alone(folder: Path, points: int) -> dict[str, float]:
    """A journal that is there already, posted as fast as it goes to a server that takes everything at once: the CPU
    of this process is the shipper's, and the time is not the database's."""
    journal = folder / "journal.lp"
    journal.write_text("".join(f"{line(number)}\n" for number in range(points)), encoding="utf-8")
    (folder / "sink").mkdir()
    with nginx(folder / "sink") as port:
        database = choose_database(f"http://127.0.0.1:{port}?db=sink", None, {})
        assert database is not None
        sender, writer = JournalSender(journal, database.destination.url), Writer(database)
        before, size = os.times(), journal.stat().st_size
        while sender.step(writer) is not None:
            pass
        after = os.times()
        writer.close()
    journal.unlink()
    assert sender.sent.points == points
    cpu_s = after.user + after.system - before.user - before.system
    return {
        "points": points,
        "bytes": size,
        "points_per_cpu_s": points / cpu_s,
        "points_per_s": points / (after.elapsed - before.elapsed),
    }


def there(name: str, python: str, server: InfluxDB, folder: Path, points: int) -> dict[str, Any]:
    """The database takes everything, and the contestant hands over as fast as it goes."""
    database = f"there{len(list(folder.iterdir()))}"
    server.create(database)
    said = play(name, python, settings(server, folder, database, points=points, rate=0))
    return told({"name": name, "points": points, **said[-1], "lost": points - stored(server, database)})


def away(name: str, python: str, server: InfluxDB, folder: Path, seconds: int) -> dict[str, Any]:
    """The database is away after a sixth of the time, and comes back when the contestant has ended."""
    points, database = AWAY_RATE * seconds, f"away{len(list(folder.iterdir()))}"
    server.create(database)
    given = settings(server, folder, database, points=points, rate=AWAY_RATE)
    process = start(name, python, given)
    memory: list[tuple[float, float]] = []
    last: dict[str, Any] = {}
    assert process.stdout is not None
    impatience = threading.Timer(seconds + END_LIMIT_S, process.kill)
    impatience.start()
    for text in process.stdout:
        last = json.loads(text)
        if "rss_mb" in last:
            memory.append((last["at_s"], last["rss_mb"]))
            if last["at_s"] >= seconds / 6 and server.process is not None:
                server.kill()
    process.wait()
    impatience.cancel()
    server.start()
    missing = points - stored(server, database)
    if name == OURS:
        upload(server, given)
    gone = next(rss for at_s, rss in memory if at_s >= seconds / 6)
    row = {
        "name": name,
        "points": points,
        "mb_when_it_went": gone,
        "mb_in_the_end": memory[-1][1],
        "end_took_s": last["ended_s"] - last["handed_s"] if "ended_s" in last else None,
        "missing_at_the_end": missing,
        "lost": points - stored(server, database),
    }
    return told(row)


def upload(server: InfluxDB, given: dict[str, Any]) -> None:
    subprocess.run(
        [sys.executable, "-m", "switchover", "influx", "upload", given["directory"]],
        env={**os.environ, "PYTHONPATH": PACKAGE, **server.environment},
        check=True,
        stdout=subprocess.DEVNULL,
    )


def settings(server: InfluxDB, folder: Path, database: str, *, points: int, rate: int) -> dict[str, Any]:
    directory = folder / database
    directory.mkdir()
    who = {"url": server.url, "database": database, "user": USER, "password": PASSWORD}
    return {**who, "directory": str(directory), "points": points, "rate": rate, "wait_s": 10.0 if rate else 120.0}


def start(name: str, python: str, given: dict[str, Any]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [python, str(HERE / "streaming_contestants.py"), name, json.dumps(given)],
        env={**os.environ, "PYTHONPATH": PACKAGE if name == OURS else ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def told(row: dict[str, Any]) -> dict[str, Any]:
    print(json.dumps(row), file=sys.stderr, flush=True)
    return row


def play(name: str, python: str, given: dict[str, Any]) -> list[dict[str, Any]]:
    said, _ = start(name, python, given).communicate()
    return [json.loads(text) for text in said.splitlines()]


def stored(server: InfluxDB, database: str) -> int:
    """Points, counted by the database."""
    found = server.query('SELECT count("count") FROM "switchover_requests"', database)
    return sum(found[0].column("count")) if found else 0


def judged(found: dict[str, Any]) -> dict[str, bool]:
    ours = next(row for row in found["away"] if row["name"] == OURS)
    lost = [row["lost"] for key in ("there", "away") for row in found[key] if row["name"] == OURS]
    grown_mb = ours["mb_in_the_end"] - ours["mb_when_it_went"]
    return {
        f"{GOAL_RATE:,} points/s on one core": found["shipper"]["points_per_cpu_s"] >= GOAL_RATE,
        "memory does not grow while the database is away": grown_mb < GROWTH_MB,
        "no point lost": not any(lost),
    }


def print_tables(found: dict[str, Any]) -> None:
    alone, (base, *others) = found["shipper"], found["there"]
    print(f"{found['cpu']}, {found['cores']} cores, load {found['load_before']} before")
    print(f"influxdb-client {found['influxdb_client']}, InfluxDB {KIND}")
    print(
        f"the shipper alone: {alone['points_per_cpu_s']:,.0f} points per second of CPU, "
        f"{alone['points_per_s']:,.0f} points/s, {alone['bytes'] / alone['points']:.0f} bytes a point"
    )
    print("\n| the database takes all | CPU per point | until all was there | lost |\n|---|---|---|---|")
    for row in others:
        cpu_us = (row["cpu_s"] - base["cpu_s"]) / row["points"] * 1e6
        print(f"| {row['name']} | {cpu_us:.1f} µs | {row['ended_s']:.1f} s | {row['lost']:,} of {row['points']:,} |")
    print(
        "\n| the database is away | memory when it went | in the end | the end took | lost |\n|---|---|---|---|---|"
    )
    for row in found["away"]:
        print(
            f"| {row['name']} | {row['mb_when_it_went']:.0f} MB | {row['mb_in_the_end']:.0f} MB "
            f"| {_seconds(row['end_took_s'])} | {row['lost']:,} of {row['points']:,} |"
        )


def _seconds(end_took_s: float | None) -> str:
    return f"{end_took_s:.1f} s" if end_took_s is not None else f"more than {END_LIMIT_S:.0f} s, then it was killed"


if __name__ == "__main__":
    sys.exit(main())
