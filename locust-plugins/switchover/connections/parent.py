"""The parent's side: start the process, report changes to it, stop it, and read its account."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from switchover.process.measuring_child import MeasuringChild


@dataclass(frozen=True, slots=True)
class HeldProgress:
    requests: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)
    """Failures by kind, without generator errors."""
    generator_errors: int = 0
    last_loss: str = ""
    open: Mapping[str, int] = field(default_factory=dict)
    workers: Mapping[str, int] = field(default_factory=dict)
    """Open connections by balancer and process id, if a response has named them."""


class HeldLoad(MeasuringChild[HeldProgress]):
    module = "switchover.connections"
    name = "held connections"
    progress_type = HeldProgress

    def progress(self) -> HeldProgress:
        return super().progress() or HeldProgress()

    def begin_change(self, number: int) -> None:
        """Report that a change begins. The change may cause later ends of connections."""
        self.tell({"change": number})

    def settle_change(self, number: int) -> None:
        self.tell({"settled": number})


class RetryingClient(HeldLoad):
    """The retrying client: the load of the pooled connections, sent with urllib3."""

    module = "switchover.connections.retrying_client"
    name = "retrying_client"
