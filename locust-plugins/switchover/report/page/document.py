"""Make a page: one file with template, style, scripts and data. Its content policy blocks all other scripts."""

import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from switchover.model.redaction import escape_controls

REPORT = ("base.js", "time.js", "traffic.js", "datatables.js", "page.js")
HISTORY = ("base.js", "history.js")
STYLES = ("colours.css", "frame.css", "parts.css", "charts.css", "screens.css")
_PLOTLY = "plotly/plotly-basic.min.js"
"""Plotly's basic bundle, which is a quarter of the size of the full bundle. It can draw lines and bars, and the
charts need nothing else."""


def document(template: str, scripts: Sequence[str], data: dict[str, Any], **values: Any) -> bytes:
    """Return the page. `data`: the data of the charts. `values`: the values for the template."""
    inlined = [_asset(_PLOTLY), "\n".join(_asset(name) for name in scripts)]
    page = (
        _templates()
        .get_template(template)
        .render(
            style=Markup("\n".join(_asset(name) for name in STYLES)),
            scripts=[Markup(script) for script in inlined],
            policy=_policy(inlined),
            data=Markup(_json(data)),
            **values,
        )
    )
    return page.encode("utf-8", "replace")


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("switchover.report.page", "assets"),
        autoescape=True,
        finalize=_without_controls,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _without_controls(value: Any) -> Any:
    """Escape control characters from the network, because a page may be printed in a terminal. HTML forbids NUL."""
    return escape_controls(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _asset(name: str) -> str:
    return (Path(__file__).parent / "assets" / name).read_text(encoding="utf-8")


def _policy(scripts: list[str]) -> str:
    """Return the content security policy: only these scripts may run, and nothing is fetched. Inline styles are
    allowed, because Plotly needs them."""
    hashes = (b64encode(sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in hashes)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _json(data: dict[str, Any]) -> str:
    """Encode data as JSON for a script element, so that no text in the data can open or close an element."""
    written = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
