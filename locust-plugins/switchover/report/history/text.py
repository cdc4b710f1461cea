"""A run of the history, and the runs of one fault, as texts."""

from collections.abc import Iterator, Mapping, Sequence

from switchover.analysis.history.entry import Entry, Length
from switchover.analysis.history.history import Group, time_text
from switchover.report.text import length_text, shortened, window

NOTHING = "-"
SETTINGS_LENGTH = 80


def run_texts(entry: Entry) -> Mapping[str, str]:
    """By the title of a column; the console and the page show the same."""
    predicted = window(entry.predicted_low_ms, entry.predicted_high_ms) if entry.predicted_low_ms is not None else ""
    if entry.inside is False:
        predicted += ", outside"
    return {
        "began (UTC)": time_text(entry.start_us) or NOTHING,
        "target": entry.target or NOTHING,
        "fault": entry.what or NOTHING,
        "verdict": entry.status,
        "outage": _or_nothing(entry.outage),
        "failback": _or_nothing(entry.failback),
        "predicted": predicted or NOTHING,
        "failed": NOTHING if entry.total is None else f"{entry.failed or 0:,} of {entry.total:,}",
        "split brain": NOTHING if entry.split_brain_ms is None else f"{entry.split_brain_ms:,.0f} ms",
        "versions": entry.versions_text or NOTHING,
        "run": entry.path,
        "why": entry.reason or NOTHING,
    }


def _or_nothing(length: Length | None) -> str:
    return NOTHING if length is None else length_shown(length)


def length_shown(length: Length) -> str:
    high_us = None if length.censored or length.high_ms is None else round(length.high_ms * 1000)
    return length_text(
        length.kind,
        round(length.low_ms * 1000),
        high_us,
        round(length.detection_limit_ms * 1000),
        recovered=length.recovered,
    )


def fault_text(group: Group, nothing: str) -> str:
    """The fault, with the settings that tell this group from others of the same fault."""
    settings = shortened(group.settings, SETTINGS_LENGTH)
    return (group.what or nothing) + (f" ({settings})" if settings else "")


def group_texts(group: Group) -> Mapping[str, str]:
    outages, (inside, predicted) = group.outages_ms, group.insides
    return {
        "target": group.target or NOTHING,
        "fault": fault_text(group, NOTHING),
        "runs": f"{len(group.entries):,}",
        "statuses": ", ".join(f"{count:,} {status}" for status, count in group.statuses),
        "median outage": NOTHING if group.median_ms is None else f"{group.median_ms:,.0f} ms",
        "shortest to longest": f"{outages[0]:,.0f} to {outages[-1]:,.0f} ms" if outages else NOTHING,
        "as predicted": f"{inside:,} of {predicted:,}" if predicted else NOTHING,
        "last": (time_text(group.entries[-1].start_us) if group.entries else "") or NOTHING,
    }


def reason_lines(entries: Sequence[Entry]) -> Iterator[str]:
    """Why faults were not fired or not healed: a line each."""
    return (entry_line(entry) for entry in entries if entry.reason)


def entry_line(entry: Entry) -> str:
    """When it was, of what, its word, and its reason where it has one."""
    of = f"{entry.what or NOTHING} of {entry.target or NOTHING}"
    line = f"{time_text(entry.start_us) or NOTHING} {of}, {entry.status}"
    return f"{line}: {entry.reason}" if entry.reason else line


def runs_counted(entries: Sequence[Entry]) -> str:
    return counted(len(entries), "run")


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
