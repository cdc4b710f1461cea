"""Which files of a run are not as the run left them, and from when on what they source is lost.

A file with a seal is held against it. One without, of an earlier version or of a process that was killed, is held
against what the run counted: a journal has its end event, and as many requests as were recorded.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from switchover.analysis.ledger import Accounting
from switchover.analysis.log_ledger import ACCESS_LOG
from switchover.rundir.journal import JournalRecord
from switchover.rundir.measurements import PROBES, REQUESTS
from switchover.rundir.run_directory import (
    JMETER_JOURNAL,
    JOURNAL_FILE,
    LOCUST_JOURNAL,
    PROBER_JOURNAL,
    PROBES_FILE,
    Run,
)
from switchover.rundir.seal import Damage, Seal
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Reason

PROBES_STEM, SAMPLES_STEM, JOURNAL_STEM = "probes", "samples", "journal"
"""How the names of these files begin, in each of the forms that they may have."""

NAMED = 3
"""Files that a sentence names; of more the number is."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """A file that is not whole."""

    name: str
    reason: Reason


def _flaw_of_damage(damage: Damage) -> Flaw:
    return Flaw(damage.name, make_reason("file_damaged", name=damage.name, what=damage.text))


def is_flawed(flaws: Sequence[Flaw], *begin: str) -> bool:
    """Whether a file is, whose name begins with one of these."""
    return any(flaw.name.startswith(begin) for flaw in flaws)


def why_flawed(flaws: Sequence[Flaw], *begin: str) -> str:
    """The first of these, as a reader is told; empty: there is none."""
    return next((flaw.reason.text for flaw in flaws if flaw.name.startswith(begin)), "")


def why_unsealed(unsealed: Sequence[str], accounting: Accounting) -> str:
    """Why what is unaccounted says nothing: a file that was compared may be damaged, and has no seal that would tell.

    Of access logs that alone differ, their names; else those of all files without a seal.
    """
    differing = [line for line in accounting.lines if line.unaccounted]
    logs = {f"access-{line.node}.csv" for line in differing if line.said_by == ACCESS_LOG}
    alone = [name for name in unsealed if name in logs and all(line.said_by == ACCESS_LOG for line in differing)]
    names = alone or unsealed
    if not accounting.unaccounted or not names:
        return ""
    more = f" and {len(names) - NAMED} more have" if len(names) > NAMED else " has" if len(names) == 1 else " have"
    return (
        f"unaccounted {accounting.unaccounted:,}, and {', '.join(names[:NAMED])}{more} no seal: nothing says "
        "whether the pair or a damaged file made the difference"
    )


def find_flaws(
    run: Run,
    records: Sequence[JournalRecord],
    damage: Iterable[Damage],
    seals: Mapping[str, Sequence[Seal]],
    rows: Mapping[str, int],
) -> tuple[Flaw, ...]:
    """`damage`: of tables and logs that have a seal. `rows`: how many requests each of those without one has."""
    return (*_journal_flaws(run, records), *map(_flaw_of_damage, damage), *_log_flaws(run, seals, rows))


def _journal_flaws(run: Run, records: Sequence[JournalRecord]) -> Iterator[Flaw]:
    for record in records:
        if record.damage is not None:
            yield _flaw_of_damage(record.damage)
        elif not record.is_sealed:
            yield from _end_flaws(run, record)
            yield from _traffic_flaws(run, record)


def _end_flaws(run: Run, record: JournalRecord) -> Iterator[Flaw]:
    """The journal of a run that reached its end says so."""
    end_us = run.plan.end_us
    if record.name != JOURNAL_FILE or end_us is None or record.has_event("end"):
        return
    last_us = max((point.time_ns // 1000 for point in record.points), default=run.plan.start_us or end_us)
    early_s = max(0, end_us - last_us) / 1e6
    yield Flaw(record.name, make_reason("record_ends", name=record.name, early_s=early_s))


def _traffic_flaws(run: Run, record: JournalRecord) -> Iterator[Flaw]:
    """The points of all seconds together count each request once."""
    if record.name == PROBER_JOURNAL:
        recorded, measurement = count_probes(run), PROBES
    elif record.name in (LOCUST_JOURNAL, JMETER_JOURNAL):
        recorded, measurement = _sum([worker.points for worker in run.workers]), REQUESTS
    else:
        return
    found = record.count(measurement)
    if recorded is not None and recorded != found:
        yield _count_flaw(record.name, recorded, found)


def _count_flaw(name: str, recorded: int, found: int) -> Flaw:
    return Flaw(name, make_reason("count_differs", name=name, recorded=recorded, found=found))


def _log_flaws(run: Run, seals: Mapping[str, Sequence[Seal]], rows: Mapping[str, int]) -> Iterator[Flaw]:
    """Of the probes' log and the access logs that have no seal."""
    if PROBES_FILE in rows and PROBES_FILE not in seals:
        recorded, lost = count_probes(run), run.generator.lost or 0
        if recorded is not None and recorded - lost != rows[PROBES_FILE]:
            yield _count_flaw(PROBES_FILE, recorded - lost, rows[PROBES_FILE])
    for node, facts in run.access_logs.items():
        name, lines, by_status = f"access-{node}.csv", facts.get("lines"), facts.get("by_status") or {}
        if name in rows and name not in seals and isinstance(lines, int):
            unread = by_status.get("unread", 0) if isinstance(by_status, Mapping) else 0
            if isinstance(unread, int) and lines - unread != rows[name]:
                yield _count_flaw(name, lines - unread, rows[name])


def count_probes(run: Run) -> int | None:
    """How many probes the prober recorded, on both kinds of connection; None where it does not say."""
    streams = [run.generator, *([run.generator.kept] if run.generator.kept else [])]
    return _sum([stream.recorded for stream in streams])


def _sum(counts: Sequence[object]) -> int | None:
    """None where one of them is not known, or there is none."""
    known = [count for count in counts if isinstance(count, int)]
    return sum(known) if known and len(known) == len(counts) else None
