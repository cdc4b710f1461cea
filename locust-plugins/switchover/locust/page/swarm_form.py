"""Checks of the forms of Locust's web page that start and stop a test, and of the options that they may set.

Locust copies every field of its start form that has the name of an option into the options, from any sender.
"""

from argparse import Namespace
from typing import Any

from flask import Response, jsonify, request
from locust.env import Environment
from locust.web import WebUI

from switchover.locust.option_checks import check_options
from switchover.locust.options import FROM_PAGE, PREFIX, option_of, read_options
from switchover.locust.page.request_checks import HostNames, is_foreign
from switchover.model.errors import SwitchoverError

SWARM, STOP = "locust.swarm", "locust.stop"
FOREIGN = (
    "refused: the headers of this request show another site as its origin, and the load may fire a fault. "
    "If a proxy changes the Host header, use TLS: browsers then send Sec-Fetch-Site"
)
LOCUSTS_OWN = ("headless", "json", "processes", "worker", "web_host", "web_login")
"""Locust's options that the plugin also reads."""


def guard_forms(web_ui: WebUI, environment: Environment, hosts: HostNames) -> None:
    """Check the forms, after Locust's login if there is one. The fields of Locust itself are not checked."""
    if web_ui.app is None or SWARM not in web_ui.app.view_functions:
        return
    views = web_ui.app.view_functions
    swarm, stop = views[SWARM], views[STOP]
    # Without a Switchover option nothing is fired, so Locust alone decides who may start its load.
    concerns_us = read_options(environment.parsed_options).ask_for_anything

    def checked_swarm(*arguments: Any, **named: Any) -> Any:
        refused = _foreign_refusal(hosts, concerns_us or any(map(_is_ours, request.form)), concerns_us)
        refused = refused or _refusal_of_fields(environment.parsed_options, request.form.to_dict())
        if refused:
            # Locust's page shows only the message of an answer with status 200.
            return jsonify({"success": False, "message": refused, "host": environment.host})
        values = vars(environment.parsed_options) if environment.parsed_options is not None else {}
        fixed = {name: value for name, value in values.items() if name not in FROM_PAGE and _is_fixed(name)}
        try:
            return swarm(*arguments, **named)
        finally:
            values.update(fixed)

    def checked_stop(*arguments: Any, **named: Any) -> Any:
        refused = _foreign_refusal(hosts, concerns_us, concerns_us)
        return Response(f"{refused}\n", 403, mimetype="text/plain") if refused else stop(*arguments, **named)

    for name, view in ((SWARM, checked_swarm), (STOP, checked_stop)):
        views[name] = web_ui.auth_required_if_enabled(view)


def _foreign_refusal(hosts: HostNames, concerns_us: bool, checks_host: bool) -> str | None:
    unknown = hosts.refusal(request.host) if checks_host else None
    if unknown is None and concerns_us and is_foreign(dict(request.headers), request.host):
        return FOREIGN
    return unknown


def _refusal_of_fields(typed: object, form: dict[str, str]) -> str | None:
    """Return the reason to refuse the fields, or None. Only free options are read, so that a refusal does not show
    which files exist on this machine."""
    ours = {name: value for name, value in form.items() if _is_ours(name)}
    barred = sorted(set(ours) - FROM_PAGE)
    if barred:
        free = ", ".join(option_of(name.removeprefix(PREFIX)) for name in sorted(FROM_PAGE))
        return f"refused: {barred[0][:60]} is chosen where Locust is started; this page can set only {free}"
    try:
        check_options(Namespace(**{**(vars(typed) if typed is not None else {}), **ours}))
    except SwitchoverError as error:
        return str(error)
    return None


def _is_ours(name: str) -> bool:
    return name.lower().replace("-", "_").startswith(PREFIX)


def _is_fixed(name: str) -> bool:
    return name.startswith(PREFIX) or name in LOCUSTS_OWN
