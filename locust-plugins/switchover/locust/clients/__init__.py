"""What HttpUser and FastHttpUser do not report by themselves: resends, reconnects, time-outs, and exact times.

    install()               at import: from then on every response of theirs carries `RequestFacts`
    configure(options)      at the start of a test
    client_facts(...)       what a run writes down of its clients
    timeout_warnings(...)   the user classes that may wait without end

    http_user.py            requests; http_exchange.py: the facts of one request
    fast_http_user.py       geventhttpclient; fast_facts.py: the facts of one request
    fast_connections.py     its connections; resends.py: requests that it sends again by itself
    timeouts.py             time-outs that are missing; run_clock.py; replacing.py
    unreported.py           requests that Locust does not report

The values that a client was given are not changed; Locust's statistics are the same as without all this.
"""

import logging

from switchover.locust.clients import fast_connections, fast_http_user, http_user, resends, timeouts, unreported
from switchover.locust.clients.run_clock import RUN_CLOCK
from switchover.locust.clients.timeouts import CLASSES_WITHOUT_TIMEOUT, client_facts, timeout_warnings
from switchover.locust.clients.unreported import UNREPORTED
from switchover.locust.user.exchange import Exchanges
from switchover.model.clock import Clock

__all__ = [
    "CLASSES_WITHOUT_TIMEOUT",
    "UNREPORTED",
    "client_facts",
    "configure",
    "install",
    "reconnects",
    "timeout_warnings",
]

COUNT = "count"

logger = logging.getLogger(__name__)
_installed = False


def install() -> None:
    """Watch the clients of this process, once. A client with unknown internals is left alone."""
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


def configure(sent_again: str, connect_s: float | None, read_s: float | None, clock: Clock | None = None) -> None:
    """Called at the start of a test, before users are made. `clock` is the run's.

    `sent_again`: `off`: FastHttpUser's client sends a request once; `count`: as often as it likes, which is
    recorded. `connect_s`, `read_s`: the time-outs of clients that have none of their own; None leaves them without.
    """
    if clock is not None:
        RUN_CLOCK.follow(clock)
    resends.count(sent_again == COUNT)
    timeouts.set_default_timeouts(connect_s, read_s)


def reconnects() -> int:
    """Kept connections that were found dead and silently replaced, in this process so far."""
    return http_user.CONNECTIONS.replaced + fast_connections.CONNECTIONS.replaced + Exchanges.replaced
