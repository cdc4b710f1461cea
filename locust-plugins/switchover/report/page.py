"""The summary as a picture: a page of its own for the run directory, and an SVG for documentation."""

import io
import re

from rich.console import Console, RenderableType
from rich.terminal_theme import MONOKAI

COLUMNS = 118

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
{{stylesheet}}
body {{{{ color: {{foreground}}; background: {{background}}; margin: 2rem }}}}
pre {{{{ font: 14px/1.4 ui-monospace, Menlo, Consolas, monospace; overflow-x: auto }}}}
</style>
</head>
<body>
<pre>{{code}}</pre>
</body>
</html>
"""


def to_html(summary: RenderableType, title: str) -> str:
    """One file, no script, nothing from any network."""
    console = _recorded(summary)
    return console.export_html(theme=MONOKAI, code_format=_PAGE.format(title=_escaped(title)))


def to_svg(summary: RenderableType, title: str) -> str:
    """Without the web fonts that Rich would have it load."""
    picture = _recorded(summary).export_svg(title=title)
    return re.sub(r"@font-face\s*\{[^}]*\}\s*|<!--.*?-->\s*", "", picture, flags=re.DOTALL)


def _recorded(summary: RenderableType) -> Console:
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(summary)
    return console


def _escaped(text: str) -> str:
    for raw, safe in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("{", "&#123;"), ("}", "&#125;")):
        text = text.replace(raw, safe)
    return text
