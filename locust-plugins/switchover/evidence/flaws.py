"""Find the files of a run that are damaged, or that were changed after the run.

A seal is the checksum of a file in run.json. A file that does not match its seal is not used. A file from an earlier
version or from a killed process has no seal. Without seals, the journal must contain the end of the run, and
probes.jtl must contain the recorded number of probes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from switchover.rundir.journal import JournalRecord
from switchover.rundir.run_directory import JOURNAL_FILE, PROBES_FILE, Run
from switchover.rundir.seal import CHANGED
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Reason

PROBES_STEM, SAMPLES_STEM, JOURNAL_STEM = "probes", "samples", "journal"
"""The beginnings of the file names of probe logs, sample logs and journals."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """A damaged file."""

    name: str
    reason: Reason


def why_flawed(flaws: Sequence[Flaw], *begin: str) -> str:
    """Return the reason of the first flaw in files whose names start with one of `begin`; empty: no flaw."""
    return next((flaw.reason.text for flaw in flaws if flaw.name.startswith(begin)), "")


def find_flaws(
    run: Run, records: Sequence[JournalRecord], damaged: Iterable[str], unsealed_probes: int | None
) -> tuple[Flaw, ...]:
    """Return the damaged files of a run. `damaged`: tables and logs that do not match their seals. `unsealed_probes`:
    the number of rows of a probes.jtl without a seal."""
    damages = [*((record.name, record.damage) for record in records), *((name, CHANGED) for name in damaged)]
    return (
        *(
            Flaw(name, make_reason("file_damaged", name=name, what=f"{name} {what}: the file is not used"))
            for name, what in damages
            if what
        ),
        *(flaw for record in records if not record.is_sealed for flaw in _end_flaws(run, record)),
        *_count_flaws(run, unsealed_probes),
    )


def _end_flaws(run: Run, record: JournalRecord) -> Iterator[Flaw]:
    """Yield a flaw if the run ended normally, but the run's journal has no event `end`."""
    end_us = run.plan.end_us
    if record.name != JOURNAL_FILE or end_us is None or record.damage or record.has_event("end"):
        return
    last_us = max((point.time_ns // 1000 for point in record.points), default=run.plan.start_us or end_us)
    early_s = max(0, end_us - last_us) / 1e6
    yield Flaw(record.name, make_reason("record_ends", name=record.name, early_s=early_s))


def _count_flaws(run: Run, unsealed_probes: int | None) -> Iterator[Flaw]:
    recorded, lost = count_probes(run), run.generator.lost or 0
    if unsealed_probes is not None and recorded is not None and recorded - lost != unsealed_probes:
        reason = make_reason("count_differs", name=PROBES_FILE, recorded=recorded - lost, found=unsealed_probes)
        yield Flaw(PROBES_FILE, reason)


def count_probes(run: Run) -> int | None:
    """Return the number of probes that the prober recorded on all connections; None if the number is unknown."""
    counts = [stream.recorded for stream in (run.generator, run.generator.kept) if stream is not None]
    numbers = [count for count in counts if count is not None]
    return sum(numbers) if len(numbers) == len(counts) else None
