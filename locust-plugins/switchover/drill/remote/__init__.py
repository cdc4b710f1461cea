"""A drill under remote control: fire, heal and finish are said by the process that makes the load.

A load generator that lives in an event loop of its own (Locust's) cannot run a collector, a prober and a guard
beside it. It starts this process instead, and there they are, as in any drill.

    parent.py     the parent's side: `Controller`
    process.py    the process: reads the drill's settings, conducts it, and says twice a second how it stands
    plans.py      when to fire, heal, change and end: by command, or so long after the load began
"""

from switchover.drill.remote.parent import Controller, ControllerState, Finished

__all__ = ["Controller", "ControllerState", "Finished"]
