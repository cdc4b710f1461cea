"""A drill under remote control. The process that makes the load sends the commands fire, heal and finish.

A load generator in a separate event loop, such as Locust's, cannot also run a collector, a prober and a guard. It
starts this process instead, which runs them like any drill.

* `parent.py`: the parent's side, `Controller`.
* `process.py`: the process. It reads the drill's settings, conducts the drill, and reports its state twice a second.
* `plans.py`: the times to fire, heal and end, by command or by a delay after the start of the load.
"""

from switchover.drill.remote.parent import Controller, ControllerState, Finished

__all__ = ["Controller", "ControllerState", "Finished"]
