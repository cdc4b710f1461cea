"""The table of a series of changes: a line for each kind of connection, as wide as a screen."""

import math
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from switchover.analysis.change_cost import KindFigures, Loss
from switchover.analysis.change_figures import ChangeFigures
from switchover.analysis.change_retrying_client import RetryingClientFigures
from switchover.analysis.change_samples import SAMPLES
from switchover.model.held_kind import HeldKind
from switchover.model.interval import Interval
from switchover.model.units import format_ms
from switchover.report.tables import counts_table
from switchover.rundir.held_log import HELD_FILE

COLUMNS = ("kind", "open", "lost", "/1000", "lossy", "at most", "closed", "reset", "wait ms", "usual")
"""Connections open at the changes, losses, those of a thousand open; lossy changes, the upper bound of their share;
polite closes, resets; the longest wait in ms and the same percentile between the changes."""
UNKNOWN = "?"
LOSSES_SHOWN = 3


def change_table(changes: ChangeFigures) -> RenderableType:
    table = counts_table(COLUMNS, ((change_row(kind), kind.lost > 0) for kind in changes.kinds))
    return Group(table, *(Text(line) for line in change_lines(changes)))


def change_row(kind: KindFigures) -> tuple[str, ...]:
    """A kind under `COLUMNS`."""
    delay, per_thousand = kind.delay, kind.lost_per_thousand
    return (
        kind.kind,
        f"{kind.exposed:,}",
        f"{kind.lost:,}",
        UNKNOWN if per_thousand is None else f"{per_thousand:.1f}".removesuffix(".0"),
        f"{kind.lossy} of {kind.changes}",
        percent(kind.lossy_bounds[1]),
        f"{kind.closed_politely:,}",
        f"{kind.reset:,}",
        UNKNOWN if delay is None else f"{delay.longest_us / 1000:,.0f}",
        UNKNOWN if delay is None else usual_text(delay.usual),
    )


def percent(bound: float) -> str:
    """An upper bound, rounded up: `1.0 %`."""
    tenths = math.ceil(bound * 1000 - 1e-9)
    return f"{tenths / 10:.1f} %" if tenths < 100 else f"{math.ceil(tenths / 10)} %"


def change_lines(changes: ChangeFigures, losses: int = LOSSES_SHOWN) -> list[str]:
    """What stands below the table."""
    made, high = len(changes.made), percent(changes.lossy_bounds()[1])
    share = f"{changes.lossy} of {made} changes lost something: at most {high} of all do, with 95 % confidence"
    lines = [f"{changes.lost:,} lost; {share}"]
    if changes.lingering:
        lines.append(f"after {changes.lingering} of them an old process still had connections when its time was over")
    lines += retrying_client_lines(changes.retrying_clients, changes.kinds)
    lines += [loss_text(loss) for loss in changes.losses[:losses]]
    if losses and changes.lost > losses:
        lines.append(f"and {changes.lost - losses:,} more: see {logs_of_losses(changes)}")
    return lines


def logs_of_losses(changes: ChangeFigures) -> str:
    lossy = [kind.kind for kind in changes.kinds if kind.lost or kind.lost_elsewhere]
    return " and ".join(sorted({"the sample log" if kind == SAMPLES else HELD_FILE for kind in lossy}))


def retrying_client_lines(
    retrying_clients: Sequence[RetryingClientFigures], kinds: Sequence[KindFigures]
) -> list[str]:
    """What clients that send again tell of the same load."""
    lost = sum(kind.lost for kind in kinds if kind.kind is HeldKind.POOLED)
    lines = [
        f"{retrying_client.client} beside it told its caller of {retrying_client.raised:,} errors "
        f"in {retrying_client.requests:,} requests, "
        f"and sent {retrying_client.resent:,} again without a word"
        for retrying_client in retrying_clients
    ]
    return [f"pooled: {lost:,} lost by the client that never sends again", *lines] if lines else []


def loss_text(loss: Loss) -> str:
    """`change 3, pooled 22.3: truncated by fin after byte 0, 401 ms after it, on process 65`"""
    change = "no change" if loss.change is None else f"change {loss.change}"
    by = f" by {loss.ended_by}" if loss.ended_by else ""
    at = "" if loss.position is None else f" at {loss.position:,}"
    after = "" if loss.after_change_us is None else f", {format_ms(loss.after_change_us / 1000)} after it"
    worker = f", on process {loss.worker}" if loss.worker else ""
    return f"{change}, {loss.place}: {loss.error}{by}{at}{after}{worker}"


def usual_text(usual: Interval) -> str:
    """The upper end of its interval; `98+` where that is not known."""
    return f"{usual.low / 1000:,.0f}+" if usual.high is None else f"{usual.high / 1000:,.0f}"
