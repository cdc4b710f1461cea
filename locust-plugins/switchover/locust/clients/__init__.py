"""What HttpUser and FastHttpUser do not report by themselves: hidden resends, time-outs, and exact times.

    install()               at import: from then on every response of theirs carries `RequestFacts`
    configure(options)      at the start of a test
    client_facts(...)       what a run writes down of its clients
    timeout_warnings(...)   the user classes that may wait without end

    http_user.py            requests
    fast_http_user.py       geventhttpclient, which never resends any more
    timeouts.py             time-outs that are missing; run_clock.py
    unreported.py           requests that Locust does not report

The values that a client was given are not changed; Locust's statistics are the same as without all this.
"""

import logging

from switchover.locust.clients import fast_http_user, http_user, timeouts, unreported
from switchover.locust.clients.run_clock import RUN_CLOCK
from switchover.locust.clients.timeouts import CLASSES_WITHOUT_TIMEOUT, client_facts, timeout_warnings
from switchover.locust.clients.unreported import UNREPORTED
from switchover.model.clock import Clock

__all__ = ["CLASSES_WITHOUT_TIMEOUT", "UNREPORTED", "client_facts", "configure", "install", "timeout_warnings"]

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


def configure(connect_s: float | None, read_s: float | None, clock: Clock | None = None) -> None:
    """Called at the start of a test, before users are made. `clock` is the run's.

    `connect_s`, `read_s`: the time-outs of clients that have none of their own; None leaves them without.
    """
    if clock is not None:
        RUN_CLOCK.follow(clock)
    timeouts.set_default_timeouts(connect_s, read_s)
