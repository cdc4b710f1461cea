"""The promise of a haproxy.cfg for a reload.

The old process stops listening, closes idle kept connections, and serves active requests to their end (management
guide, sections 3 and 4). Each rule was tried on HAProxy 2.6 (docs/proof/predictions.txt).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from switchover.model.errors import TargetError
from switchover.model.held_kind import HeldKind
from switchover.predict.haproxy_config import (
    HaproxyLine,
    Proxy,
    global_lines,
    last_line,
    read_sections,
    resolve_proxies,
    time_s,
)
from switchover.predict.promise import (
    FRESH,
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

TELL = "set option idle-close-on-response in the frontend or its defaults: the next response announces the close"
PATIENCE = "remove hard-stop-after, or set it longer than your longest connection"
HARD_STOP, SPREAD, GRACE = "hard-stop-after", "close-spread-time", "grace"
STARTS = "start HAProxy with -Ws or -W: the new process inherits the listening sockets"


@dataclass(frozen=True, slots=True)
class TimeSetting:
    """A time setting of the global section. `line` is None if the setting is missing."""

    seconds: float = math.inf
    line: HaproxyLine | None = None


@dataclass(frozen=True, slots=True)
class _ReloadSettings:
    """The settings of the global section that decide about a reload."""

    hard_stop: TimeSetting
    spread: TimeSetting
    grace: TimeSetting
    fresh: Promise
    uncertain: HaproxyLine | None
    """A line of these settings whose value or effect only HAProxy knows."""


def promise_of(files: Sequence[tuple[str, str]], *, master_worker: bool | None = None) -> ReloadPromise:
    """Return the promise of these files (name and text), read as one configuration.

    `master_worker`: True if HAProxy is started with -W or -Ws; None: unknown. Raises TargetError with the place of a
    malformed line.
    """
    sections = read_sections(files)
    lines = global_lines(sections)
    proxies = [
        proxy
        for proxy in resolve_proxies(sections)
        if proxy.listens and (proxy.mode in ("http", "tcp") or _last_uncertain(proxy.lines, "mode"))
    ]
    if not proxies:
        raise TargetError(f"{files[0][0]}: has no frontend and no listen section: nothing listens")
    settings = _ReloadSettings(
        hard_stop=_time(lines, HARD_STOP),
        spread=_time(lines, SPREAD),
        grace=_time(lines, GRACE),
        fresh=_fresh(lines, master_worker),
        uncertain=_last_uncertain(lines, HARD_STOP, SPREAD, GRACE),
    )
    services = [
        PromisedService((proxy.name,), proxy.section.head.place, _promises(proxy, settings)) for proxy in proxies
    ]
    return ReloadPromise("haproxy", unite(services))


def _promises(proxy: Proxy, settings: _ReloadSettings) -> dict[str, Promise]:
    uncertain = _last_uncertain(proxy.lines, "mode", "option", "no", "default") or settings.uncertain
    if uncertain is not None:
        decides = f"the environment of HAProxy decides ({', '.join(uncertain.unknown)})"
        why = decides if uncertain.unknown else "only HAProxy knows whether the condition of this line is true"
        unknown = Promise(Fate.UNKNOWN, f"{uncertain.text!r}: {why}", uncertain.place)
        return dict.fromkeys(LOADS, unknown) | {FRESH: settings.fresh}
    if proxy.mode == "tcp":
        passed_on = _to_its_end(settings, "mode tcp: the old process forwards bytes until one side closes")
        return dict.fromkeys(LOADS, passed_on) | {FRESH: settings.fresh}
    return {
        FRESH: settings.fresh,
        HeldKind.POOLED: _between_requests(proxy, settings, POOLED_PAUSE_S),
        HeldKind.IDLE: _between_requests(proxy, settings, IDLE_PAUSE_S),
        **dict.fromkeys(STREAMS, _to_its_end(settings, "the old process serves the connection to its end")),
        HeldKind.TCP: not_served("mode http"),
        HeldKind.H2: _h2(settings),
    }


def _to_its_end(settings: _ReloadSettings, how: str) -> Promise:
    """Return the promise for a connection that the old process serves until the connection ends."""
    hard, grace = settings.hard_stop, settings.grace
    if hard.line is None:
        return kept(f"{how}: no hard-stop-after")
    behind = f" behind {grace.line.text}" if grace.line else ""
    because = f"{hard.line.text}{behind}: the old process then closes all open connections"
    cut_after_s = hard.seconds + (grace.seconds if grace.line else 0.0)
    return Promise(Fate.CUT, because, hard.line.place, cut_after_s, PATIENCE)


def _between_requests(proxy: Proxy, settings: _ReloadSettings, pause_s: float) -> Promise:
    """Return the promise for a keep-alive connection that is idle at the reload. Its next request is sent within
    `pause_s` seconds."""
    closes, spread = proxy.option("httpclose"), settings.spread
    if closes is not None:
        return kept(f"{closes.text}: no keep-alive, each response announces the close", closes.place)
    if spread.line is not None and spread.seconds == math.inf:
        return _to_its_end(settings, f"{spread.line.text}: no connection is closed for the reload")
    if spread.line is not None:
        because = f"{spread.line.text}: until then, idle connections are closed without an announcement"
        return Promise(Fate.MAY_BE_LOST, because, spread.line.place, setting=f"remove close-spread-time, and {TELL}")
    tells = proxy.option("idle-close-on-response") or settings.grace.line
    if tells is None:
        because = "no option idle-close-on-response: idle connections are closed at once, unannounced"
        return Promise(Fate.MAY_BE_LOST, because, setting=TELL)
    ends = _to_its_end(settings, "")
    if ends.cut_after_s is not None and ends.cut_after_s < pause_s:
        return ends
    seen = " (in 2.6, undocumented)" if tells.keyword == "grace" else ""
    return kept(f"{tells.text}: the next response announces the close{seen}", tells.place)


def _h2(settings: _ReloadSettings) -> Promise:
    spread = settings.spread
    if spread.line is not None and spread.seconds == math.inf:
        return _to_its_end(settings, f"{spread.line.text}: no connection is closed for the reload")
    ends = _to_its_end(settings, "")
    if ends.cut_after_s is not None and ends.cut_after_s < POOLED_PAUSE_S:
        return ends
    return kept("GOAWAY names the last accepted stream, and all accepted streams get a response")


def _fresh(lines: Sequence[HaproxyLine], master_worker: bool | None) -> Promise:
    """Return the promise for new connections, which depends on the listening sockets during the reload."""
    directive = last_line(lines, "master-worker")
    if directive is not None and not directive.is_conditional:
        return kept(f"{directive.text}: the new process inherits the listening sockets", directive.place)
    if master_worker:
        return kept("started with -W or -Ws: the new process inherits the listening sockets")
    exposed = next((line for line in lines if "expose-fd listeners" in " ".join(line.words)), None)
    if exposed is not None:
        because = "expose-fd listeners: with -W, -Ws or -x, the new process takes over the listening sockets"
        return kept(because, exposed.place)
    if master_worker is None:
        because = "this file does not show how HAProxy is started: kept with -W or -Ws (use --unit FILE)"
        return Promise(Fate.UNKNOWN, because, setting=STARTS)
    because = "without -W, -Ws or -x, the connections in the old process's accept queue are lost"
    return Promise(Fate.MAY_BE_LOST, because, setting=STARTS)


def _last_uncertain(lines: Sequence[HaproxyLine], *keywords: str) -> HaproxyLine | None:
    """Return the last line whose effect only HAProxy knows, of these keywords or of the two options for reloads."""
    options = {"idle-close-on-response", "httpclose"}
    uncertain = [line for line in lines if line.is_uncertain and line.keyword in keywords]
    of_options = [line for line in uncertain if "option" not in line.words[:2] or options & {*line.words[1:3]}]
    return of_options[-1] if of_options else None


def _time(lines: Sequence[HaproxyLine], keyword: str) -> TimeSetting:
    line = last_line(lines, keyword)
    if line is None or line.is_uncertain:
        return TimeSetting()
    if keyword == SPREAD and line.value() == "infinite":
        return TimeSetting(math.inf, line)
    seconds = time_s(line)
    return TimeSetting(seconds, line) if seconds else TimeSetting()
