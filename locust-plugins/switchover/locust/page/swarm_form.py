"""Checks of the forms of Locust's web page that start and stop a test.

Locust copies every field of its start form that has the name of an option into the options, from any sender. So the
form must not contain Switchover's options.
"""

from typing import Any

from flask import Response, jsonify, request
from locust.env import Environment
from locust.web import WebUI

from switchover.locust.options import PREFIX, read_options
from switchover.locust.page.request_checks import is_foreign, refusal_of_host

SWARM, STOP = "locust.swarm", "locust.stop"
FOREIGN = (
    "refused: the headers of this request show another site as its origin, and the load may fire a fault. "
    "If a proxy changes the Host header, use TLS: browsers then send Sec-Fetch-Site"
)
LOCUSTS_OWN = ("headless", "json", "processes", "worker")
"""Locust's options that the plugin also reads. The form does not change them."""


def guard_forms(web_ui: WebUI, environment: Environment) -> None:
    """Check the forms, after Locust's login if there is one. The fields of Locust itself are not checked."""
    if web_ui.app is None or SWARM not in web_ui.app.view_functions:
        return
    views = web_ui.app.view_functions
    swarm, stop = views[SWARM], views[STOP]
    # Without a Switchover option nothing is fired, so Locust alone decides who may start its load.
    concerns_us = read_options(environment.parsed_options).ask_for_anything

    def refusal() -> str | None:
        if not concerns_us:
            return None
        unknown = refusal_of_host(request.host, web_ui.host)
        return unknown or (FOREIGN if is_foreign(dict(request.headers), request.host) else None)

    def checked_swarm(*arguments: Any, **named: Any) -> Any:
        ours = [name for name in request.form if name.lower().replace("-", "_").startswith(PREFIX)]
        refused = f"refused: {ours[0][:60]} can only be set where Locust is started" if ours else refusal()
        if refused:
            # Locust's page shows only the message of an answer with status 200.
            return jsonify({"success": False, "message": refused, "host": environment.host})
        values = vars(environment.parsed_options) if environment.parsed_options is not None else {}
        fixed = {name: values[name] for name in LOCUSTS_OWN if name in values}
        try:
            return swarm(*arguments, **named)
        finally:
            values.update(fixed)

    def checked_stop(*arguments: Any, **named: Any) -> Any:
        refused = refusal()
        return Response(f"{refused}\n", 403, mimetype="text/plain") if refused else stop(*arguments, **named)

    for name, view in ((SWARM, checked_swarm), (STOP, checked_stop)):
        views[name] = web_ui.auth_required_if_enabled(view)
