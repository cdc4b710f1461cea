"""Checks of requests to the web page.

The server answers only requests for known host names, and accepts actions only from the page.

With DNS rebinding, a foreign site changes the address of its own name to this machine's address, so `Origin` and the
page's token prove nothing. But `Host` contains the name of the site, and never an address.

Locust allows every origin (CORS `*`), so without a login, a foreign site can read this page and its token. The checks
therefore use `Origin` and `Sec-Fetch-Site`, two headers that only the browser can set. A simple form on a foreign
site cannot read the token.

Locust copies fields of its start form into the options if they have the names of options, even if a foreign site sent
the form. The form must therefore not contain Switchover's options.
"""

import functools
import hmac
import ipaddress
import socket
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from flask import Response, jsonify, request
from locust.env import Environment
from locust.web import WebUI

from switchover.locust.options import PREFIX, read_options


def refusal_of_host(host: str, web_host: str) -> str | None:
    """Return the reason why a request is refused, or None if its host name is known.

    The known names are IP addresses, localhost, the names of this machine, and `web_host` (--web-host).
    """
    name = _bare(host)
    if _address_of(name) or name == "localhost" or name.endswith(".localhost"):
        return None
    if name and (name == _bare(web_host) or name in _names_of_this_machine()):
        return None
    return f"refused: {name[:100]!r} is an unknown host name; open the page by its address"


def is_loopback(host: str) -> bool:
    name = _bare(host)
    address = _address_of(name)
    return name == "localhost" or (address is not None and address.is_loopback)


def _bare(host: str) -> str:
    try:
        name = urlsplit(f"//{host}" if host.count(":") < 2 or host.startswith("[") else f"//[{host}]").hostname
    except ValueError:
        return ""
    return (name or "").rstrip(".")


def _address_of(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


@functools.cache
def _names_of_this_machine() -> frozenset[str]:
    """Return the names of this machine. The names are cached, because the resolver may be slow."""
    name = socket.gethostname().lower()
    return frozenset({name, name.partition(".")[0], socket.getfqdn().lower()})


TOKEN_HEADER = "X-Switchover-Token"
REFUSED = "refused: only the Switchover page can send this request; reload the page and try again"


def refusal(headers: Mapping[str, str], host: str, token: str) -> str | None:
    """Return the reason why a request is refused, or None. `host`: the Host header of the request."""
    entry = headers.get(TOKEN_HEADER, "").encode("utf-8", "replace")
    # A form cannot send the content type JSON.
    is_json = headers.get("Content-Type", "").lower().startswith("application/json")
    is_ours = hmac.compare_digest(entry, token.encode()) and is_json and is_foreign(headers, host) is False
    return None if is_ours else REFUSED


def is_foreign(headers: Mapping[str, str], host: str) -> bool | None:
    """Return True if the browser's headers show that a foreign site sent the request. None: the request has no such
    headers."""
    fetch_site, origin = headers.get("Sec-Fetch-Site"), headers.get("Origin")
    if fetch_site is not None:
        return fetch_site != "same-origin"
    if origin is None:
        return None
    try:
        return not urlsplit(origin).netloc.lower() == host.lower() != ""
    except ValueError:
        return True


SWARM, STOP = "locust.swarm", "locust.stop"
FOREIGN = (
    "refused: the headers of this request show another site as its origin, and the load may fire a fault. "
    "If a proxy changes the Host header, use TLS: browsers then send Sec-Fetch-Site"
)
LOCUSTS_OWN = ("headless", "json", "processes", "worker", "web_host", "web_login")
"""Locust's options that the plugin also reads. Locust's start form cannot change these options."""


def refusal_of_fields(names: Iterable[str]) -> str | None:
    ours = next((name for name in names if name.lower().replace("-", "_").startswith(PREFIX)), None)
    return None if ours is None else f"refused: {ours[:60]} can only be set when Locust is started"


def guard_forms(web_ui: WebUI, environment: Environment) -> None:
    """Check requests that start or stop the load, after Locust's login if a login is configured. Locust's own form
    fields are not checked."""
    if web_ui.app is None or SWARM not in web_ui.app.view_functions:
        return
    views = web_ui.app.view_functions
    swarm, stop = views[SWARM], views[STOP]
    # Without Switchover options no fault is fired, so only Locust decides who may start the load.
    concerns_us = read_options(environment.parsed_options).ask_for_anything

    def refusal_of_request() -> str | None:
        if not concerns_us:
            return None
        unknown = refusal_of_host(request.host, web_ui.host)
        return unknown or (FOREIGN if is_foreign(dict(request.headers), request.host) else None)

    def checked_swarm(*arguments: Any, **named: Any) -> Any:
        refused = refusal_of_fields(request.form) or refusal_of_request()
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
        refused = refusal_of_request()
        return Response(f"{refused}\n", 403, mimetype="text/plain") if refused else stop(*arguments, **named)

    for name, view in ((SWARM, checked_swarm), (STOP, checked_stop)):
        views[name] = web_ui.auth_required_if_enabled(view)
