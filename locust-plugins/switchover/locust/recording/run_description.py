"""What a worker must know of a run before its users start.

It travels as an option of Locust's, under the name `OPTION`: Locust puts the options into every message that makes
users, so each worker has the description before its first user, whenever it joined.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import convert, to_builtins

from switchover.locust.options import PREFIX
from switchover.model.identity import IdentitySettings

OPTION = f"{PREFIX}run"


def part_name(worker: str) -> str:
    """The file that a worker's rows go to; the single process has no name."""
    return f"samples-{worker}.jtl" if worker else "samples.jtl"


@dataclass(frozen=True, slots=True)
class RunDescription:
    run: str
    directory: str
    """The master's run directory; a worker that finds it writes its part there too."""
    clock_domain: str
    anchor_ns: int
    """The master's time less its monotonic clock; a worker in the same clock domain adds the same."""
    identity: IdentitySettings
    late_us: int
    """A good request that takes longer is late."""
    timeout_connect_s: float | None
    timeout_read_s: float | None

    def to_message(self) -> dict[str, Any]:
        """Dicts with text keys, lists, texts and numbers."""
        return dict(to_builtins(self))

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> "RunDescription":
        return convert(message, cls)
