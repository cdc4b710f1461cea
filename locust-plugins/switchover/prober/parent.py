"""Start the prober process, read its progress, stop it, and read its account."""

from typing import Any

from switchover.prober.account import ProberProgress
from switchover.process.measuring_child import MeasuringChild


class Prober(MeasuringChild[ProberProgress]):
    module = "switchover.prober"
    name = "prober"
    progress_type = ProberProgress

    def _account_of_the_dead(self, reason: str) -> dict[str, Any]:
        progress = self.progress()
        recorded = progress.good + progress.failed + progress.late + progress.unsent if progress else None
        return {"recorded": recorded, "gaps": [], "warning": reason}
