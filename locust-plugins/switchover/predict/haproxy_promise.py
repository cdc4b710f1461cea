"""What a haproxy.cfg promises of a reload.

The old process stops listening, closes the kept connections that are idle, and serves what is under way to its end
(management guide, sections 3 and 4). Each rule here was tried on HAProxy 2.6; docs/proof/predictions.txt says how.
"""

import math
from collections.abc import Iterator, Sequence
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

TELL = "option idle-close-on-response, in the frontend or its defaults: each client is told in its next answer"
PATIENCE = "no hard-stop-after, or one that is longer than your longest connection"
HARD_STOP, SPREAD, GRACE = "hard-stop-after", "close-spread-time", "grace"
STARTS = "start it with -Ws (or -W): the listening sockets pass from process to process"


@dataclass(frozen=True, slots=True)
class TimeSetting:
    """A time of the global section; `line` is None where it is not set."""

    seconds: float = math.inf
    line: HaproxyLine | None = None


@dataclass(frozen=True, slots=True)
class _ReloadSettings:
    """What of the global section decides."""

    hard_stop: TimeSetting
    spread: TimeSetting
    grace: TimeSetting
    fresh: Promise
    uncertain: HaproxyLine | None
    """A line about these whose value or effect only HAProxy itself knows."""


def promise_of(files: Sequence[tuple[str, str]], *, master_worker: bool | None = None) -> ReloadPromise:
    """The promise of these files (name and text), read as one.

    `master_worker`: whether HAProxy is started with -W or -Ws, where that is known. Raises TargetError with the place
    of a line that has no meaning.
    """
    sections = read_sections(files)
    lines = global_lines(sections)
    listening = [proxy for proxy in resolve_proxies(sections) if proxy.listens]
    proxies = [
        proxy
        for proxy in listening
        if proxy.mode in ("http", "tcp") or _last_uncertain([one for one in proxy.lines if one.keyword == "mode"])
    ]
    if not proxies:
        raise TargetError(f"{files[0][0]}: has no frontend and no listen section: nothing listens")
    settings = _ReloadSettings(
        hard_stop=_time(lines, HARD_STOP),
        spread=_time(lines, SPREAD),
        grace=_time(lines, GRACE),
        fresh=_fresh(lines, master_worker),
        uncertain=_last_uncertain([line for line in lines if line.keyword in (HARD_STOP, SPREAD, GRACE)]),
    )
    services = [
        PromisedService((proxy.name,), proxy.section.head.place, _promises(proxy, settings)) for proxy in proxies
    ]
    return ReloadPromise("haproxy", unite(services), tuple(dict.fromkeys(_notes(lines, proxies))))


def _promises(proxy: Proxy, settings: _ReloadSettings) -> dict[str, Promise]:
    found: dict[str, Promise] = {FRESH: settings.fresh}
    uncertain = _last_uncertain([line for line in proxy.lines if _decides(line)]) or settings.uncertain
    if uncertain is not None:
        rest = [kind for kind in LOADS if kind != FRESH]
        return found | dict.fromkeys(rest, Promise(Fate.UNKNOWN, _why_uncertain(uncertain), uncertain.place))
    stream = _to_its_end(settings, "the old process serves it to its end")
    if proxy.mode == "tcp":
        passed_on = _to_its_end(settings, "mode tcp: the old process passes bytes on until one side closes")
        return {kind: settings.fresh if kind == FRESH else passed_on for kind in LOADS}
    found[HeldKind.POOLED] = _between_requests(proxy, settings, POOLED_PAUSE_S)
    found[HeldKind.IDLE] = _between_requests(proxy, settings, IDLE_PAUSE_S)
    found |= dict.fromkeys(STREAMS, stream)
    found[HeldKind.TCP] = not_served("mode http")
    found[HeldKind.H2] = _h2(settings)
    return found


def _to_its_end(settings: _ReloadSettings, how: str) -> Promise:
    """What is served for as long as the old process lives."""
    hard, grace = settings.hard_stop, settings.grace
    if hard.line is None:
        return kept(f"{how}: no hard-stop-after")
    because = f"{hard.line.text}: the old process ends what is open then"
    if grace.line is not None:
        because = f"{hard.line.text} behind {grace.line.text}: the old process ends what is open then"
    return Promise(
        Fate.CUT, because, hard.line.place, hard.seconds + (grace.seconds if grace.line else 0.0), PATIENCE
    )


def _between_requests(proxy: Proxy, settings: _ReloadSettings, pause_s: float) -> Promise:
    """A kept connection that is silent at the reload, and asks again within `pause_s`."""
    closes, spread = proxy.option("httpclose"), settings.spread
    if closes is not None:
        return kept(f"{closes.text}: no connection is kept, each answer says so", closes.place)
    if spread.line is not None and spread.seconds == math.inf:
        return _to_its_end(settings, f"{spread.line.text}: no connection is closed for the reload")
    tells = proxy.option("idle-close-on-response") or settings.grace.line
    if spread.line is not None:
        because = f"{spread.line.text}: until then silent ones are closed without a word"
        return Promise(Fate.MAY_BE_LOST, because, spread.line.place, setting=f"no close-spread-time, and {TELL}")
    if tells is not None:
        ends = _to_its_end(settings, "")
        if ends.cut_after_s is not None and ends.cut_after_s < pause_s:
            return ends
        seen = " (so in 2.6; the manual does not promise it)" if tells.keyword == "grace" else ""
        return kept(f"{tells.text}: the next answer says that it closes{seen}", tells.place)
    because = "silent ones are closed at once without a word: no option idle-close-on-response"
    return Promise(Fate.MAY_BE_LOST, because, setting=TELL)


