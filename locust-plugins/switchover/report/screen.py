"""What is shown on a screen: tables and texts whose names come from outside, and may hold anything."""

from rich.console import Console, RenderableType
from rich.segment import Segment, Segments

from switchover.model.redaction import escape_controls
from switchover.report.github import for_log


def screen_text(shown: RenderableType, console: Console | None = None) -> str:
    """As it is written to the screen: with the console's own colours, and no control character from outside."""
    screen = console or Console()
    segments = [
        Segment(segment.text if segment.control else escape_controls(segment.text), segment.style, segment.control)
        for segment in screen.render(shown)
    ]
    with screen.capture() as captured:
        screen.print(Segments(segments), end="")
    return for_log(captured.get())
