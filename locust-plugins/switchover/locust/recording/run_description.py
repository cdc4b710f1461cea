"""The description of a run that a worker needs before its users start.

Locust's option `OPTION` carries it. Locust puts the options into every message that makes users, so each worker has
the description before its first user, even if it joins late.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import convert, to_builtins

from switchover.locust.options import PREFIX
from switchover.model.identity import IdentitySettings

OPTION = f"{PREFIX}run"


def part_name(worker: str) -> str:
    """Return the file for a worker's rows. The single process has an empty name."""
    return f"samples-{worker}.jtl" if worker else "samples.jtl"


@dataclass(frozen=True, slots=True)
class RunDescription:
    run: str
    directory: str
    """The master's run directory. A worker that has access to it writes its part there too."""
    clock_domain: str
    anchor_ns: int
    """The master's time minus its monotonic clock. A worker in the same clock domain uses the same value."""
    identity: IdentitySettings
    late_us: int
    """A good request that takes longer is late."""
    timeout_connect_s: float | None
    timeout_read_s: float | None

    def to_message(self) -> dict[str, Any]:
        """Return the description as dicts with text keys, lists, texts and numbers."""
        return dict(to_builtins(self))

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> "RunDescription":
        return convert(message, cls)
