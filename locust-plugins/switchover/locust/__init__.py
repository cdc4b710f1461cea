"""The Locust plugin: `import switchover.locust` in a locustfile, or `-f` the file that `switchover locustfile` names.

* `plugin.py`: the listeners for Locust's events. The leader or a worker answers them.
* `options.py`: Locust arguments.
* `option_checks.py`: checks of options that depend on each other.
* `leader.py`: the single process or the master, with its runs and the exit code.
* `run.py`: one run in progress.
* `run_report.py`: the settings of the load, the lines of a run in Locust's log, and its result.
* `interrupt.py`: Ctrl-C between two greenlets.
* `recording/`: Locust's request events become the sample log and the traffic.
* `workers/`: runs over several processes.
* `clients/`: facts that HttpUser and FastHttpUser do not report.
* `user/`: the user classes BalancerHttpUser and OpenLoopUser.
* `page/`: the Switchover page of Locust's web UI.

The plugin registers itself if Locust was imported before. Otherwise this package imports neither Locust nor gevent.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from switchover.locust.user.balancer_http_user import BalancerHttpUser
    from switchover.locust.user.open_loop_user import OpenLoopUser

__all__ = ["BalancerHttpUser", "OpenLoopUser", "register"]


def register() -> None:
    """Listen to Locust's events. A program that uses Locust as a library calls this; a locustfile need not."""
    from switchover.locust.plugin import register as register_hooks

    register_hooks()


def __getattr__(name: str) -> Any:
    # Imported on first use: they import Locust, which patches the process.
    modules = {"BalancerHttpUser": "balancer_http_user", "OpenLoopUser": "open_loop_user"}
    if name not in modules:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"switchover.locust.user.{modules[name]}"), name)


if "locust" in sys.modules:
    register()
