"""Whether there is anything to read on a socket, without reading it and without waiting."""

# The C module: socket.socket is gevent's here.
from _socket import socket as Socket  # noqa: N812
from collections.abc import Callable
from functools import partial
from typing import Any

from gevent.monkey import get_original

_select: Any = get_original("select", "select")
try:
    _poll: Any = get_original("select", "poll")
except AttributeError:  # Windows
    _poll = None


def peeking(sock: Socket) -> Callable[[], object]:
    """A function that looks, and is true if there is. Reading in vain would cost four times what poll(2) does."""
    if _poll is None:
        return lambda: _select([sock], [], [], 0)[0]
    poll = _poll()
    poll.register(sock.fileno(), 1)
    return partial(poll.poll, 0)
