"""The end of a run that a load generator conducts, as one text that its parent prints."""

import io
import shutil

from rich.console import Console

from switchover.report.console import summary
from switchover.report.documents import judged_of
from switchover.report.github import tell_github
from switchover.report.screen import screen_text
from switchover.verdict.judge import Verdict


def final_text(verdict: Verdict, streamed: str, *, colours: bool = False) -> str:
    """The summary, the line on streamed points, and the commands for GitHub if GitHub reads the output."""
    commands = io.StringIO()
    tell_github(verdict, stream=commands)
    console = Console(file=io.StringIO(), width=shutil.get_terminal_size().columns, force_terminal=colours)
    parts = (
        screen_text(summary(judged_of(verdict)), console).rstrip("\n"),
        streamed,
        commands.getvalue().rstrip("\n"),
    )
    return "\n".join(filter(None, parts)) + "\n"
