"""A drill under remote control. The load generator sends the commands fire, heal and finish.

The event loop of a load generator such as Locust cannot also run a collector, a prober and a guard. So the load
generator starts a separate process, the controller, which runs the collector, the prober and the guard, as in any
other drill.

* `parent.py`: `Controller`, the class that the load generator uses.
* `process.py`: the process. It reads the settings, conducts the drill, and reports its state twice a second.
* `plans.py`: the plan. Commands start the fault, the heal and the end, or these steps happen at fixed times
  after the start of the load.
"""

from switchover.drill.remote.parent import Controller, ControllerState, Finished

__all__ = ["Controller", "ControllerState", "Finished"]
