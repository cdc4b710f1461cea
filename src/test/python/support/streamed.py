"""What a run's journals hold and what a database holds of it, to be compared point by point, value by value."""

import random
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.fake_influx import Key, key_of
from support.influxdb import InfluxDB
from support.journals import read_journal
from switchover.rundir.journal import Journal
from switchover.rundir.measurements import EVENT
from switchover.rundir.points import FieldValue

Contents = dict[Key, dict[str, Any]]


def journalled(directory: Path) -> Contents:
    """Of points that were written again the last one counts; texts as a database keeps them."""
    return {
        key_of(point): {name: _kept(value) for name, value in point.fields.items()}
        for point in read_journal(sorted(directory.glob("journal*.lp")))
    }


def stored(server: InfluxDB, database: str) -> Contents:
    """Everything that a query finds."""
    found: Contents = {}
    for measurements in server.query("SHOW MEASUREMENTS", database):
        for name in measurements.column("name"):
            for series in server.query(f'SELECT * FROM "{name}" GROUP BY *', database):
                tags = tuple(sorted((key, value) for key, value in series.tags.items() if value))
                for row in series.rows:
                    values = dict(zip(series.columns, row, strict=True))
                    at = values.pop("time")
                    found[(name, tags, at)] = {key: value for key, value in values.items() if value is not None}
    return found


@dataclass(frozen=True, slots=True)
class Comparison:
    """Of points: how many there are to be, and what is wrong with those that are."""

    points: int
    lost: int
    foreign: int
    """In the database, but in no journal: what was doubled under another time or tag would be here."""
    different: int

    @property
    def equal(self) -> bool:
        return not (self.lost or self.foreign or self.different)


def compare(expected: Contents, found: Contents) -> Comparison:
    both = expected.keys() & found.keys()
    return Comparison(
        points=len(expected),
        lost=len(expected.keys() - found.keys()),
        foreign=len(found.keys() - expected.keys()),
        different=sum(expected[key] != found[key] for key in both),
    )


def _kept(value: object) -> object:
    """A journal's line ends are two characters there."""
    return value.replace("\n", "\\n").replace("\r", "\\r") if isinstance(value, str) else value


class Writing:
    """Journals as a run writes them: several files, points of all types, and buckets that are written again with
    their new total. `rate` lines a second, from now until `end`."""

    def __init__(self, directory: Path, seed: int, rate: int = 1_500) -> None:
        self._directory = directory
        self._chance = random.Random(seed)
        self._rate = rate
        self._ended = threading.Event()
        self.lines = 0
        self._thread = threading.Thread(target=self._write)
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _write(self) -> None:
        journals = [Journal(self._directory / name, {"run": self._directory.name}) for name in _JOURNALS]
        journals[0].event("start", 'a run, "quoted" \\ and ünicode', time_ns=time.time_ns())
        begun_s, second = time.monotonic(), time.time_ns() // 10**9
        while not self._ended.wait(0.02):
            due = int((time.monotonic() - begun_s) * self._rate)
            for number in range(self.lines, due):
                self._line(journals[number % len(journals)], number, second + number // self._rate)
            self.lines = max(due, self.lines)
        journals[0].event("end", "a run", time_ns=time.time_ns())
        self.lines += 2
        for journal in journals:
            journal.close()

    def _line(self, journal: Journal, number: int, second: int) -> None:
        draw = self._chance.random
        if number % 3:
            # Of a second and tag set, again and again: the last one wins.
            tags = {
                "backend": f"web{number % 4}",
                "outcome": self._chance.choice(["good", "failed"]),
                "worker": str(number % 3),
            }
            fields: dict[str, FieldValue] = {"count": number, "rt_sum": draw() * 1e4, "hdr": f"HISTFAAAA{number}=="}
            journal.write("switchover_requests", tags, fields, second * 10**9)
        elif number % 2:
            fields = {"active": number % 50, "held": draw() < 0.5, "load1": draw()}
            journal.write("switchover_vrrp", {"node": f"lb{number % 2}"}, fields, second * 10**9 + number)
        else:
            journal.write(
                EVENT, {"kind": "vrrp", "id": str(number)}, {"text": f"no. {number}"}, second * 10**9 + number
            )


_JOURNALS = ("journal.lp", "journal-locust.lp", "journal-prober.lp")


def bytes_of(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.glob("journal*.lp")}
