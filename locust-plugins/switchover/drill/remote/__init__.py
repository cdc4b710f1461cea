"""A drill under remote control: fire, heal and finish are said by the process that makes the load.

A load generator that lives in an event loop of its own (Locust's) cannot run a collector, a prober and a guard
beside it. It starts this process instead, and there they are, as in any drill.

    state.py      what the parent learns meanwhile and at the end
    parent.py     the parent's side: `Controller`
    process.py    the process: reads the drill's settings, and conducts it
    commands.py   when to fire, heal and end: by command, or so long after the load began
    changes.py    a series of changes, from so long after the load began
    reporter.py   says once or twice a second how it stands
"""

from switchover.drill.remote.parent import Controller, ControllerState, Finished

__all__ = ["Controller", "ControllerState", "Finished"]
