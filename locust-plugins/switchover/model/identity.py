"""Read the identity of a response (backend and balancer) from its headers.

After retries, Nginx lists every server; the last server answered. The servers are separated by `, `, or by ` : `
after an internal redirect. In the time header, Nginx writes `-` for a server that sent no response headers. If no
server was available, Nginx writes the name of the upstream group. Headers come from the network, so long names are
truncated, unprintable characters are removed, and the number of names is limited.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

NAME_LIMIT = 128
NAMES_LIMIT = 256
"""The maximum number of backends, and of balancers, in a run. Further names are replaced by `other`."""
HEADER_LIMIT = 4096
"""The maximum number of characters of a header that are read. If a header is longer, only its end is read."""
CACHE_LIMIT = 1024
OTHER = "other"

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SEPARATOR = re.compile(r",| : ")

HeaderValue = str | list[str]


@dataclass(frozen=True, slots=True)
class IdentitySettings:
    """The names of the identity headers, and the aliases of addresses."""

    backend_header: str = "X-Backend"
    balancer_header: str = "X-Balancer"
    upstream_time_header: str = "X-Upstream-Time"
    sticky_cookie: str | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)


class AnsweredBy(StrEnum):
    """The origin of a response: a backend, the balancer itself, or unknown. NONE means that there was no response."""

    BACKEND = "backend"
    BALANCER = "balancer"
    UNKNOWN = "unknown"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Identity:
    """The backend and balancer of a response. An empty name is unknown."""

    backend: str = ""
    balancer: str = ""
    answered_by: AnsweredBy = AnsweredBy.UNKNOWN


NO_ANSWER = Identity("", "", AnsweredBy.NONE)
UNKNOWN = Identity("", "", AnsweredBy.UNKNOWN)


@dataclass(slots=True)
class Names:
    """The distinct names that occur in one run, for example of backends: at most `limit` names of at most 128
    characters."""

    _limit: int = NAMES_LIMIT
    _names: set[str] = field(default_factory=set)
    overflowed: bool = False
    """True if a name was replaced by `other`."""

    def admit(self, raw: str) -> str:
        name = clean(raw)
        if not name or name in self._names:
            return name
        if len(self._names) >= self._limit:
            self.overflowed = True
            return OTHER
        self._names.add(name)
        return name


class WhoAnswered:
    """Read identities from headers. A process uses one object per run, which limits the numbers of backend and
    balancer names."""

    def __init__(self, settings: IdentitySettings) -> None:
        self._aliases = dict(settings.aliases)
        self._headers = (
            settings.backend_header.lower(),
            settings.balancer_header.lower(),
            settings.upstream_time_header.lower(),
        )
        self.backends = Names()
        self.balancers = Names()
        self._cache: dict[tuple[str, str, bool | None], Identity] = {}

    @property
    def overflowed(self) -> bool:
        """True if the run has more backend or balancer names than the limit allows."""
        return self.backends.overflowed or self.balancers.overflowed

    def identify(self, headers: Mapping[str, HeaderValue] | Iterable[tuple[str, HeaderValue]]) -> Identity:
        """Return the identity in the headers of one response, or `UNKNOWN`. Never raises."""
        backend_header, balancer_header, time_header = self._headers
        backend = balancer = time = ""
        for name, value in headers.items() if isinstance(headers, Mapping) else headers:
            lowered = name.lower()
            if not lowered:
                continue
            if lowered == backend_header:
                backend = join_header(backend, value)
            elif lowered == balancer_header:
                balancer = join_header(balancer, value)
            elif lowered == time_header:
                time = join_header(time, value)
        time = time.rstrip(" \t")
        answered = not time.endswith("-") if time else None
        key = (backend, balancer, answered)
        identity = self._cache.get(key)
        if identity is None:
            if len(self._cache) >= CACHE_LIMIT:
                self._cache.clear()
            identity = self._cache[key] = self._derive(backend, balancer, answered)
        return identity

    def _derive(self, backend_value: str, balancer_value: str, answered: bool | None) -> Identity:
        balancers = _entries(balancer_value)
        balancer = self.balancers.admit(self._alias(balancers[-1])) if balancers else ""
        backends = _entries(backend_value)
        if not backends:
            return Identity("", balancer, AnsweredBy.BALANCER if balancer else AnsweredBy.UNKNOWN)
        if answered is False or self._is_no_server(backends, listed_by_nginx=answered is not None):
            return Identity("", balancer, AnsweredBy.BALANCER)
        return Identity(self.backends.admit(self._alias(backends[-1])), balancer, AnsweredBy.BACKEND)

    def _is_no_server(self, entries: list[str], *, listed_by_nginx: bool) -> bool:
        """Return True if the last entry is no server: HAProxy's `<NOSRV>`, or the name of an Nginx upstream group,
        which has no port."""
        last = entries[-1]
        if last in self._aliases:
            return False
        if last.startswith("<") and last.endswith(">"):
            return True
        return ":" not in last and (listed_by_nginx or any(":" in entry for entry in entries))

    def _alias(self, entry: str) -> str:
        return self._aliases.get(entry, entry)


def clean(raw: str) -> str:
    """Return `raw` as a name: no control characters, no spaces at its ends, at most 128 characters."""
    return _CONTROL.sub("", raw[:HEADER_LIMIT]).strip(" ")[:NAME_LIMIT].rstrip(" ")


def hash_session(value: str) -> str:
    """Return the hash of a cookie's value. The sample log must not contain the value."""
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()[:16] if value else ""


def join_header(before: str, value: HeaderValue) -> str:
    """Append a value of a repeated header to the earlier values `before`, and return the last `HEADER_LIMIT`
    characters."""
    if isinstance(value, str):
        text = value[-HEADER_LIMIT:]
    else:
        text = ", ".join(entry[-HEADER_LIMIT:] for entry in value[-NAMES_LIMIT:])
    return f"{before}, {text}"[-HEADER_LIMIT:] if before else text[-HEADER_LIMIT:]


def _entries(value: str) -> list[str]:
    entries = (clean(part) for part in _SEPARATOR.split(value))
    return [entry for entry in entries if entry and entry != "-"]


def identity_lines(program: str, node: str, names: IdentitySettings, *, backend: bool, balancer: bool) -> list[str]:
    """Return the configuration lines that add headers with the names of the backend and the balancer to each
    response."""
    if program == "haproxy":
        by_backend = [f"http-response set-header {names.backend_header} %s"]
        by_balancer = [f"http-after-response set-header {names.balancer_header} {node}"]
    else:
        by_backend = [
            f"add_header {names.backend_header} $upstream_addr always;",
            f"add_header {names.upstream_time_header} $upstream_header_time always;",
        ]
        by_balancer = [f"add_header {names.balancer_header} {node} always;"]
    return [*(by_backend if backend else ()), *(by_balancer if balancer else ())]
