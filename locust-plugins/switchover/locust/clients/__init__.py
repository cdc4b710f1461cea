"""What HttpUser and FastHttpUser keep to themselves: resends, reconnects, time-outs, and when it all happened.

    install()               at import: from then on every response of theirs carries `RequestFacts`
    configure(settings)     at the start of a test
    client_facts(...)       what a run writes down of its clients
    timeout_warnings(...)   the user classes that may hang for ever

    http_user.py            requests; http_exchange.py: what comes together; truncation.py: headers that end too soon
    fast_http_user.py       geventhttpclient; resends.py: those that it makes of its own accord
    fast_facts.py           what comes together; fast_connections.py: of connections; fast_body.py: of bodies
    timeouts.py             those that are missing
    unreported.py           requests of which Locust is never told

What a client was told stays as it is; the statistics of Locust are those that it would have without all this.
"""

import logging
from dataclasses import dataclass

from switchover.locust.clients import fast_connections, fast_http_user, http_user, resends, timeouts, unreported
from switchover.locust.clients.timeline import TIMELINE
from switchover.locust.clients.timeouts import client_facts, timeout_warnings
from switchover.locust.clients.unreported import UNREPORTED
from switchover.locust.user.exchange import Exchanges
from switchover.model.clock import Clock

__all__ = ["UNREPORTED", "ClientSettings", "client_facts", "configure", "install", "reconnects", "timeout_warnings"]

OFF = "off"
COUNT = "count"

logger = logging.getLogger(__name__)
_installed = False


@dataclass(frozen=True, slots=True)
class ClientSettings:
    resends: str = OFF
    """`off`: FastHttpUser's client sends a request once; `count`: as often as it likes, which is recorded."""
    timeout_connect_s: float | None = None
    """For clients that have none of their own; None leaves them without."""
    timeout_read_s: float | None = None


def install() -> None:
    """Watch the clients of this process. Once; a client that has changed too much is left alone, with a warning."""
    global _installed
    if _installed:
        return
    _installed = True
    for name, consequence, why in (
        ("HttpUser", "truncated headers count as success", http_user.install()),
        ("FastHttpUser", "resends stay hidden", fast_http_user.install()),
        ("Locust", "requests whose with-block raises are not recorded", unreported.install()),
    ):
        if why is not None:
            logger.warning("Switchover: %s's client cannot be watched, so %s: %s", name, consequence, why)


def configure(settings: ClientSettings, clock: Clock | None = None) -> None:
    """Called at the start of a test, before users are made. `clock` is the run's."""
    if clock is not None:
        TIMELINE.follow(clock)
    resends.count(settings.resends == COUNT)
    timeouts.supply(settings.timeout_connect_s, settings.timeout_read_s)


def reconnects() -> int:
    """Kept connections that were found dead and silently replaced, in this process so far."""
    return http_user.CONNECTIONS.replaced + fast_connections.CONNECTIONS.replaced + Exchanges.replaced