def _h2(settings: _ReloadSettings) -> Promise:
    spread = settings.spread
    if spread.line is not None and spread.seconds == math.inf:
        return _to_its_end(settings, f"{spread.line.text}: no connection is closed for the reload")
    ends = _to_its_end(settings, "")
    if ends.cut_after_s is not None and ends.cut_after_s < POOLED_PAUSE_S:
        return ends
    return kept("GOAWAY names the last stream that was taken, and those are answered")


def _fresh(lines: Sequence[HaproxyLine], master_worker: bool | None) -> Promise:
    """New connections: who holds the listening sockets while one process follows another."""
    directive = last_line(lines, "master-worker")
    if directive is not None and not directive.is_conditional:
        return kept(f"{directive.text}: the new process inherits the listening sockets", directive.place)
    if master_worker:
        return kept("started with -W or -Ws: the new process inherits the listening sockets")
    exposed = next((line for line in lines if line.words[:2] == ("stats", "socket") and _exposes(line)), None)
    if exposed is not None:
        because = "expose-fd listeners: the new process takes the listening sockets over, with -W, -Ws or -x"
        return kept(because, exposed.place)
    apart = last_line(lines, "noreuseport")
    if apart is not None and master_worker is False:
        because = f"{apart.text}: the old process stops listening before the new one can"
        return Promise(Fate.MAY_BE_LOST, because, apart.place, setting=STARTS)
    if master_worker is False:
        because = "without -W, -Ws or -x what waits in the old process's queue is lost when it stops listening"
        return Promise(Fate.MAY_BE_LOST, because, setting=STARTS)
    because = "how HAProxy is started is not in this file: kept with -W or -Ws (--unit FILE shows it)"
    return Promise(Fate.UNKNOWN, because, None if apart is None else apart.place, setting=STARTS)


def _exposes(line: HaproxyLine) -> bool:
    return "expose-fd" in line.words and line.words[line.words.index("expose-fd") + 1 :][:1] == ("listeners",)


def _decides(line: HaproxyLine) -> bool:
    """Whether a proxy's line is about its mode, or about an option that decides what becomes of kept connections."""
    options = ("idle-close-on-response", "httpclose")
    return line.keyword == "mode" or ("option" in line.words[:2] and any(name in line.words[:3] for name in options))


def _last_uncertain(lines: Sequence[HaproxyLine]) -> HaproxyLine | None:
    return next((line for line in reversed(lines) if line.is_conditional or line.unknown), None)


def _why_uncertain(line: HaproxyLine) -> str:
    if line.unknown:
        return f"{line.text!r}: the environment of HAProxy decides ({', '.join(line.unknown)})"
    return f"{line.text!r} stands in a condition that only HAProxy can decide"


def _time(lines: Sequence[HaproxyLine], keyword: str) -> TimeSetting:
    line = last_line(lines, keyword)
    if line is None or line.is_conditional or line.unknown:
        return TimeSetting()
    if keyword == SPREAD and line.value() == "infinite":
        return TimeSetting(math.inf, line)
    seconds = time_s(line)
    return TimeSetting(seconds, line) if seconds else TimeSetting()


def _notes(lines: Sequence[HaproxyLine], proxies: Sequence[Proxy]) -> Iterator[str]:
    """What closes connections apart from a reload, and what a setting costs."""
    reloads = last_line(lines, "mworker-max-reloads")
    if reloads is not None:
        yield (
            f"{reloads.text}: a process that has outlived more reloads than that is ended, with all that is open "
            f"on it [{reloads.place}]"
        )
    for proxy in proxies:
        silent = next((found for found in map(proxy.last, *_SILENCES) if found), None)
        if proxy.mode == "http" and silent is not None:
            yield (
                f"{silent.text}: reload or not, a kept connection that is silent for longer is closed without a word "
                f"[{silent.place}]"
            )
        tunnel = proxy.last("timeout", "tunnel") or proxy.last("timeout", "client")
        if tunnel is not None:
            yield (
                f"{tunnel.text}: reload or not, a WebSocket or TCP connection that is silent for longer is cut "
                f"[{tunnel.place}]"
            )
        tells = proxy.option("idle-close-on-response")
        if tells is not None:
            yield (
                "option idle-close-on-response: the old process stays until each kept connection has asked once more "
                "or its time is over, so old processes add up where reloads are frequent"
            )
        if not any(line.keyword == "bind" for line in proxy.section.lines) and len(proxy.section.head.words) < 3:
            yield f"{proxy.section.kind} {proxy.name} has no bind: it listens nowhere [{proxy.section.head.place}]"


_SILENCES = (("timeout", "timeout", "timeout"), ("http-keep-alive", "http-request", "client"))
