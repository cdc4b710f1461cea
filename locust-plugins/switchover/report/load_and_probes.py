"""The load and the metronome side by side, phase by phase, and why they differ where they do."""

from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from switchover.analysis.clock_jumps import utc
from switchover.analysis.phases import PhaseName
from switchover.analysis.population import Counts, Population
from switchover.analysis.stretches import Stretches
from switchover.analysis.verdict import Verdict
from switchover.model.interval import Span
from switchover.report.text import in_ms, milliseconds, no_less_than, no_more_than

NOTHING = "-"


class Beside(NamedTuple):
    """A population in one phase, as text; users are those of a load."""

    rate: str
    users: str
    failed: str
    late: str
    p99: str


def beside_each_other(verdict: Verdict) -> RenderableType:
    """The load beside the probes, a line per phase. Without a metronome the columns of the probes stay empty."""
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


def stretch_text(stretches: Stretches) -> str:
    """The longest stretch without a good answer, and how many more there were."""
    longest = stretches.longest
    if longest is None:
        return f"nothing longer than {no_more_than(stretches.limit_us)}, by the load's own answers"
    if longest.length.high is None:
        length = f"at least {no_less_than(longest.length.low)}, to the end of the log,"
    else:
        bound = f"(−{-(-longest.bound_us // 1000):,}/+0)"  # noqa: RUF001
        length = f"{milliseconds(int(longest.length.high))} {bound}"
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in longest.by_kind.items())
    failed = f"{longest.failed:,} failed: {kinds}" if longest.failed else "nothing failed: requests waited"
    if longest.silent:
        failed = "no request was logged in it"
    more = len(stretches.found) - 1
    return f"{length} from {utc(longest.from_us)} UTC; {failed}" + (f"; {more:,} shorter ones" if more else "")


def longest_gap_text(gap: Span) -> str:
    return f"the load had no good answer for {gap.duration_us / 1000:,.0f} ms at the longest"


def _failed(counts: Counts) -> str:
    if not counts.total:
        return NOTHING
    return f"{counts.failed:,}" + (f" ({counts.failed / counts.total:.0%})" if counts.failed else "")
