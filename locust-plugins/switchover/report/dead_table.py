"""The table of the connections that a fault has killed: what told their owners of it, and when."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from switchover.analysis.dead_connections import DeadConnections
from switchover.report.tables import counts_table

TITLE = "dead connections: what told their owners, and how long after the fault"
COLUMNS = ("kind", "open", "dead", "by FIN", "by RST", "time-out", "untold", "half ms", "last ms")


def dead_table(found: Sequence[DeadConnections]) -> RenderableType:
    return Group(Text(TITLE), counts_table(COLUMNS, ((dead_row(kind), kind.untold > 0) for kind in found)))


def dead_row(kind: DeadConnections) -> tuple[str, ...]:
    """A kind under `COLUMNS`."""
    counts = (kind.open, kind.dead, kind.by_fin, kind.by_rst, kind.by_timeout, kind.untold)
    times = ("" if us is None else f"{us / 1000:,.0f}" for us in (kind.median_us, kind.longest_us))
    return (kind.kind.value, *(f"{count:,}" for count in counts), *times)
