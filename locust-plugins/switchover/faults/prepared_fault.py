"""A fault that is ready to be armed: its commands, the nodes that it affects, and its predictions."""

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
    """The kill happens at a random time within this number of seconds."""
    allow_last_one: bool = False
    """True: the fault may hit the only balancer or backend."""
    last_one_option: str = "--allow-no-backup"
    """The option that sets `allow_last_one`, for messages."""

    @property
    def names(self) -> Mapping[str, str]:
        """The current values of `{master}` and `{backup}`."""
        return {"master": self.description.master or "", "backup": self.description.backup or ""}
