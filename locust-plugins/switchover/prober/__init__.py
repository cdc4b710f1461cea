"""The prober: one request per tick at a fixed rate, also while earlier ones wait, in a process of its own.

It measures what a closed loop cannot: a client that waits for an answer sends nothing meanwhile, and so hides most of
an outage. Here `due_i = t0 + i / rate` is decided before anything is sent, and every probe is recorded with both its
due time and its actual one.

    spec.py       what to probe, and how it travels to the process
    parent.py     starts the process, follows its progress, ends it: `Prober`
    process.py    the process: its event loop, its account; real-time scheduling
    sockets.py    connect, send, receive, time out
    records.py    probes and connections, and the lines that stay
    account.py    due times, those that could not be kept, counts and send lag

Answers are read by `switchover.http`.
"""

from switchover.prober.account import ProberProgress
from switchover.prober.parent import Prober
from switchover.prober.spec import ProberSpec

__all__ = ["Prober", "ProberProgress", "ProberSpec"]
