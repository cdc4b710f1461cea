"""Record details that HttpUser and FastHttpUser do not report: hidden resends, time-outs and exact times.

The plugin calls `install()` when it registers its listeners. After `install()`, every response has an attribute with
`RequestFacts`. Time-outs that a client already has are not changed. Locust's statistics are not changed.
"""

import functools
import logging

from switchover.locust.clients import fast_http_user, http_user, unreported

logger = logging.getLogger(__name__)


@functools.cache
def install() -> None:
    """Instrument the clients of this process. A client version with unknown internals is not changed."""
    for name, consequence, why in (
        ("HttpUser", "truncated headers count as success", http_user.install()),
        ("FastHttpUser", "resends stay hidden", fast_http_user.install()),
        ("Locust", "requests whose with-block raises are not recorded", unreported.install()),
    ):
        if why is not None:
            logger.warning("Switchover: %s's client cannot be watched, so %s: %s", name, consequence, why)
