"""Record details that HttpUser and FastHttpUser do not report: hidden resends, time-outs and exact times.

* `install()` is called at import. After this call, every response has an attribute with `RequestFacts`.
* `configure(...)` is called at the start of a test.
* `client_facts(...)` returns the client and the time-outs of each user class.
* `timeout_warnings(...)` returns a warning for each user class whose requests may wait forever.

* `http_user.py`: the library requests, which HttpUser uses.
* `fast_http_user.py`: the library geventhttpclient, which FastHttpUser uses. The resends of this library are switched
  off.
* `timeouts.py`: time-outs for clients without time-outs.
* `unreported.py`: requests that Locust does not report.

Time-outs that a client already has are not changed. Locust's statistics are not changed.
"""

import functools
import logging

from switchover.locust.clients import fast_http_user, http_user, timeouts, unreported
from switchover.locust.clients.timeouts import CLASSES_WITHOUT_TIMEOUT, client_facts, timeout_warnings
from switchover.locust.clients.unreported import UNREPORTED
from switchover.locust.recording.request_facts import RUN_CLOCK
from switchover.model.clock import Clock

__all__ = ["CLASSES_WITHOUT_TIMEOUT", "UNREPORTED", "client_facts", "configure", "install", "timeout_warnings"]

logger = logging.getLogger(__name__)


@functools.cache
def install() -> None:
    """Instrument the clients of this process; a second call does nothing. A client version with unknown internals is
    not changed."""
    for name, consequence, why in (
        ("HttpUser", "truncated headers count as success", http_user.install()),
        ("FastHttpUser", "resends stay hidden", fast_http_user.install()),
        ("Locust", "requests whose with-block raises are not recorded", unreported.install()),
    ):
        if why is not None:
            logger.warning("Switchover: %s's client cannot be watched, so %s: %s", name, consequence, why)


def configure(connect_s: float | None, read_s: float | None, clock: Clock | None = None) -> None:
    """Set the run's clock and the default time-outs. Call this function at the start of a test, before users are
    created.

    `connect_s`, `read_s`: the time-outs, in seconds, for clients without time-outs. None: Locust's defaults are not
    changed.
    """
    if clock is not None:
        RUN_CLOCK.anchor_ns = clock.anchor_ns
    timeouts.set_default_timeouts(connect_s, read_s)
