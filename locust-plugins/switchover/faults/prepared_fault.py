"""A fault with its commands, the nodes that it hits, and its predictions: ready to be armed."""

from collections.abc import Mapping
from dataclasses import dataclass

from switchover.predict.prediction import Prediction
from switchover.rundir.run_directory import FaultRun
from switchover.target.model import FaultRecipe


@dataclass(frozen=True, slots=True)
class PreparedFault:
    """A fault that is ready to be armed."""

    recipe: FaultRecipe
    description: FaultRun
    switchover: Prediction
    failback: Prediction
    armed: bool
    advert_int_s: float
    """The period over which the moment of the kill is spread."""
    allow_last_one: bool = False
    """The fault may hit the only balancer or backend."""
    last_one_option: str = "--allow-no-backup"
    """The option that sets `allow_last_one`, as the user types it."""

    @property
    def names(self) -> Mapping[str, str]:
        """The current values of `{master}` and `{backup}`."""
        return {"master": self.description.master or "", "backup": self.description.backup or ""}
