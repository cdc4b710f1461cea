"""The routes of the Switchover page in Locust's web UI: the page, its state, and the actions `fire` and `heal`."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gevent
from flask import Blueprint, Response, jsonify, make_response, render_template, request

from switchover.locust.page.live_run import LiveRun
from switchover.locust.page.request_checks import refusal, refusal_of_host

if TYPE_CHECKING:
    from locust.env import Environment
    from locust.web import WebUI

View = Callable[..., Response]

BLUEPRINT = "switchover"
ON = ("spawning", "running")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads allow-popups; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:"
)
"""The report's content security policy: scripts of the report cannot read the page's token or call Locust."""
FAULT_NAME_LIMIT = 200
NO_LOAD = "no load is running: start it in Locust first"
INDEX = "locust.index"
LINK = (
    b'<a href="./switchover" style="position:fixed;left:24px;bottom:0;padding:8px 16px;border-radius:4px 4px 0 0;'
    b"background:#15803d;color:#fff;font:500 14px Roboto,Helvetica,Arial,sans-serif;letter-spacing:.4px;"
    b'text-transform:uppercase;text-decoration:none">Switchover</a>'
)
INTERVAL_S = 0.5
SLICES = 16
"""The maximum number of journal slices that are read in a row. Locust's users run between two slices."""

logger = logging.getLogger(__name__)


def register(environment: Environment, live: LiveRun) -> None:
    """Add the page and a link to Locust's web UI, before Flask's first request."""
    web_ui = environment.web_ui
    assert web_ui is not None and web_ui.app is not None
    base_path = web_ui.app.blueprints["locust"].url_prefix or ""
    pages = blueprint(environment, web_ui, live)
    web_ui.app.register_blueprint(pages, url_prefix=f"{base_path.rstrip('/')}/switchover")
    # Locust's tabs can only contain tables, so the link is below the tabs.
    web_ui.app.after_request(_add_link)
    gevent.spawn(_follow, live)


def _add_link(response: Response) -> Response:
    if request.endpoint == INDEX and response.status_code == 200 and response.mimetype == "text/html":
        response.set_data(response.get_data().replace(b"</body>", LINK + b"</body>", 1))
    return response


def _follow(live: LiveRun) -> None:
    is_warned = False
    while True:
        try:
            for _ in range(SLICES):
                if not live.advance():
                    break
                gevent.sleep(0)
        except Exception as error:  # an error in the page must not end the load
            if not is_warned:
                logger.warning("the Switchover page cannot follow the run: %s: %s", type(error).__name__, error)
            is_warned = True
        gevent.sleep(INTERVAL_S)


def blueprint(environment: Environment, web_ui: WebUI, live: LiveRun) -> Blueprint:
    """Return the routes. Locust's login protects all routes except the static files, which contain no data."""
    protected: Callable[[View], View] = web_ui.auth_required_if_enabled
    token = secrets.token_urlsafe(32)
    pages = Blueprint(
        BLUEPRINT, __name__, template_folder="templates", static_folder="static", static_url_path="/static"
    )

    @pages.before_request
    def refuse_unknown_names() -> Response | None:
        unknown = refusal_of_host(request.host, web_ui.host)
        return None if unknown is None else make_response(jsonify(refusal=unknown), 421)

    @pages.after_request
    def set_headers(response: Response) -> Response:
        """Replace the CORS headers that Locust adds, which allow every origin."""
        response.headers["Access-Control-Allow-Origin"] = request.host_url.rstrip("/")
        policy = REPORT_POLICY if request.endpoint == f"{BLUEPRINT}.report" else POLICY
        response.headers.update(HEADERS | {"Content-Security-Policy": policy})
        if request.endpoint != f"{BLUEPRINT}.static":
            response.headers["Cache-Control"] = "no-store"
        return response

    @pages.errorhandler(Exception)
    def answer_error(error: Exception) -> Response:
        return make_response(jsonify(refusal=f"{type(error).__name__}: {error}"), getattr(error, "code", None) or 500)

    @pages.route("")
    @protected
    def page() -> Response:
        return make_response(render_template("switchover.html", token=token))

    @pages.route("/state")
    @protected
    def state() -> Response:
        """Return the state of the run as JSON. The parameter `since` is used only if the page already shows this
        run."""
        same_run = request.args.get("run", type=int) == live.key
        since = request.args.get("since", default=0, type=int) if same_run else 0
        facts = {**live.state(since), "since": since, "locust": _locust(environment)}
        # Flask would sort and indent the JSON, because Locust runs Flask in debug mode.
        return Response(json.dumps(facts, separators=(",", ":")), mimetype="application/json")

    @pages.route("/report")
    @protected
    def report() -> Response:
        path = live.report
        if path is None:
            return make_response("this run has no report yet: the report is written at its end\n", 404)
        return Response(path.read_bytes(), mimetype="text/html")

    @pages.route("/fire", methods=["POST"])
    @protected
    def fire() -> Response:
        return _ask(lambda: live.fire(_fault_name()) if _locust(environment)["on"] else NO_LOAD, token)

    @pages.route("/heal", methods=["POST"])
    @protected
    def heal() -> Response:
        return _ask(live.heal, token)

    return pages


def _ask(act: Callable[[], str | None], token: str) -> Response:
    """Perform an action and return a status: 202 accepted, 403 sent by a foreign page, 409 refused with the
    reason."""
    foreign = refusal(dict(request.headers), request.host, token)
    if foreign is not None:
        return make_response(jsonify(refusal=foreign), 403)
    refused = act()
    return make_response(jsonify(refusal=refused), 202 if refused is None else 409)


def _fault_name() -> str | None:
    body = request.get_json(silent=True)
    name = body.get("fault") if isinstance(body, dict) else None
    return name[:FAULT_NAME_LIMIT] if isinstance(name, str) and name else None


def _locust(environment: Environment) -> dict[str, Any]:
    runner = environment.runner
    assert runner is not None
    return {"state": runner.state, "users": runner.user_count, "on": runner.state in ON}
