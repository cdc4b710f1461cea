"""Check the consistency of a run directory."""

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
"""The figures of verdict.json that are the same for all options of `switchover report`."""


def find_violations(data: RunData, stored: bytes | None) -> Iterator[str]:
    """Yield a text for each inconsistency. `stored`: the content of verdict.json; None if the file does not exist."""
    yield from (flaw.reason.text for flaw in data.flaws)
    yield from (f"{name} is missing" for name in data.missing)
    yield from data.unread
    if not data.flaws:
        yield from _counts(data)
    if stored is not None:
        yield from _figures(data, stored)


def _counts(data: RunData) -> Iterator[str]:
    """Check that each sent probe has one row in probes.jtl, and that the logs contain as many rows as the run
    recorded."""
    lost = data.run.generator.lost or 0
    for line in schedule_lines(data.probes, data.run.generator):
        if line.unaccounted > lost:
            yield f"{line.name}: {line.client:,} rows for {line.source:,}, {line.unaccounted:,} of them wrong"
    for name, recorded, rows in (
        ("probes.jtl", count_probes(data.run), len(data.probes) + lost),
        ("the sample logs", count_recorded(data.run), len(data.samples)),
    ):
        if recorded is not None and recorded != rows:
            yield f"{name}: {rows:,} rows, but the run recorded {recorded:,}"


def _figures(data: RunData, stored: bytes) -> Iterator[str]:
    """Compute the figures again from the other files, and check that verdict.json has equal figures."""
    try:
        record = msgspec.json.decode(stored, type=Record)
    except msgspec.MsgspecError as error:
        yield f"{VERDICT_FILE}: {error}: run 'switchover report' again"
        return
    now = judge(data).record
    for name in COMPARED:
        if getattr(record, name) != getattr(now, name):
            yield f"{VERDICT_FILE}: {name} differs from the other files: run 'switchover report' again"
