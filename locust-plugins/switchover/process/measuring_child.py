"""A process of ours that measures: given a spec, it says that it is ready, then how it stands, and its account last.

`MeasuringChild` is the parent's end of it. `read_spec_line` and `raise_descriptor_limit` are for the process itself.
"""

import contextlib
import os
import resource
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError, UsageError
from switchover.process.json_child import JsonChild

READY_TIMEOUT_S = 15.0
"""Start of Python, name resolution, opening of files; a resolver that does not answer takes 10 s by default."""
STOP_TIMEOUT_S = 10.0
"""On top of the time-outs of what is under way, for writing on a busy disk."""
SPEC_LIMIT = 1 << 20
"""Bytes of the spec's line."""
SPARE_DESCRIPTORS = 64
"""For everything but connections."""

_STDIN = 0


class MeasuringChild:
    """A running process. As a context manager it stops when the block ends, also by an exception."""

    def __init__(self, module: str, name: str, clock: Clock, hear: Callable[[dict[str, Any]], None]) -> None:
        """`hear` gets each message about its progress, on a thread of this object's."""
        self._name = name
        self._hear = hear
        self._account: dict[str, Any] | None = None
        self._ready: Mapping[str, Any] | None = None
        self._error: str | None = None
        self._settled = threading.Event()
        """It is ready, or has said why not."""
        self._child = JsonChild(module, name, clock, self._listen, ended=self._settled.set)

    def begin(self, spec: str) -> Mapping[str, Any]:
        """Give it its spec and wait until it is ready; SwitchoverError with its own words if it cannot be.

        Returns the message by which it said so.
        """
        self._child.tell_line(spec)
        if not self._settled.wait(READY_TIMEOUT_S) or self._ready is None:
            silent = f"the {self._name} was not ready within {READY_TIMEOUT_S:g} s: is the name server silent?"
            ended = self._child.died
            self._child.kill()
            raise SwitchoverError(self._error or ended or silent)
        return self._ready

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.kill()

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def died(self) -> str | None:
        """Why it ended without having been asked to; None while it runs and after `end`."""
        return self._child.died

    @property
    def silent_s(self) -> float:
        """How long it has said nothing."""
        return self._child.silent_s

    def tell(self, message: Mapping[str, Any]) -> None:
        self._child.tell(message)

    def end(self, lasts_s: float) -> tuple[dict[str, Any] | None, str]:
        """End it, and wait at most `lasts_s` and a little more for what is under way.

        Its account, or None and why there is none.
        """
        died = self.died
        self._child.hang_up()
        if not self._child.wait(lasts_s + STOP_TIMEOUT_S):
            died = f"the {self._name} did not end within {lasts_s + STOP_TIMEOUT_S:g} s and was killed"
        self._child.kill()
        return self._account, "" if self._account is not None else died or self._child.reason()

    def _listen(self, message: dict[str, Any]) -> None:
        if "ready" in message:
            self._ready = message
            self._settled.set()
        elif "error" in message:
            self._error = message["error"]
        elif "account" in message:
            self._account = message["account"]
        else:
            self._hear(message)


def read_spec_line(name: str) -> str:
    """The first line of stdin, for the process `name`; what comes behind it stays unread or means nothing."""
    received = bytearray()
    while b"\n" not in received and len(received) < SPEC_LIMIT:
        part = os.read(_STDIN, 65536)
        if not part:
            break
        received += part
    try:
        return received.partition(b"\n")[0].decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"the {name} was given a spec that is no UTF-8") from error


def raise_descriptor_limit(connections: int) -> str | None:
    """As many descriptors as we may have; a warning if so many connections could use them up."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard != resource.RLIM_INFINITY and connections + SPARE_DESCRIPTORS > hard:
        return (
            f"up to {connections} connections can be open by these settings, and the limit of open files is {hard}: "
            "raise it (ulimit -n), or some requests end as generator errors"
        )
    return None
