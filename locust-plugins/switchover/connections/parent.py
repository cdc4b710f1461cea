"""The parent's side: starts the process of the held connections, tells it of changes, ends it and takes its
account."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from switchover.process.measuring_child import MeasuringChild


@dataclass(frozen=True, slots=True)
class HeldProgress:
    requests: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)
    """Failures by kind, without errors of the generator itself."""
    generator_errors: int = 0
    last_loss: str = ""
    open: Mapping[str, int] = field(default_factory=dict)
    workers: Mapping[str, int] = field(default_factory=dict)
    """Open connections by the balancer and the process of the balancer that they are on, as far as it says."""


class HeldLoad(MeasuringChild[HeldProgress]):
    module = "switchover.connections"
    name = "held connections"
    progress_type = HeldProgress

    def progress(self) -> HeldProgress:
        return super().progress() or HeldProgress()

    def begin_change(self, number: int) -> None:
        """A change is about to be made; what ends from here on may belong to it."""
        self.tell({"change": number})

    def settle_change(self, number: int) -> None:
        self.tell({"settled": number})


class RetryingClient(HeldLoad):
    """The retrying client of its pooled connections, which sends again: urllib3."""

    module = "switchover.connections.retrying_client"
    name = "retrying_client"
