"""The Locust plugin.

Import `switchover.locust` in a locustfile, or load the file that `switchover locustfile` prints.

* `plugin.py`: the listeners for Locust's events, which call the leader or the worker.
* `options.py`: Locust arguments.
* `option_checks.py`: checks of combinations of options.
* `leader.py`: the leader (the single process or the master), which starts and ends runs and sets the exit code.
* `run.py`: a run in progress.
* `run_report.py`: the settings of the load, the lines that a run writes to Locust's log, and the result of a run.
* `interrupt.py`: delivers Ctrl-C between two greenlets.
* `recording/`: writes Locust's request events to the sample log and the traffic.
* `workers/`: runs over several processes.
* `clients/`: adds details that HttpUser and FastHttpUser do not report.
* `user/`: the user class BalancerHttpUser.
* `page/`: the Switchover page of Locust's web UI.

The plugin registers itself if Locust is already imported. Otherwise this package imports neither Locust nor gevent.
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
