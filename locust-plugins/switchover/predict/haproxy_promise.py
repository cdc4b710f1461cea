"""Predict the effect of a reload on connections, from a haproxy.cfg. The old process stops listening, closes idle
kept connections, and serves active requests to their end (management guide, sections 3 and 4). Each rule was tested
with HAProxy 2.6 (docs/proof/predictions.txt)."""

from collections.abc import Sequence

from switchover.model.errors import TargetError
from switchover.model.held_kind import HeldKind
from switchover.predict.config_file import Statement
from switchover.predict.haproxy_config import (
    Proxy,
    global_lines,
    last_line,
    read_sections,
    resolve_proxies,
    time_s,
)
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
    "set option idle-close-on-response in the frontend or its defaults: the next response announces the close"
)
HARD_STOP = "hard-stop-after"
NOT_EXAMINED = ("close-spread-time", "grace")
"""Settings of the global section whose effect on keep-alive connections was not examined."""
START_ADVICE = "start HAProxy with -Ws or -W: the new process inherits the listening sockets"


def promise_of(files: Sequence[tuple[str, str]], *, master_worker: bool | None = None) -> ReloadPromise:
    """Return the promises for a reload. `files` (name and text) are the parts of one configuration. `master_worker`:
    True if HAProxy is started with -W or -Ws; None: unknown."""
    sections = read_sections(files)
    lines = global_lines(sections)
    proxies = [
        proxy
        for proxy in resolve_proxies(sections)
        if proxy.listens and (proxy.mode in ("http", "tcp") or _last_uncertain(proxy.lines, "mode"))
    ]
    if not proxies:
        raise TargetError(f"{files[0][0]}: has no frontend and no listen section: nothing listens")
    not_examined = next((line for line in lines if line.keyword in NOT_EXAMINED), None)
    uncertain = not_examined or _last_uncertain(lines, HARD_STOP)
    hard_stop = None if uncertain else last_line(lines, HARD_STOP)
    end = (
        ProcessEnd(HARD_STOP, hard_stop.text, hard_stop.place, time_s(hard_stop))
        if hard_stop
        else ProcessEnd(HARD_STOP)
    )
    fresh = _fresh(lines, master_worker)
    services = [
        PromisedService((proxy.name,), proxy.section.place, _promises(proxy, end, uncertain) | {FRESH: fresh})
        for proxy in proxies
    ]
    return ReloadPromise("haproxy", unite(services))


def _promises(proxy: Proxy, end: ProcessEnd, uncertain: Statement | None) -> dict[str, Promise]:
    """Return the promises of a proxy, except the promise for new connections. `uncertain`: a line of the global
    section whose effect is unknown."""
    uncertain = _last_uncertain(proxy.lines, "mode", "option", "no", "default") or uncertain
    if uncertain is not None:
        why = "only HAProxy knows the effect of this line on a reload"
        return dict.fromkeys(LOADS, Promise(Fate.UNKNOWN, f"{uncertain.text!r}: {why}", uncertain.place))
    if proxy.mode == "tcp":
        return dict.fromkeys(LOADS, end.serve("mode tcp: the old process forwards bytes until one side closes"))
    return dict.fromkeys(LOADS, end.serve("the old process serves the connection to its end")) | {
        HeldKind.POOLED: _between_requests(proxy, end, POOLED_PAUSE_S),
        HeldKind.IDLE: _between_requests(proxy, end, IDLE_PAUSE_S),
        HeldKind.TCP: not_served("mode http"),
        HeldKind.H2: end.limit(kept(GOAWAY), POOLED_PAUSE_S),
    }


def _between_requests(proxy: Proxy, end: ProcessEnd, pause_s: float) -> Promise:
    """Return the promise for an idle keep-alive connection whose next request is sent within `pause_s` seconds."""
    closes, announces = proxy.option("httpclose"), proxy.option("idle-close-on-response")
    if closes is not None:
        return kept(f"{closes.text}: no keep-alive, each response announces the close", closes.place)
    if announces is None:
        because = "no option idle-close-on-response: idle connections are closed at once, unannounced"
        return Promise(Fate.MAY_BE_LOST, because, setting=ANNOUNCE_ADVICE)
    return end.limit(kept(f"{announces.text}: the next response announces the close", announces.place), pause_s)


def _fresh(lines: Sequence[Statement], master_worker: bool | None) -> Promise:
    """Return the promise for new connections. New connections are kept if the new process inherits the listening
    sockets."""
    directive = last_line(lines, "master-worker")
    if directive is not None and not directive.is_uncertain:
        return kept(f"{directive.text}: the new process inherits the listening sockets", directive.place)
    if master_worker:
        return kept("started with -W or -Ws: the new process inherits the listening sockets")
    exposed = next((line for line in lines if "expose-fd listeners" in " ".join(line.words)), None)
    if exposed is not None:
        because = "expose-fd listeners: with -W, -Ws or -x, the new process takes over the listening sockets"
        return kept(because, exposed.place)
    if master_worker is None:
        because = "this file does not show how HAProxy is started: kept with -W or -Ws (use --unit FILE)"
        return Promise(Fate.UNKNOWN, because, setting=START_ADVICE)
    because = "without -W, -Ws or -x, the connections in the old process's accept queue are lost"
    return Promise(Fate.MAY_BE_LOST, because, setting=START_ADVICE)


def _last_uncertain(lines: Sequence[Statement], *keywords: str) -> Statement | None:
    """Return the last uncertain line with one of these keywords. Options that do not affect reloads are ignored."""
    options = {"idle-close-on-response", "httpclose"}
    uncertain = [line for line in lines if line.is_uncertain and line.keyword in keywords]
    relevant = [line for line in uncertain if "option" not in line.words[:2] or options & {*line.words[1:3]}]
    return relevant[-1] if relevant else None
