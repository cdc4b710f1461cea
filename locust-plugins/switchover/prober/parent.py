"""The parent's side: starts the prober's process, follows its progress, ends it and takes its account."""

from typing import Any

from switchover.prober.account import ProberProgress
from switchover.process.measuring_child import MeasuringChild

ACCOUNT = (
    "scheduled",
    "recorded",
    "unsent",
    "gaps",
    "lag_p50_ms",
    "lag_p99_ms",
    "lag_max_ms",
    "first_due_us",
    "last_due_us",
    "rate",
    "kept",
    "cpu_percent",
    "realtime",
    "lost",
    "warning",
    "seals",
)
"""The fields of an account. Those of the schedule are the fresh stream's; `kept` has the same for the kept one.
`realtime`: the process had real-time scheduling up to its end; `lost`: recorded, but the disk was full; `seals`: of
its files, as in `Run`."""


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
        return {**dict.fromkeys(ACCOUNT), "recorded": recorded, "gaps": [], "warning": reason}
