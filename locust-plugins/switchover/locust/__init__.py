"""The Locust plugin: `import switchover.locust` in a locustfile, or `-f` the file that `switchover locustfile` names.

    plugin.py          the listeners for Locust's events; the leader or a worker answers them
    options.py         Locust arguments; option_checks.py: whether they fit together
    leader.py          the single process or the master: its runs and the exit code
    run.py             one run while it goes on; run_report.py: its lines in Locust's log, its result
    load_settings.py   what a run writes down of the load
    interrupt.py       Ctrl-C between two greenlets
    recording/         from Locust's request events to the sample log and the traffic
    workers/           runs over several processes
    clients/           what HttpUser and FastHttpUser do not report by themselves
    user/              BalancerHttpUser and OpenLoopUser, user classes of our own
    page/              the Switchover page of Locust's web UI

The plugin registers itself where Locust was imported. Elsewhere this package imports neither Locust nor gevent.
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
