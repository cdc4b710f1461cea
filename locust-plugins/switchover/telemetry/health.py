"""Report that a source fails, and later that the source can be read again. A failure that continues is reported only
once."""

from dataclasses import dataclass

from switchover.model.clock import Clock
from switchover.rundir.journal import Journal


@dataclass(slots=True)
class Health:
    """The state of one source of one node. Not thread-safe."""

    _journal: Journal
    _clock: Clock
    node: str
    _source: str
    failing: bool = False
    reason: str = ""

    def failed(self, reason: str) -> None:
        self.reason = reason
        if not self.failing:
            self.failing = True
            self._warn(f"{self.node}: cannot read {self._source}: {reason}")

    def works(self) -> None:
        if self.failing:
            self.failing = False
            self._warn(f"{self.node}: {self._source} can be read again")

    def _warn(self, text: str) -> None:
        self._journal.event(
            "warning", text, time_ns=self._clock.now_ns(), node=self.node, id=f"{self.node}-{self._source}"
        )


def defect(error: Exception) -> str:
    """Describe an exception that a bug in a reader has caused."""
    return f"defect: {type(error).__name__}: {error}"
