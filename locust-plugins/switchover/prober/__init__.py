"""The prober: one request per tick at a fixed rate, even while earlier requests wait, in a separate process.

A client in a closed loop sends nothing while it waits, and so hides most of an outage. Here `due_i = t0 + i / rate`
is fixed before anything is sent. Each probe is recorded with its due time and its actual time.

    `spec.py`: the settings of the probes.
    `parent.py`: start, progress and end of the process.
    `process.py`: event loop, account, real-time scheduling.
    `sockets.py`: connect, send, receive, time out.
    `records.py`: probes and connections in the logs.
    `account.py`: schedule, counts, send lag.

`switchover.http` reads the responses.
"""

from switchover.prober.account import ProberProgress
from switchover.prober.parent import Prober
from switchover.prober.spec import ProberSpec

__all__ = ["Prober", "ProberProgress", "ProberSpec"]
