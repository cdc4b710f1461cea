"""The time-outs of each user class, and defaults for classes without time-outs.

HttpUser waits without end unless a request has `timeout=`. FastHttpUser waits 60 s. A balancer may fail and recover
ten times in 60 s without a single failed sample.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from locust import FastHttpUser, HttpUser, User
from locust.clients import HttpSession, LocustHttpAdapter
from requests.adapters import HTTPAdapter

_LOCUST_CONNECT_S = FastHttpUser.connection_timeout
_LOCUST_READ_S = FastHttpUser.network_timeout
_KNOWN_ADAPTERS = (LocustHttpAdapter, HTTPAdapter)
"""Adapters that set no time-outs."""

_DEFAULTS: list[float | None] = [None, None]
"""The time-outs for new users without time-outs: to connect, and to read, in seconds."""
CLASSES_WITHOUT_TIMEOUT: set[str] = set()
"""Names of the HttpUser classes that have sent a request without a time-out since the test began."""


def set_default_timeouts(connect_s: float | None, read_s: float | None) -> None:
    """Set the default time-outs of new users, in seconds. Classes that set time-outs keep them."""
    _DEFAULTS[:] = connect_s, read_s
    CLASSES_WITHOUT_TIMEOUT.clear()
    FastHttpUser.connection_timeout = _LOCUST_CONNECT_S if connect_s is None else connect_s
    FastHttpUser.network_timeout = _LOCUST_READ_S if read_s is None else read_s


def supply_timeout(session: HttpSession, url: str, options: dict[str, Any]) -> None:
    """Give a request without `timeout` the default time-out. Without a default, note its user class.

    An adapter of the user's own class is not changed, because it may set a time-out itself.
    """
    if type(session.get_adapter(url)) not in _KNOWN_ADAPTERS:
        return
    if "timeout" not in options and _DEFAULTS != [None, None]:
        options["timeout"] = tuple(_DEFAULTS)
    timeout = options.get("timeout")
    if timeout is None or (isinstance(timeout, tuple) and None in timeout):
        CLASSES_WITHOUT_TIMEOUT.add(type(session.user).__name__)


def client_facts(user_classes: Iterable[type[User]]) -> dict[str, dict[str, Any]]:
    """Return the client and the effective time-outs of each user class, in seconds. None: no time-out, or unknown."""
    from switchover.locust.user.balancer_http_user import BalancerHttpUser  # it imports this package

    facts: dict[str, dict[str, Any]] = {}
    for user_class in user_classes:
        client: str = "other"
        timeouts: Sequence[float | None] = (None, None)
        if issubclass(user_class, FastHttpUser):
            client = "geventhttpclient"
            if user_class.client_pool is None:  # otherwise the pool decides
                timeouts = user_class.connection_timeout, user_class.network_timeout
        elif issubclass(user_class, HttpUser):
            client, timeouts = "requests", _DEFAULTS
        elif issubclass(user_class, BalancerHttpUser):
            client, timeouts = "switchover", (user_class.timeout_connect, user_class.timeout_read)
        facts[user_class.__name__] = {
            "client": client,
            "timeout_connect_s": timeouts[0],
            "timeout_read_s": timeouts[1],
        }
    return facts


def timeout_warnings(user_classes: Iterable[type[User]], without_timeout: Collection[str]) -> list[str]:
    """Return a line for each class that waits as long as Locust's default, or without end.

    `without_timeout`: names of the HttpUser classes that have sent a request without a time-out.
    """
    warnings = []
    for user_class in user_classes:
        name = user_class.__name__
        if issubclass(user_class, FastHttpUser):
            if user_class.client_pool is None and 60 in (user_class.connection_timeout, user_class.network_timeout):
                warnings.append(
                    f"{name} waits up to 60 s, Locust's default, so hanging requests count as slow, not as failed; "
                    "set network_timeout and connection_timeout, or --switchover-timeout"
                )
        elif issubclass(user_class, HttpUser) and name in without_timeout:
            warnings.append(
                f"{name} sends requests without timeout=, so a hanging request never ends; "
                "set timeout= or --switchover-timeout"
            )
    return warnings
