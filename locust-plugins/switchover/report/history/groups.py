"""The runs that are asked for, what is odd about them, and what they come to for each target and fault."""

import json
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from itertools import chain

from switchover.report.history.entry import DAMAGED, LAB, NOT_JUDGED, Entry

AHEAD_US = 60_000_000
"""Clocks of hosts may differ by as much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which runs are asked for; what is empty or None asks for all."""

    targets: Sequence[str] = ()
    """Patterns as a shell has them."""
    whats: Sequence[str] = ()
    statuses: Sequence[str] = ()
    since_us: int | None = None
    until_us: int | None = None

    def takes(self, entry: Entry) -> bool:
        """A damaged run is only left out by a word: what it was of, and when, is not known."""
        if self.statuses and entry.status.lower() not in {status.lower() for status in self.statuses}:
            return False
        if entry.status == DAMAGED:
            return True
        at_us = entry.start_us
        return (
            _matches(entry.target, self.targets)
            and _matches(entry.what, self.whats)
            and (self.since_us is None or (at_us is not None and at_us >= self.since_us))
            and (self.until_us is None or (at_us is not None and at_us < self.until_us))
        )


def _matches(text: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(text, pattern) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Group:
    """The runs of one target, one fault or change, and the same settings of Keepalived."""

    target: str
    what: str
    entries: Sequence[Entry]
    settings: str = ""
    """The settings that differ between the groups of this target and fault; empty if there is one such group."""

    @property
    def statuses(self) -> list[tuple[str, int]]:
        """The commonest first."""
        return Counter(entry.status for entry in self.entries).most_common()

    @property
    def outages_ms(self) -> list[float]:
        """Outages of trusted runs that recovered, the shortest first."""
        return sorted(outage_ms for entry in self.entries if (outage_ms := valid_outage_ms(entry)) is not None)

    @property
    def median_ms(self) -> float | None:
        outages = self.outages_ms
        return statistics.median(outages) if outages else None

    @property
    def insides(self) -> tuple[int, int]:
        """Count the outages within their prediction, and the outages that have one."""
        known = [entry.inside for entry in self.entries if entry.inside is not None and entry.valid]
        return sum(known), len(known)


def valid_outage_ms(entry: Entry) -> float | None:
    """The upper end of an outage that can be believed, and after which the service stayed."""
    outage = entry.outage
    return outage.high_ms if entry.valid and outage is not None and outage.recovered else None


def grouped(entries: Iterable[Entry]) -> list[Group]:
    """Group runs by target, fault and Keepalived's settings. Target files of one name whose addresses have several
    hosts or ports are of several pairs."""
    known = [entry for entry in entries if entry.status != DAMAGED]
    addresses: dict[str, set[str]] = {}
    for entry in known:
        addresses.setdefault(entry.target, set()).update(filter(None, [_address(entry)]))
    found: dict[tuple[str, str], dict[str, list[Entry]]] = {}
    for entry in known:
        is_one_of_several = entry.target != LAB and _address(entry) and len(addresses[entry.target]) > 1
        target = f"{entry.target}, {_address(entry)}" if is_one_of_several else entry.target
        alike = found.setdefault((target, entry.what), {})
        alike.setdefault(json.dumps(entry.keepalived, sort_keys=True), []).append(entry)
    return [
        Group(target, what, inside, settings)
        for (target, what), alike in sorted(found.items())
        for inside, settings in zip(alike.values(), _differing([*alike.values()]), strict=True)
    ]


def _differing(groups: Sequence[Sequence[Entry]]) -> list[str]:
    """The settings of each group that are not the same in all groups."""
    settings = [group[0].keepalived for group in groups]
    names = [name for name in dict.fromkeys(chain(*settings)) if len({one.get(name) for one in settings}) > 1]
    return [
        ", ".join(f"{name} {one[name]}" for name in names if name in one) or ("not known" if names else "")
        for one in settings
    ]


def _address(entry: Entry) -> str:
    """Scheme, host and port: a pair may be asked for several paths."""
    return "/".join(entry.url.split("/")[:3])


def counted_once(entries: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
    """Without second copies of a run, and a line for each that is there twice, or shares its name with another."""
    first: dict[str, Entry] = {}
    kept, notes = [], []
    for entry in entries:
        before = first.setdefault(entry.run, entry)
        is_copy = (
            before is not entry and before.start_us == entry.start_us and DAMAGED not in (before.status, entry.status)
        )
        if before is not entry:
            once = ", and is counted once" if is_copy else ": they are two runs of one name"
            notes.append(f"{entry.run} is in {before.path} and in {entry.path}{once}")
        if not is_copy:
            kept.append(entry)
    return kept, notes


def notes_on(entries: Iterable[Entry], now_us: int) -> list[str]:
    """A line for each run that is damaged, that was not judged, or that begins in the future."""
    found = []
    for entry in entries:
        if entry.status == DAMAGED:
            found.append(f"{entry.path} is damaged: {entry.damage}")
        elif entry.status == NOT_JUDGED:
            found.append(f"{entry.path} has no verdict: 'switchover report' makes it")
        if is_ahead(entry, now_us):
            found.append(f"{entry.path} begins in the future, at {time_text(entry.start_us)}: a clock was wrong")
    return found


def is_ahead(entry: Entry, now_us: int) -> bool:
    """It begins in the future: a clock was wrong."""
    return entry.start_us is not None and entry.start_us > now_us + AHEAD_US


def time_text(at_us: int | None) -> str:
    """`2026-11-24 16:31`, UTC; empty where it is not known, or beyond the calendar."""
    try:
        return "" if at_us is None else datetime.fromtimestamp(at_us / 1e6, UTC).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):
        return ""
