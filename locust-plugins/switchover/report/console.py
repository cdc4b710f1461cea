"""A verdict on the screen: the summary, and the details with every table of the page."""

import io
import shutil

from rich.console import Console, Group, RenderableType
from rich.text import Text

from switchover.report.documents import Judged, judged_of
from switchover.report.github import tell_github
from switchover.report.screen import page_table, screen_text
from switchover.report.summary import summarize
from switchover.report.summary_text import summary_text
from switchover.report.tables import detail_tables
from switchover.verdict.judge import Verdict


def summary(judged: Judged, details: str = "") -> RenderableType:
    """Return one screen. `details`: the name of the option that prints all tables."""
    return summary_text(summarize(judged), details=details)


def details(judged: Judged) -> RenderableType:
    """Return the summary with all warnings, the artefacts of the load, and the tables."""
    artefacts = (judged.verdict.load and judged.verdict.load.artefacts) or ()
    return Group(
        summary_text(summarize(judged), warnings=None),
        *(Text(f"  Load: {one.text}") for one in artefacts),
        *(page_table(table) for table in detail_tables(judged)),
    )


def final_text(verdict: Verdict, streamed: str, *, colours: bool = False) -> str:
    """Return the final text of a load generator's run: the summary, the streamed points, and GitHub's commands."""
    commands = io.StringIO()
    tell_github(verdict, stream=commands)
    console = Console(file=io.StringIO(), width=shutil.get_terminal_size().columns, force_terminal=colours)
    shown = screen_text(summary(judged_of(verdict)), console)
    parts = (shown.rstrip("\n"), streamed, commands.getvalue().rstrip("\n"))
    return "\n".join(filter(None, parts)) + "\n"
