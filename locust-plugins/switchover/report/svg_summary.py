"""The summary as an SVG, for documentation."""

import io
import re

from rich.console import Console, RenderableType

COLUMNS = 118


def to_svg(summary: RenderableType, title: str) -> str:
    """Without the web fonts that Rich would have it load."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(summary)
    return re.sub(r"@font-face\s*\{[^}]*\}\s*|<!--.*?-->\s*", "", console.export_svg(title=title), flags=re.DOTALL)
