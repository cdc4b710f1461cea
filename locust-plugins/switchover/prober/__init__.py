"""The prober: a separate process that sends requests at a fixed rate.

A closed-loop client sends nothing while it waits for a response, so it hides most of an outage. The due times of the
prober, `due_i = t0 + i / rate`, do not depend on responses.
"""

from switchover.prober.account import ProberProgress
from switchover.prober.spec import Prober, ProberSpec

__all__ = ["Prober", "ProberProgress", "ProberSpec"]
