"""The Locust plugin: `import switchover.locust` in a locustfile, or `-f` the file that `switchover locustfile` names.

    plugin.py          the hooks, and who answers them in this process: the leader or a follower
    options.py         Locust arguments; checks.py: whether they fit together
    leader.py          the single process or the master: runs, their conductor, load.json, exit code
    load_run.py        one run
    follower.py        a worker: its part of a run
    part.py            the recording of one process; recorder.py, attribution.py: of one request
    outbox.py          what a worker has to tell, and accounts.py: what the master was told
    mail.py            messages between them; clock_sync.py: how far their clocks are apart
    clients/           what HttpUser and FastHttpUser keep to themselves
    balancer_user/     a user class of our own
    open_loop.py       the same, with visitors who come on a schedule

The plugin registers itself where Locust is at work. Elsewhere this package imports neither Locust nor gevent.
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from switchover.locust.user import BalancerHttpUser
    from switchover.locust.user.open_loop_user import OpenLoopUser

__all__ = ["BalancerHttpUser", "OpenLoopUser", "register"]


def register() -> None:
    """Take part in Locust's events. A locustfile need not call it; a program that uses Locust as a library does."""
    from switchover.locust.plugin import register as register_hooks

    register_hooks()


def __getattr__(name: str) -> Any:
    if name == "BalancerHttpUser":
        from switchover.locust.user import BalancerHttpUser

        return BalancerHttpUser
    if name == "OpenLoopUser":
        from switchover.locust.user.open_loop_user import OpenLoopUser

        return OpenLoopUser
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if "locust" in sys.modules:
    register()
