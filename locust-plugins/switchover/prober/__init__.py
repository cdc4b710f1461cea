"""The prober: one request per tick at a fixed rate, even while earlier requests wait, in a separate process.

A client in a closed loop sends nothing while it waits, and so hides most of an outage. Here `due_i = t0 + i / rate`
is fixed before anything is sent. Each probe is recorded with its due time and its actual time.

`switchover.http` reads the responses.
"""

from switchover.prober.account import ProberProgress
from switchover.prober.parent import Prober
from switchover.prober.spec import ProberSpec

__all__ = ["Prober", "ProberProgress", "ProberSpec"]
