"""A drill in a separate process, under the control of a load generator. `parent.py` is the side of the load
generator, `process.py` is the process, and `plans.py` is its plan."""

from switchover.drill.remote.parent import Controller, ControllerState, Finished

__all__ = ["Controller", "ControllerState", "Finished"]
