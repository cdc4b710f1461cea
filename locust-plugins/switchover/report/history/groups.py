"""Filter the runs of a history, find unusual runs, and compute statistics for each target and fault."""

import json
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from itertools import chain
from typing import NamedTuple

from switchover.report.history.entry import DAMAGED, LAB, NOT_JUDGED, Entry


class Filter(NamedTuple):
    """A filter that accepts runs. A field of the filter that is empty or None accepts all runs."""

    targets: Sequence[str] = ()
    """Patterns in the syntax of a shell, for example `lab*`."""
    whats: Sequence[str] = ()
    since_us: int | None = None

    def takes(self, entry: Entry) -> bool:
        """Return True if the filter accepts the run. A damaged run is accepted, because its settings are unknown."""
        if entry.status == DAMAGED:
            return True
        at_us = entry.start_us
        return (
            _matches(entry.target, self.targets)
            and _matches(entry.what, self.whats)
            and (self.since_us is None or (at_us is not None and at_us >= self.since_us))
        )


def _matches(text: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(text, pattern) for pattern in patterns)


class Group(NamedTuple):
    target: str
    what: str
    entries: Sequence[Entry]
    settings: str = ""
    """The settings that differ between groups with the same target and fault; empty if there is only one group."""

    @property
    def statuses(self) -> list[tuple[str, int]]:
        return Counter(entry.status for entry in self.entries).most_common()

    @property
    def outages_ms(self) -> list[float]:
        """The outages of valid runs in which the service recovered, in milliseconds. The shortest outage is first."""
        return sorted(outage_ms for entry in self.entries if (outage_ms := valid_outage_ms(entry)) is not None)

    @property
    def median_ms(self) -> float | None:
        outages = self.outages_ms
        return statistics.median(outages) if outages else None

    @property
    def insides(self) -> tuple[int, int]:
        """The number of outages within their predicted window, and the number of outages with a prediction."""
        known = [entry.inside for entry in self.entries if entry.inside is not None and entry.valid]
        return sum(known), len(known)


def valid_outage_ms(entry: Entry) -> float | None:
    """Return the upper end of the outage's interval in ms. None: the run is invalid, or the service did not
    recover."""
    outage = entry.outage
    return outage.high_ms if entry.valid and outage is not None and outage.recovered else None


def grouped(entries: Iterable[Entry]) -> list[Group]:
    """Group runs by target, fault and Keepalived's settings. Two target files with the same name but different
    addresses are two targets."""
    known = [entry for entry in entries if entry.status != DAMAGED]
    addresses: dict[str, set[str]] = {}
    for entry in known:
        addresses.setdefault(entry.target, set()).update(filter(None, [_address(entry)]))
    groups: dict[tuple[str, str], dict[str, list[Entry]]] = {}
    for entry in known:
        is_ambiguous = entry.target != LAB and _address(entry) and len(addresses[entry.target]) > 1
        target = f"{entry.target}, {_address(entry)}" if is_ambiguous else entry.target
        by_settings = groups.setdefault((target, entry.what), {})
        by_settings.setdefault(json.dumps(entry.keepalived, sort_keys=True), []).append(entry)
    return [
        Group(target, what, inside, settings)
        for (target, what), by_settings in sorted(groups.items())
        for inside, settings in zip(by_settings.values(), _differing([*by_settings.values()]), strict=True)
    ]


def _differing(groups: Sequence[Sequence[Entry]]) -> list[str]:
    settings = [_merged(group[0].keepalived) for group in groups]
    names = [name for name in dict.fromkeys(chain(*settings)) if len({s.get(name) for s in settings}) > 1]
    return [
        ", ".join(f"{name} {values[name]}" for name in names if name in values) or ("unknown" if names else "")
        for values in settings
    ]


def _merged(settings: Mapping[str, str]) -> Mapping[str, str]:
    """Name a setting only once if several nodes have the same value: `advert_int` for `lb1 advert_int` and
    `lb2 advert_int`."""
    merged = {}
    for name, value in settings.items():
        setting = name.partition(" ")[2]
        others = [v for other, v in settings.items() if other != name and other.partition(" ")[2] == setting]
        merged[setting if others and {*others} == {value} else name] = value
    return merged


def _address(entry: Entry) -> str:
    """Return the URL without its path, because runs of one pair may request different paths."""
    return "/".join(entry.url.split("/")[:3])


def counted_once(entries: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
    """Return each run only once, and a note for each copy of a run."""
    first: dict[tuple[str, int | None], Entry] = {}
    kept, notes = [], []
    for entry in entries:
        before = first.setdefault((entry.run, entry.start_us), entry)
        if before is entry or DAMAGED in (before.status, entry.status):
            kept.append(entry)
        else:
            notes.append(f"{entry.run} is in {before.path} and in {entry.path}: the run is counted once")
    return kept, notes


def notes_on(entries: Iterable[Entry]) -> list[str]:
    """Return a note for each run that is damaged or has no verdict."""
    notes = []
    for entry in entries:
        if entry.status == DAMAGED:
            notes.append(f"{entry.path} is damaged: {entry.damage}")
        elif entry.status == NOT_JUDGED:
            notes.append(f"{entry.path} has no verdict: run 'switchover report'")
    return notes


def time_text(at_us: int | None) -> str:
    """Format a time as UTC, for example `2026-11-24 16:31`; empty if the time is unknown."""
    return "" if at_us is None else datetime.fromtimestamp(at_us / 1e6, UTC).strftime("%Y-%m-%d %H:%M")
