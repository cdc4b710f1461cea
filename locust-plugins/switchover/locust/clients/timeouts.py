"""The time-outs of each user class, and defaults for classes without time-outs.

HttpUser waits forever unless a request has `timeout=`. FastHttpUser waits 60 s by default, which is longer than many
outages.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from locust import FastHttpUser, HttpUser, User
from locust.clients import HttpSession, LocustHttpAdapter
from requests.adapters import HTTPAdapter

from switchover.locust.recording.request_facts import RUN_CLOCK
from switchover.model.clock import Clock

_LOCUST_CONNECT_S = FastHttpUser.connection_timeout
_LOCUST_READ_S = FastHttpUser.network_timeout
_KNOWN_ADAPTERS = (LocustHttpAdapter, HTTPAdapter)

_DEFAULTS: list[float | None] = [None, None]
"""The connect time-out and the read time-out, in seconds, for new users without time-outs."""
CLASSES_WITHOUT_TIMEOUT: set[str] = set()
"""The names of the HttpUser classes that have sent a request without a time-out in this test."""


def configure(connect_s: float | None, read_s: float | None, clock: Clock) -> None:
    """Set the run's clock and the default time-outs, before users are created.

    `connect_s`, `read_s`: the time-outs, in seconds, for clients without time-outs. None: Locust's defaults.
    """
    RUN_CLOCK.anchor_ns = clock.anchor_ns
    _DEFAULTS[:] = connect_s, read_s
    CLASSES_WITHOUT_TIMEOUT.clear()
    FastHttpUser.connection_timeout = _LOCUST_CONNECT_S if connect_s is None else connect_s
    FastHttpUser.network_timeout = _LOCUST_READ_S if read_s is None else read_s


def supply_timeout(session: HttpSession, url: str, options: dict[str, Any]) -> None:
    """Add the default time-out to a request without `timeout`, or record the user class if there is no default.

    Requests through an adapter of the user are not changed, because such an adapter may set a time-out itself.
    """
    if type(session.get_adapter(url)) not in _KNOWN_ADAPTERS:
        return
    if "timeout" not in options and _DEFAULTS != [None, None]:
        options["timeout"] = tuple(_DEFAULTS)
    timeout = options.get("timeout")
    if timeout is None or (isinstance(timeout, tuple) and None in timeout):
        CLASSES_WITHOUT_TIMEOUT.add(type(session.user).__name__)


def client_facts(user_classes: Iterable[type[User]]) -> dict[str, dict[str, Any]]:
    """Return the client and the time-outs (in seconds) of each user class. None: no time-out, or unknown."""
    from switchover.locust.user.balancer_http_user import BalancerHttpUser  # that module imports this package

    facts: dict[str, dict[str, Any]] = {}
    for user_class in user_classes:
        client: str = "other"
        timeouts: Sequence[float | None] = (None, None)
        if issubclass(user_class, FastHttpUser):
            client = "geventhttpclient"
            if user_class.client_pool is None:  # otherwise the pool has the time-outs
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
    """Return a warning for each user class without a time-out, or with Locust's default time-out."""
    warnings = []
    for user_class in user_classes:
        name = user_class.__name__
        if issubclass(user_class, FastHttpUser):
            if user_class.client_pool is None and 60 in (user_class.connection_timeout, user_class.network_timeout):
                warnings.append(
                    f"{name} waits up to 60 s for a response (Locust's default), so hanging requests "
                    "count as slow, not as failed; "
                    "set network_timeout and connection_timeout, or --switchover-timeout"
                )
        elif issubclass(user_class, HttpUser) and name in without_timeout:
            warnings.append(
                f"{name} sends requests without timeout=, so a hanging request never ends; "
                "set timeout= or --switchover-timeout"
            )
    return warnings
