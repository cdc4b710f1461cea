"""The parent's side of streaming: start the streaming process, and read its warnings and its account."""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.process.json_child import JsonChild
from switchover.process.measuring_child import ChildSpec
from switchover.streaming.influx.destination import Credentials, Database, parse_destination
from switchover.streaming.influx.shipper import ShipperAccount, account_of
from switchover.streaming.metrics.otlp import OtlpReceiver, find_receiver
from switchover.streaming.metrics.prometheus import LAST_SCRAPE_S, parse_address
from switchover.target.lab_directory import LabDirectory

END_S = 5.0
"""The time limit, in seconds, for the pushes of metrics at the end of a run."""
WAIT_S = 10.0


@dataclass(frozen=True, slots=True)
class StreamSpec(ChildSpec):
    """One run directory and the receivers of its points. The JMeter plugin sets only the first five fields."""

    child: ClassVar[str] = "shipper"

    directory: Path
    url: str | None = None
    credentials: Credentials | None = None
    wait_s: float = WAIT_S
    outside: Path | None = None
    """In a lab's network: the socket of the process outside of the lab, which streams the run."""
    prometheus: str | None = None
    otlp: OtlpReceiver | None = None

    @property
    def database(self) -> Database | None:
        return Database(parse_destination(self.url), self.credentials or Credentials()) if self.url else None

    @property
    def has_metrics(self) -> bool:
        return bool(self.prometheus or self.otlp)


LAST_WORD_S = 3.0
"""The seconds that the process has, after its time limit, to count the unsent points."""


def check_metrics(prometheus: str | None) -> None:
    if prometheus:
        parse_address(prometheus)
    find_receiver(os.environ)


class Streaming:
    """The streaming of one run directory. A failure does not affect the run: unsent points stay in the journals."""

    def __init__(
        self,
        directory: Path,
        database: Database | None,
        prometheus: str | None,
        note: Callable[[str], None],
        *,
        wait_s: float = WAIT_S,
        lab: Path | None = None,
    ) -> None:
        """`note` is called with each warning. `lab`: the lab's directory, if this process runs in the lab."""
        outside = LabDirectory(lab).shipper_socket if lab else None
        url = database.destination.url if database else None
        credentials = database.credentials if database else None
        self._spec = StreamSpec(
            directory.absolute(), url, credentials, wait_s, outside, prometheus or None, find_receiver(os.environ)
        )
        self._note = note
        self._account: ShipperAccount | None = None
        self._settled = threading.Event()
        self._child: JsonChild | None = None
        if database is None and not self._spec.has_metrics:
            return
        if outside is not None and prometheus:
            note(f"Prometheus can fetch the metrics at {prometheus} on this machine, but not on the lab's `client`")
        try:
            clock = Clock.of_process()
            self._child = JsonChild("switchover.streaming", "shipper", clock, self._hear, on_end=self._settled.set)
        except SwitchoverError as error:
            note(f"nothing is streamed: {error}")
            return
        self._child.send_line(self._spec.to_json())

    @property
    def pid(self) -> int | None:
        return None if self._child is None else self._child.pid

    def finish(self) -> ShipperAccount | None:
        """Wait for the remaining points, and return the account of the process. None: there is no database."""
        child, to = self._child, self._spec.url
        if child is None or to is None:
            return None
        died = child.died
        child.hang_up()
        if not self._settled.wait(self._spec.wait_s + LAST_WORD_S) or died:
            self._note(died or "the shipper did not end in time; 'switchover influx upload' sends the unsent points")
        return self._account or account_of(self._spec.directory, to)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the streaming. After an exception, do not wait for the process."""
        child = self._child
        if child is None:
            return
        child.hang_up()
        if kind is None:
            if self._spec.has_metrics:
                child.wait(LAST_SCRAPE_S + 2 * END_S)
            if self._spec.has_metrics or self._settled.is_set():
                child.kill()

    def _hear(self, message: dict[str, Any]) -> None:
        if "account" in message:
            self._account = ShipperAccount(**message["account"])
            self._settled.set()
        else:
            self._note(str(message.get("warning") or message.get("error")))
