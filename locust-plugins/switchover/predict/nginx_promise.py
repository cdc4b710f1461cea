"""Predict the effect of a reload (SIGHUP) on connections, from an nginx.conf. Old workers stop listening, close idle
keep-alive connections, and serve active requests to their end (nginx.org, "Controlling nginx"). Each rule was tested
with Nginx 1.22, and keepalive_min_timeout with Nginx 1.31."""

from collections.abc import Sequence
from pathlib import Path

from switchover.model.errors import TargetError
from switchover.model.held_kind import HeldKind
from switchover.predict.config_file import Statement
from switchover.predict.nginx_config import Context, find_servers, read_syntax, time_s
from switchover.predict.promise import (
    FRESH,
    GOAWAY,
    IDLE_PAUSE_S,
    LOADS,
    POOLED_PAUSE_S,
    Fate,
    ProcessEnd,
    Promise,
    PromisedService,
    ReloadPromise,
    kept,
    not_served,
    unite,
)

ANNOUNCE_ADVICE = (
    "set keepalive_min_timeout 10s (Nginx 1.27.4): the next response within this time announces the close"
)
SHUTDOWN = "worker_shutdown_timeout"
HARMLESS = ("mime.types", "fastcgi.conf", "fastcgi_params", "proxy_params", "scgi_params", "uwsgi_params")
"""Files of the Nginx package that contain no setting for connections."""


def promise_of(path: Path, text: str | None = None) -> ReloadPromise:
    """Return the promises for a reload with this file and its includes. `text`: the file's content, if it was already
    read."""
    directives, missing = read_syntax(path, text)
    contexts, notes = list(find_servers(directives)), _find_missing(missing)
    if not contexts:
        unread = "".join(f"; {note}" for note in notes)
        raise TargetError(
            f"{path}: has no server in http or stream: give the nginx.conf that includes this file{unread}"
        )
    settings = {directive.keyword: directive for directive in directives}
    if (master := settings.get("master_process")) is not None and master.value() == "off":
        raise TargetError(f"{master.place}: {master.text}: there is no reload without a master process")
    timeout = settings.get(SHUTDOWN)
    end = ProcessEnd(SHUTDOWN, timeout.text, timeout.place, time_s(timeout)) if timeout else ProcessEnd(SHUTDOWN)
    h2 = frozenset(
        listen.value() for context in contexts for listen in context.listens if "http2" in listen.words[2:]
    )
    services = [PromisedService((context.name,), context.place, _promises(context, end, h2)) for context in contexts]
    return ReloadPromise("nginx", unite(services), notes)


def _promises(context: Context, end: ProcessEnd, h2_addresses: frozenset[str]) -> dict[str, Promise]:
    """Return the promises of a server. `h2_addresses`: addresses with `http2` in the `listen` of any server."""
    fresh = {FRESH: kept("the master process keeps the listening sockets")}
    if context.is_stream:
        passed_on = end.serve("stream: the old worker forwards bytes until one side closes")
        return dict.fromkeys(LOADS, passed_on) | fresh
    promises = dict.fromkeys(LOADS, end.serve("the old worker serves the connection to its end")) | fresh
    promises[HeldKind.POOLED] = _between_requests(context, end, POOLED_PAUSE_S)
    promises[HeldKind.IDLE] = _between_requests(context, end, IDLE_PAUSE_S)
    promises[HeldKind.TCP] = not_served("http: only a server in stream accepts plain TCP")
    promises[HeldKind.H2] = end.limit(kept(GOAWAY), POOLED_PAUSE_S)
    switch = context.settings.get("http2")
    if (switch is None or switch.value() != "on") and h2_addresses.isdisjoint(
        listen.value() for listen in context.listens
    ):
        promises[HeldKind.H2] = not_served("no listen has http2, and no `http2 on`")
    set_headers = [one for one in context.proxied if one.keyword != "proxy_set_header" or one.value(2)]
    proxied = {(directive.keyword, directive.value().lower()) for directive in set_headers}
    if not proxied >= {("proxy_set_header", "upgrade"), ("proxy_set_header", "connection")}:
        text = "no `proxy_set_header Upgrade` and `Connection`: Nginx does not forward the upgrade"
        promises[HeldKind.WEBSOCKET] = not_served(text)
    elif ("proxy_http_version", "1.1") not in proxied:
        text = "no `proxy_http_version 1.1`: most versions send HTTP/1.0, which has no upgrade"
        promises[HeldKind.WEBSOCKET] = Promise(Fate.UNKNOWN, text)
    return promises


def _between_requests(context: Context, end: ProcessEnd, pause_s: float) -> Promise:
    """Return the promise for an idle keep-alive connection whose next request is sent within `pause_s` seconds."""
    if context.location_setting is not None:
        because = (
            f"{context.location_setting.text!r} of a location: the setting applies only to requests to this location"
        )
        return Promise(Fate.UNKNOWN, because, context.location_setting.place)
    lasts, requests = context.settings.get("keepalive_timeout"), context.settings.get("keepalive_requests")
    if lasts is not None and time_s(lasts) == 0:
        return kept(f"{lasts.text}: no keep-alive, each response announces the close", lasts.place)
    if requests is not None and requests.value() in ("0", "1"):
        return kept(f"{requests.text}: no keep-alive, each response announces the close", requests.place)
    least = context.settings.get("keepalive_min_timeout")
    if least is None:
        because = "no keepalive_min_timeout: idle connections are closed at once, without an announcement"
        return Promise(Fate.MAY_BE_LOST, because, setting=ANNOUNCE_ADVICE)
    if time_s(least) < pause_s:
        because = f"{least.text}: connections that are idle for longer are closed without an announcement"
        return Promise(Fate.MAY_BE_LOST, because, least.place, setting=ANNOUNCE_ADVICE)
    because = f"{least.text}: the next response is within this time, and announces the close of the connection"
    return end.limit(kept(because, least.place), pause_s)


def _find_missing(missing: Sequence[Statement]) -> tuple[str, ...]:
    """Return a note for each include that matches no file, except includes of the packaged files in `HARMLESS`."""
    notes = [
        f"{directive.text!r} matches no file: the content is unknown. Copy the file next to this file "
        f"[{directive.place}]"
        for directive in missing
        if directive.value().rpartition("/")[2] not in HARMLESS
    ]
    return tuple(dict.fromkeys(notes))
