"""The table of the connections that a fault has killed: what told their owners of it, and when."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from switchover.analysis.dead_connections import DeadConnections

TITLE = "dead connections: what told their owners, and how long after the fault"
COLUMNS = ("kind", "open", "dead", "by FIN", "by RST", "time-out", "untold", "half ms", "last ms")


def dead_table(found: Sequence[DeadConnections]) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(COLUMNS[0], no_wrap=True)
    for name in COLUMNS[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    for kind in found:
        table.add_row(*(Text(cell, style="bold red" if kind.untold else "") for cell in dead_row(kind)))
    return Group(Text(TITLE), table)


def dead_row(kind: DeadConnections) -> tuple[str, ...]:
    """A kind under `COLUMNS`."""
    counts = (kind.open, kind.dead, kind.by_fin, kind.by_rst, kind.by_timeout, kind.untold)
    times = ("" if us is None else f"{us / 1000:,.0f}" for us in (kind.median_us, kind.longest_us))
    return (kind.kind.value, *(f"{count:,}" for count in counts), *times)
