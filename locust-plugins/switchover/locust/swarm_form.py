"""The form of Locust's web page that starts a test: what is wrong in our fields is said there, and nothing starts."""

from argparse import Namespace
from typing import Any

from flask import Response, jsonify, request
from locust.env import Environment
from locust.web import WebUI

from switchover.errors import SwitchoverError
from switchover.locust.checks import check
from switchover.locust.options import NOT_FROM_PAGE, PREFIX
from switchover.locust.web.same_origin import is_foreign

SWARM = "locust.swarm"
NOT_HERE = "refused: the database is chosen where Locust is started, and not on this page"
FOREIGN = (
    "refused: the browser says that another site asked for this, and the form could arm or fire a fault; a proxy "
    "that changes the Host header needs TLS, so that browsers name the site themselves"
)


def guard_swarm_form(web_ui: WebUI, environment: Environment) -> None:
    """Behind Locust's login, where it is on: a refusal tells of files of this machine."""
    if web_ui.app is None or SWARM not in web_ui.app.view_functions:
        return
    swarm = web_ui.app.view_functions[SWARM]

    def checked_swarm(*arguments: Any, **named: Any) -> Any:
        # Locust takes this form from any site that a browser of the user has open.
        # Where a fault has been chosen before, on the command line or in the form, the load alone would fire it.
        ours = any(name.startswith(PREFIX) for name in request.form) or _chosen_fault(environment.parsed_options)
        if ours and is_foreign(dict(request.headers), request.host):
            return _refusal(FOREIGN, environment)
        if any(name in NOT_FROM_PAGE for name in request.form):
            return _refusal(NOT_HERE, environment)
        try:
            check(_as_it_would_be(environment.parsed_options, request.form.to_dict()))
        except SwitchoverError as error:
            return _refusal(str(error), environment)
        return swarm(*arguments, **named)

    web_ui.app.view_functions[SWARM] = web_ui.auth_required_if_enabled(checked_swarm)


def _chosen_fault(options: object) -> str:
    return str(getattr(options, f"{PREFIX}fault", None) or "")


def _as_it_would_be(options: object, form: dict[str, str]) -> Namespace:
    """The options, once Locust has taken over the form."""
    known = vars(options) if options is not None else {}
    return Namespace(**{**known, **{name: value for name, value in form.items() if name.startswith(PREFIX)}})


def _refusal(text: str, environment: Environment) -> Response:
    return jsonify({"success": False, "message": text, "host": environment.host})
