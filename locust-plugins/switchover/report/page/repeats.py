"""The page of several drills of one fault: how their outages lie in the window of theory, and a link to each."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from switchover.analysis.prediction_fit import Series
from switchover.analysis.repeats import Repeats
from switchover.analysis.status import Status
from switchover.analysis.verdict import Verdict
from switchover.report.console import REPEAT_COLUMNS, repeat_row, series_lines
from switchover.report.page.document import REPEATS, document
from switchover.report.page.table import Cell, Table, number, word_tone

NUMBERS = frozenset({1, 2, 3, 5, 6})


def repeats_page(title: str, repeats: Repeats, page: str) -> bytes:
    """The folder of each drill is beside this page; `page` is the file in it that is linked to."""
    drills, status = repeats.drills, repeats.status
    return document(
        "repeats.html.j2",
        REPEATS,
        {
            "drills": [_drill(place, *drill) for place, drill in enumerate(drills, start=1)],
            "series": _series(repeats.series),
        },
        title=title,
        status=status.value.lower(),
        well=status.exit_code == 0,
        lines=series_lines(repeats),
        table=_table(drills, page),
    )


def _table(drills: Sequence[tuple[str, Verdict]], page: str) -> Table:
    rows = []
    for place, (folder, verdict) in enumerate(drills, start=1):
        name, *rest = repeat_row(str(place), verdict)
        cells = [
            number(text) if column in NUMBERS else Cell(text, tone=_tone(text))
            for column, text in enumerate(rest, start=1)
        ]
        rows.append((Cell(name, link=f"./{quote(folder)}/{page}"), *cells, Cell(folder)))
    return Table("Drills", (*REPEAT_COLUMNS, "run"), rows)


def _tone(text: str) -> str:
    if text in set(Status):
        return word_tone(text)
    return {"yes": "good", "NO": "bad"}.get(text, "")


def _drill(place: int, folder: str, verdict: Verdict) -> dict[str, Any]:
    """An outage stands at the middle of what its bound allows, as in the test of fit."""
    outage = verdict.events.outage
    length = outage.length if outage and verdict.valid and not outage.censored else None
    return {
        "number": place,
        "run": folder,
        "low": length.low / 1000 if length else None,
        "high": (length.high or 0) / 1000 if length else None,
        "text": repeat_row(str(place), verdict)[1],
        "why": "" if length else "unknown" if outage is None else "invalid" if not verdict.valid else "not recovered",
    }


def _series(series: Series) -> Mapping[str, Any]:
    return {
        "outages": sorted(series.outages_ms),
        "low": series.low_ms,
        "high": series.high_ms,
        "uniform": series.p is not None,
    }
