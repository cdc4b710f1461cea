"""The promise of an nginx.conf for a reload (SIGHUP).

Old workers stop listening, close idle keep-alive connections, and serve active requests to their end (nginx.org,
"Controlling nginx"). Each rule was tested with Nginx 1.22, and keepalive_min_timeout with Nginx 1.31.
"""

from collections.abc import Sequence
from pathlib import Path

from switchover.model.errors import TargetError
from switchover.model.held_kind import HeldKind
from switchover.predict.nginx_config import Context, Directive, find_servers, read_syntax, time_s
from switchover.predict.promise import (
    FRESH,
    GOAWAY,
    IDLE_PAUSE_S,
    LOADS,
    POOLED_PAUSE_S,
    STREAMS,
    Fate,
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
TIMEOUT_ADVICE = "remove worker_shutdown_timeout, or set it longer than your longest connection"
HARMLESS = ("mime.types", "fastcgi.conf", "fastcgi_params", "proxy_params", "scgi_params", "uwsgi_params")
"""Packaged files that have no setting for connections."""


def promise_of(path: Path, text: str | None = None) -> ReloadPromise:
    """Return the promise of this file and its includes. Raises TargetError with the place of a malformed line.

    `text`: the content of the file, if it was already read.
    """
    syntax = read_syntax(path, text)
    main = syntax.directives
    contexts = list(find_servers(main))
    notes = _find_missing(syntax.missing)
    if not contexts:
        unread = "".join(f"; {note}" for note in notes)
        raise TargetError(
            f"{path}: has no server in http or stream: give the nginx.conf that includes this file{unread}"
        )
    shutdown = _shutdown(main)
    h2 = frozenset(one.value() for context in contexts for one in context.listens if "http2" in one.words[2:])
    services = [PromisedService((one.name,), one.place, _promises(one, main, shutdown, h2)) for one in contexts]
    return ReloadPromise("nginx", unite(services), notes)


def _promises(
    context: Context,
    main: Sequence[Directive],
    shutdown: tuple[float, Directive] | None,
    h2_addresses: frozenset[str],
) -> dict[str, Promise]:
    """Return the promises of a server. `h2_addresses`: the addresses with `http2` in the listen directive of any
    server."""
    stream = _to_its_end(shutdown, "the old worker serves the connection to its end")
    alone = {one.keyword: one for one in main}.get("master_process")
    if alone is not None and alone.value() == "off":
        return dict.fromkeys(LOADS, Promise(Fate.UNKNOWN, f"{alone.text}: there is no reload", alone.place))
    fresh = kept("the master process keeps the listening sockets")
    if context.is_stream:
        passed_on = _to_its_end(shutdown, "stream: the old worker forwards bytes until one side closes")
        return {kind: fresh if kind == FRESH else passed_on for kind in LOADS}
    promises: dict[str, Promise] = {FRESH: fresh}
    promises[HeldKind.POOLED] = _between_requests(context, shutdown, POOLED_PAUSE_S)
    promises[HeldKind.IDLE] = _between_requests(context, shutdown, IDLE_PAUSE_S)
    promises |= dict.fromkeys(STREAMS, stream)
    if not context.forwards_upgrade:
        promises[HeldKind.WEBSOCKET] = not_served("no `proxy_set_header Upgrade`: Nginx does not forward the upgrade")
    promises[HeldKind.TCP] = not_served("http: only a server in stream accepts plain TCP")
    promises[HeldKind.H2] = _h2(context, h2_addresses, shutdown)
    return promises


def _to_its_end(shutdown: tuple[float, Directive] | None, how: str) -> Promise:
    """Return the promise for a connection that the old worker serves until the connection ends."""
    if shutdown is None:
        return kept(f"{how}: no worker_shutdown_timeout")
    seconds, directive = shutdown
    because = f"{directive.text}: the old worker then closes all open connections"
    return Promise(Fate.CUT, because, directive.place, seconds, TIMEOUT_ADVICE)


def _between_requests(context: Context, shutdown: tuple[float, Directive] | None, pause_s: float) -> Promise:
    """Return the promise for a keep-alive connection that is idle at the reload. Its next request is sent within
    `pause_s` seconds."""
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
    if least is not None and time_s(least) >= pause_s:
        if shutdown is not None and shutdown[0] < pause_s:
            return _to_its_end(shutdown, "")
        return kept(f"{least.text}: the next response comes within this time, and announces the close", least.place)
    because = "no keepalive_min_timeout: idle connections are closed at once, without an announcement"
    if least is not None:
        because = f"{least.text}: connections that are idle for longer are closed without an announcement"
    return Promise(Fate.MAY_BE_LOST, because, None if least is None else least.place, setting=ANNOUNCE_ADVICE)


def _h2(context: Context, addresses: frozenset[str], shutdown: tuple[float, Directive] | None) -> Promise:
    switch = context.settings.get("http2")
    if (switch is None or switch.value() != "on") and not any(one.value() in addresses for one in context.listens):
        return not_served("no listen has http2, and no `http2 on`")
    if shutdown is not None and shutdown[0] < POOLED_PAUSE_S:
        return _to_its_end(shutdown, "")
    return kept(GOAWAY)


def _shutdown(main: Sequence[Directive]) -> tuple[float, Directive] | None:
    directive = {one.keyword: one for one in main}.get("worker_shutdown_timeout")
    seconds = 0.0 if directive is None else time_s(directive)
    return (seconds, directive) if directive is not None and seconds else None


def _find_missing(missing: Sequence[Directive]) -> tuple[str, ...]:
    """Return a note for each include that matches no file, except for packaged files without settings."""
    notes = [
        f"{directive.text!r} matches no file: the content is unknown. Copy the file next to this file "
        f"[{directive.place}]"
        for directive in missing
        if directive.value().rpartition("/")[2] not in HARMLESS
    ]
    return tuple(dict.fromkeys(notes))
