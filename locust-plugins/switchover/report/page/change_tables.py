"""A series of changes: what each kind of connection felt of each change, and the losses one by one."""

from collections.abc import Sequence
from typing import Any

from switchover.analysis.change_cost import Felt
from switchover.analysis.change_figures import ChangeFigures
from switchover.model.units import format_ms
from switchover.report.change_table import UNKNOWN, logs_of_losses, percent, usual_text
from switchover.report.page.charts import TimeAxis
from switchover.report.page.table import Cell, Table, number

NOTHING_FELT = Felt()
KIND_COLUMNS = (
    "kind",
    "open at the changes",
    "lost",
    "of a thousand",
    "lossy changes",
    "at most (95 %)",
    "closed politely",
    "reset",
    "longest wait (ms)",
    "between changes (ms)",
)
LOSS_COLUMNS = ("connection", "change", "after it", "what", "ended by", "after byte or message", "process")


def kinds_table(changes: ChangeFigures) -> Table:
    rows = []
    for place, kind in enumerate(changes.kinds):
        at, delay, per_thousand = f"/changes/kinds/{place}", kind.delay, kind.lost_per_thousand
        rows.append(
            (
                Cell(kind.kind),
                number(f"{kind.exposed:,}", f"{at}/exposed"),
                number(f"{kind.lost:,}", f"{at}/lost", tone="bad" if kind.lost else ""),
                number(f"{per_thousand:,.1f}", f"{at}/lost_per_thousand") if per_thousand is not None else _unknown(),
                number(f"{kind.lossy} of {kind.changes}", f"{at}/lossy"),
                number(percent(kind.lossy_bounds[1])),
                number(f"{kind.closed_politely:,}", f"{at}/closed_politely"),
                number(f"{kind.reset:,}", f"{at}/reset"),
                number(f"{delay.longest_us / 1000:,.0f}", f"{at}/delay_longest_ms") if delay else _unknown(),
                number(usual_text(delay.usual)) if delay else _unknown(),
            )
        )
    return Table("By kind of connection", KIND_COLUMNS, rows)


def losses_table(changes: ChangeFigures) -> Table:
    rows = [
        (
            Cell(loss.place),
            number("none" if loss.change is None else str(loss.change)),
            number("" if loss.after_change_us is None else format_ms(loss.after_change_us / 1000)),
            Cell(loss.error),
            Cell(loss.ended_by),
            number("" if loss.position is None else f"{loss.position:,}"),
            Cell(loss.worker or "not known"),
        )
        for loss in changes.losses
    ]
    more = changes.lost + sum(kind.lost_elsewhere for kind in changes.kinds) - len(rows)
    return Table(
        "The losses" if more <= 0 else f"{len(rows)} of the losses: the first of each kind",
        LOSS_COLUMNS,
        rows,
        note=f"{more:,} more: see {logs_of_losses(changes)}." if more > 0 else "",
    )


def strip(changes: ChangeFigures | None, clock: TimeAxis) -> dict[str, Any] | None:
    """What the chart of all changes draws: a column for each change, a row for each kind."""
    if changes is None:
        return None
    kinds = [kind.kind for kind in changes.kinds]
    return {
        "kinds": list(kinds),
        "numbers": [change.number for change in changes.made],
        "at": [clock.at(change.from_us or 0) for change in changes.made],
        "felt": {
            kind: [_felt(changes.felt.get(change.number, {}).get(kind, NOTHING_FELT)) for change in changes.made]
            for kind in kinds
        },
    }


def _felt(felt: Felt) -> Sequence[float | None]:
    """Lost, closed politely, and the longest wait in ms where a change made it longer."""
    waited = felt.longest_us / 1000 if felt.delayed and felt.longest_us is not None else None
    return (felt.lost, felt.closed_politely, waited)


def _unknown() -> Cell:
    return number(UNKNOWN)
