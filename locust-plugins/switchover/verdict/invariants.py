"""Conditions that every valid run directory meets."""

from collections.abc import Iterator

import msgspec

from switchover.evidence.flaws import count_probes
from switchover.evidence.run_data import RunData
from switchover.figures.accounting.own_records import schedule_lines
from switchover.rundir.run_directory import VERDICT_FILE
from switchover.verdict.judge import judge
from switchover.verdict.record import Verdict as Record
from switchover.verdict.validity import count_recorded

COMPARED = ("run", "outage", "failback", "probes", "samples", "split_brain")
"""Figures of verdict.json that no option of a report changes."""


def find_violations(data: RunData, kept: bytes | None) -> Iterator[str]:
    """Yield a line for each condition that is not met. `kept`: the content of verdict.json, or None without one."""
    yield from (flaw.reason.text for flaw in data.flaws)
    yield from (f"{name} is missing" for name in data.missing)
    yield from data.unread
    if not data.flaws:
        yield from _counts(data)
    if kept is not None:
        yield from _figures(data, kept)


def _counts(data: RunData) -> Iterator[str]:
    """Check that each due time has one row of probes.jtl or was given up, and that logs have all recorded rows."""
    lost = data.run.generator.lost or 0
    for line in schedule_lines(data.probes, data.run.generator):
        if line.unaccounted > lost:
            yield f"{line.name}: {line.client:,} rows for {line.source:,}, {line.unaccounted:,} of them wrong"
    for name, recorded, found in (
        ("probes.jtl", count_probes(data.run), len(data.probes) + lost),
        ("the sample logs", count_recorded(data.run), len(data.samples)),
    ):
        if recorded is not None and recorded != found:
            yield f"{name}: {found:,} rows, and {recorded:,} were recorded"


def _figures(data: RunData, kept: bytes) -> Iterator[str]:
    """Check that the figures of verdict.json follow from the other files."""
    try:
        record = msgspec.json.decode(kept, type=Record)
    except msgspec.MsgspecError as error:
        yield f"{VERDICT_FILE}: {error}: 'switchover report' makes it again"
        return
    now = judge(data).record
    for name in COMPARED:
        if getattr(record, name) != getattr(now, name):
            yield f"{VERDICT_FILE}: {name} does not follow from the other files: 'switchover report' makes it again"
