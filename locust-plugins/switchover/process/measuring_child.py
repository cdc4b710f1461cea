"""A child process that reads a spec, and reports that it is ready, its progress, and finally its account."""

import contextlib
import io
import resource
import threading
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, Self, TypeVar

import msgspec

from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError, UsageError
from switchover.process.json_child import JsonChild, send_message

STOP_TIMEOUT_S = 10.0
"""The maximum time to write the last records to a busy disk, in addition to `longest_s`."""
SPEC_LIMIT = 1 << 20
SPARE_DESCRIPTORS = 64

_STDIN = 0

Progress = TypeVar("Progress")


class ChildSpec:
    """The base class of specs, which are dataclasses. Error messages do not contain values of a spec, which may be
    secret."""

    __slots__ = ()

    child: ClassVar[str]

    @property
    def longest_s(self) -> float:
        return 0.0

    def to_json(self) -> str:
        return msgspec.json.encode(self, enc_hook=str).decode()

    @classmethod
    def from_json(cls, text: str) -> Self:
        try:
            return msgspec.json.decode(text, type=cls, dec_hook=lambda kind, value: kind(value))
        except (msgspec.MsgspecError, RecursionError) as error:
            raise UsageError(f"no usable spec for the {cls.child}: {error}") from error


class MeasuringChild(JsonChild, Generic[Progress]):
    """A running measuring process, which stops at the end of a with-block."""

    module: ClassVar[str]
    name: ClassVar[str]
    progress_type: type[Progress]
    ready_s: ClassVar[float] = 15.0
    """The maximum time, in seconds, to start Python, resolve the host (10 s if there is no answer) and open files."""

    def __init__(
        self, spec: ChildSpec, clock: Clock | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start the process and wait until it is ready. Raises SwitchoverError with the child's message."""
        self._longest_s = spec.longest_s
        self._progress: Progress | None = None
        self._account: dict[str, Any] | None = None
        self._stopped: dict[str, Any] | None = None
        self._ready: Mapping[str, Any] | None = None
        self._error: str | None = None
        self._settled = threading.Event()
        clock = clock or Clock.of_process()
        super().__init__(self.module, self.name, clock, self._take, on_end=self._settled.set, environment=environment)
        self.send_line(spec.to_json())
        try:
            self._settled.wait(self.ready_s)
        except BaseException:  # the waiting greenlet may be killed
            self.hang_up()
            raise
        if self._ready is None:
            reason = self.died or f"the {self.name} was not ready within {self.ready_s:g} s"
            self.kill()
            raise SwitchoverError(reason)

    @property
    def died(self) -> str | None:
        died = super().died
        return died and (self._error or died)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def progress(self) -> Progress | None:
        return self._progress

    def stop(self) -> dict[str, Any]:
        """Stop the process and return its account. The account of a process that died has a `warning`."""
        if self._stopped is None:
            died = self.died
            self.hang_up()
            limit_s = self._longest_s + STOP_TIMEOUT_S
            if not self.wait(limit_s):
                died = f"the {self.name} did not end within {limit_s:g} s and was killed"
            self.kill()
            reason = died or self.reason()
            self._stopped = self._account_of_the_dead(reason) if self._account is None else self._account
        return self._stopped

    def _account_of_the_dead(self, reason: str) -> dict[str, Any]:
        return {"warning": reason}

    def _take(self, message: dict[str, Any]) -> None:
        if "ready" in message:
            self._ready = message
            self._settled.set()
        elif message.keys() == {"error"}:
            self._error = message["error"]
        elif "account" in message:
            self._account = message["account"]
        else:
            self._progress = msgspec.convert(message, self.progress_type)


def measure(begin: Callable[[str], Callable[[], dict[str, Any]]]) -> None:
    """Run the child process. `begin` takes the spec and returns a function. This function measures, and returns the
    account of the measurement.

    The spec is the first line of stdin. The child does not read further lines.
    """
    spec = io.FileIO(_STDIN, closefd=False).readline(SPEC_LIMIT).decode("utf-8", "replace")
    run_to_account = begin(spec)
    send_message({"ready": True})
    send_message({"account": run_to_account()})


def raise_descriptor_limit(connections: int) -> str | None:
    """Raise the limit of open files. Returns a warning if the limit is too low for `connections`."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard != resource.RLIM_INFINITY and connections + SPARE_DESCRIPTORS > hard:
        return (
            f"these settings allow {connections} open connections, and the limit of open files is {hard}: "
            "raise the limit (ulimit -n), or some requests end as generator errors"
        )
    return None
