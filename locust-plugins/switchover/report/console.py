"""A verdict on the screen: the summary, and the details with every table of the page."""

from rich.console import Group, RenderableType
from rich.text import Text

from switchover.report.documents import Judged
from switchover.report.screen import page_table
from switchover.report.summary import summarize
from switchover.report.summary_text import summary_text
from switchover.report.tables import detail_tables


def summary(judged: Judged, details: str = "") -> RenderableType:
    """One screen. `details` names the option that prints the rest."""
    return summary_text(summarize(judged), details=details)


def details(judged: Judged) -> RenderableType:
    """The summary with all warnings, the load's peculiarities, and the tables."""
    artefacts = (judged.verdict.load and judged.verdict.load.artefacts) or ()
    return Group(
        summary_text(summarize(judged), warnings=None),
        *(Text(f"  Load: {one.text}") for one in artefacts),
        *(page_table(table) for table in detail_tables(judged)),
    )
