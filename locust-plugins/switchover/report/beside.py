"""The load and the metronome side by side, phase by phase, and why they differ where they do."""

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from switchover.analysis.phases import PhaseName
from switchover.analysis.population import Counts, Population
from switchover.analysis.verdict import Verdict

NOTHING = "-"


def beside_each_other(verdict: Verdict) -> RenderableType:
    """Of a run with a load; a line per phase. Without a metronome its columns stay empty."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("phase", no_wrap=True)
    for name in ("probes/s", "failed", "p99 ms", "load/s", "users", "failed", "late", "p99 ms"):
        table.add_column(name, justify="right", no_wrap=True)
    for phase in PhaseName:
        probes, samples = _of(verdict.probes, phase), _of(verdict.samples, phase)
        if samples is None:
            continue
        of_probes = (_rate(probes), _failed(probes), _p99(probes))
        of_load = (_rate(samples), _users(samples), _failed(samples), f"{samples.late:,}", _p99(samples))
        table.add_row(phase.value, *(Text(cell) for cell in (*of_probes, *of_load)))
    lines: list[RenderableType] = [table]
    gap = verdict.longest_gap
    if gap is not None:
        told = f"the load had no good answer for {gap.duration_us / 1000:,.0f} ms at the longest"
        lines.append(Text(told, style="dim"))
    lines += [Text.assemble(("load: ", "cyan"), artefact.text) for artefact in verdict.artefacts]
    return Padding(Group(*lines), (1, 0))


def _of(population: Population | None, phase: PhaseName) -> Counts | None:
    return population.by_phase.get(phase) if population else None


def _rate(counts: Counts | None) -> str:
    return NOTHING if counts is None or counts.rate is None else f"{counts.rate:,.0f}"


def _users(counts: Counts) -> str:
    return NOTHING if counts.users is None else f"{counts.users:,.0f}"


def _failed(counts: Counts | None) -> str:
    if counts is None or not counts.total:
        return NOTHING
    return f"{counts.failed:,}" + (f" ({counts.failed / counts.total:.0%})" if counts.failed else "")


def _p99(counts: Counts | None) -> str:
    """From when it was sent, the only view that both have."""
    if counts is None or counts.latency is None:
        return NOTHING
    return f"{counts.latency.from_send.p99_us / 1000:,.1f}"
