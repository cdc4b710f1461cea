"""The parent's side: starts the prober's process, follows its progress, ends it and takes its account."""

from typing import Any

from switchover.prober.account import ProberProgress
from switchover.process.measuring_child import MeasuringChild


class Prober(MeasuringChild[ProberProgress]):
    module = "switchover.prober"
    name = "prober"
    progress_type = ProberProgress

    @property
    def address(self) -> str:
        """The address that is probed, `198.18.0.50:80`."""
        return str((self._ready or {})["address"])

    def _account_of_the_dead(self, reason: str) -> dict[str, Any]:
        progress = self.progress()
        recorded = progress.good + progress.failed + progress.late + progress.unsent if progress else None
        return {"recorded": recorded, "gaps": [], "warning": reason}
