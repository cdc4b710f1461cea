"""The Locust plugin. Import `switchover.locust` in a locustfile, or load the file that `switchover locustfile`
prints.

`plugin.py` listens to Locust's events and calls the leader (the single process or the master) or the worker. The
plugin registers itself if Locust is already imported. Otherwise this package imports neither Locust nor gevent.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from switchover.locust.user.balancer_http_user import BalancerHttpUser

__all__ = ["BalancerHttpUser", "register"]


def register() -> None:
    """Listen to Locust's events. A program that uses Locust as a library calls this function."""
    from switchover.locust.plugin import register as register_hooks

    register_hooks()


def __getattr__(name: str) -> Any:
    # Imported on first use, because this module imports Locust, and Locust patches the process.
    if name != "BalancerHttpUser":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("switchover.locust.user.balancer_http_user"), name)


if "locust" in sys.modules:
    register()
