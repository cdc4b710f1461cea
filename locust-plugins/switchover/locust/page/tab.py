"""What Locust's own page shows of Switchover: a tab with a table, downloads, and a link to the page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from flask import Response, request

from switchover.locust.page.live_run import LiveRun

if TYPE_CHECKING:
    from locust.web import WebUI

KEY = "switchover"
TITLE = "Switchover"
COLUMNS = (
    ("what", "What"),
    ("name", "Name"),
    ("answers", "Answers"),
    ("share", "Share"),
    ("recent", "Last 10 s"),
    ("expected", "Expected"),
)
STATS, INDEX = "locust.request_stats", "locust.index"
LINK = (
    b'<a href="./switchover" style="position:fixed;left:24px;bottom:0;padding:8px 16px;border-radius:4px 4px 0 0;'
    b"background:#15803d;color:#fff;font:500 14px Roboto,Helvetica,Arial,sans-serif;letter-spacing:.4px;"
    b'text-transform:uppercase;text-decoration:none">Switchover</a>'
)


def add_tab(web_ui: WebUI, live: LiveRun) -> None:
    """Locust's tabs can hold only tables, so the page itself is linked below them."""
    structure = [{"key": key, "title": title} for key, title in COLUMNS]
    for argument, entry in (
        ("extended_tabs", {"title": TITLE, "key": KEY}),
        ("extended_tables", {"key": KEY, "structure": structure}),
        ("extended_csv_files", {"href": "./switchover/csv/seconds", "title": "Download shares per second CSV"}),
        ("extended_csv_files", {"href": "./switchover/csv/phases", "title": "Download shares per phase CSV"}),
    ):
        web_ui.template_args[argument] = [*web_ui.template_args.get(argument, []), entry]
    assert web_ui.app is not None

    @web_ui.app.after_request
    def extend(response: Response) -> Response:
        if request.endpoint == STATS and response.status_code == 200 and response.is_json:
            _fill_table(response, live)
        elif request.endpoint == INDEX and response.status_code == 200 and response.mimetype == "text/html":
            response.set_data(response.get_data().replace(b"</body>", LINK + b"</body>", 1))
        return response


def _fill_table(response: Response, live: LiveRun) -> None:
    """Locust keeps this answer for two seconds and gives it out again: what is in it is replaced, never added to."""
    if getattr(response, KEY, False):
        return
    report = json.loads(response.get_data())
    others = [table for table in report.get("extended_stats", []) if table.get("key") != KEY]
    report["extended_stats"] = [*others, {"key": KEY, "data": table_rows(live)}]
    response.set_data(json.dumps(report))
    setattr(response, KEY, True)


def table_rows(live: LiveRun) -> list[dict[str, Any]]:
    shares = live.shares()
    return [
        {
            "what": what,
            "name": row["name"],
            "answers": row["count"],
            **{name: _percent(row[name]) for name in ("share", "recent", "expected")},
        }
        for what, rows in (("backend", shares["backends"]), ("balancer", shares["balancers"]))
        for row in rows
    ]


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"
