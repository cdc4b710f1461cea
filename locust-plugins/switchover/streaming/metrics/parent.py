"""The parent's side: starts a run's exporter, passes its warnings on, and has it serve the end of the run."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.process.json_child import JsonChild
from switchover.streaming.metrics.otlp import find_receiver
from switchover.streaming.metrics.process import END_S
from switchover.streaming.metrics.prometheus import LONGEST_WAIT_S, parse_address
from switchover.streaming.metrics.spec import ExportSpec


def check_metrics(prometheus: str | None, environment: Mapping[str, str]) -> None:
    """Refuse what cannot be, before anything is started."""
    if prometheus:
        parse_address(prometheus)
    find_receiver(environment)


class MetricsExport:
    """Of one run directory, as long as the `with` block lasts, and at its end until the last figures were fetched.

    Nothing that becomes of it disturbs the run; `note` gets each warning. Nothing is started without
    an address and without a receiver in the environment.
    """

    def __init__(
        self,
        directory: Path,
        prometheus: str | None,
        environment: Mapping[str, str],
        clock: Clock,
        note: Callable[[str], None],
        *,
        outside: Path | None = None,
    ) -> None:
        """`outside`: the socket of a process on the machine's own network, if this one's is only a lab's."""
        self._note = note
        self._child: JsonChild | None = None
        receiver = find_receiver(environment)
        if not prometheus and receiver is None:
            return
        spec = ExportSpec(directory.absolute(), prometheus or None, receiver, outside)
        try:
            self._child = JsonChild("switchover.streaming.metrics", "exporter", clock, self._hear, ended=lambda: None)
        except SwitchoverError as error:
            note(f"no metrics are exported: {error}")
            return
        self._child.tell_line(spec.to_json())

    def __enter__(self) -> "MetricsExport":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """A run that broke off waits for no one; the exporter comes to its end by itself."""
        if self._child is None:
            return
        self._child.hang_up()
        if kind is None:
            self._child.wait(LONGEST_WAIT_S + 2 * END_S)
            self._child.kill()

    def _hear(self, message: dict[str, Any]) -> None:
        self._note(str(message.get("warning") or message.get("error")))
