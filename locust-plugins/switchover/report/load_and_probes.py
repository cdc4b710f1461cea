"""The load and the prober side by side, phase by phase, and why they differ where they do."""

from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from switchover.analysis.logs.dates import utc
from switchover.analysis.phases import PhaseName
from switchover.analysis.population import Counts, Population
from switchover.analysis.silences import Silence, Silences
from switchover.analysis.verdict import Verdict
from switchover.model.interval import Span
from switchover.report.history.text import counted
from switchover.report.text import in_ms, seconds_down, seconds_up

NOTHING = "-"


class Beside(NamedTuple):
    """A population in one phase, as text; users are those of a load."""

    rate: str
    users: str
    failed: str
    late: str
    p99: str


def beside_each_other(verdict: Verdict) -> RenderableType:
    """The load beside the probes, a line per phase. Without a prober the columns of the probes stay empty."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("phase", no_wrap=True)
    for name in ("probes/s", "failed", "p99 ms", "load/s", "users", "failed", "late", "p99 ms"):
        table.add_column(name, justify="right", no_wrap=True)
    for phase in PhaseName:
        load = beside(verdict.figures.samples, phase)
        if load is None:
            continue
        probes = beside(verdict.figures.probes, phase) or Beside(*[NOTHING] * len(Beside._fields))
        table.add_row(phase.value, *(Text(cell) for cell in (probes.rate, probes.failed, probes.p99, *load)))
    lines: list[RenderableType] = [table]
    if verdict.figures.longest_gap is not None:
        lines.append(Text(longest_gap_text(verdict.figures.longest_gap), style="dim"))
    lines += [Text.assemble(("load: ", "cyan"), artefact.text) for artefact in verdict.figures.artefacts]
    return Padding(Group(*lines), (1, 0))


def beside(population: Population | None, phase: PhaseName) -> Beside | None:
    """None where there was no such population, or no such phase. The p99 is from when it was sent, the only view that
    probes and load both have."""
    counts = population.by_phase.get(phase) if population else None
    if counts is None:
        return None
    return Beside(
        rate=NOTHING if counts.rate is None else f"{counts.rate:,.0f}",
        users=NOTHING if counts.users is None else f"{counts.users:,.0f}",
        failed=_failed(counts),
        late=f"{counts.late:,}",
        p99=NOTHING if counts.latency is None else in_ms(counts.latency.from_send.p99_us),
    )


def silence_lines(found: Silences) -> list[tuple[str, str]]:
    """The outage of a log, and its longest silence if that is another one."""
    where = " of ".join(filter(None, (found.label, found.file)))
    of = f" ({where})" if where else ""
    lines, high = [], found.longest.length.high
    if found.outage is not None:
        more = f"; {found.more:,} more are proven" if found.more else ""
        lines.append(("outage", f"{_proven_text(found.outage)}{more}{of}"))
    if found.outage is None or found.longest.span != found.outage.span:
        longest = seconds_up(found.longest.span.duration_us if high is None else high, 2)
        lines.append(("", f"Longest time without a good response {longest} s ({_held(found.longest)}){of}"))
    return lines


def _proven_text(outage: Silence) -> str:
    low, high = seconds_down(outage.length.low), outage.length.high
    at = f"from {utc(outage.span.from_us)} UTC; {_held(outage)}"
    if high is None:
        return f"at least {low} s, to the end of the log, {at}"
    return f"{seconds_up(high, 2)} s ({low}–{seconds_up(high)}) {at}"  # noqa: RUF001


def _held(silence: Silence) -> str:
    """`nothing failed; 12 requests in progress`"""
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in silence.by_kind.items())
    failed = f"{silence.failed:,} failed: {kinds}" if silence.failed else "nothing failed"
    return f"{failed}; {counted(silence.in_progress, 'request')} in progress"


def longest_gap_text(gap: Span) -> str:
    return f"the load had no good answer for {gap.duration_us / 1000:,.0f} ms at the longest"


def _failed(counts: Counts) -> str:
    if not counts.total:
        return NOTHING
    return f"{counts.failed:,}" + (f" ({counts.failed / counts.total:.0%})" if counts.failed else "")
