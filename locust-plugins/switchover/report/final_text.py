"""What the parent of a conducted run prints when all is over: its end on the screen, as one text."""

import io
import shutil

from rich.console import Console

from switchover.analysis.verdict import Verdict
from switchover.report.console import summary
from switchover.report.github import tell_github
from switchover.report.screen import screen_text


def final_text(verdict: Verdict, streamed: str, *, colours: bool = False) -> str:
    """The last of it is for GitHub, where it listens. `streamed`: what became of the points, in one line."""
    commands = io.StringIO()
    tell_github(verdict, stream=commands)
    console = Console(file=io.StringIO(), width=shutil.get_terminal_size().columns, force_terminal=colours)
    parts = (screen_text(summary(verdict), console).rstrip("\n"), streamed, commands.getvalue().rstrip("\n"))
    return "\n".join(filter(None, parts)) + "\n"
