"""The prober: a separate process that sends requests at a fixed rate. It does not wait for the responses to earlier
requests.

A closed-loop client sends nothing while it waits for a response, so it hides most of an outage. The due times of the
prober, `due_i = t0 + i / rate`, do not depend on responses. Each probe is recorded with its due time and its start
time.
"""

from switchover.prober.account import ProberProgress
from switchover.prober.parent import Prober
from switchover.prober.spec import ProberSpec

__all__ = ["Prober", "ProberProgress", "ProberSpec"]
