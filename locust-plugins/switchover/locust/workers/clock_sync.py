"""How far the master's clock is from a worker's monotonic one, from questions and answers between them.

The master read its clock between the worker's sending and its receiving, so what has to be added to the worker's
monotonic clock lies between (its time - received) and (its time - sent): the middle, give or take half the round
trip. Of several answers the narrowest is kept.
"""

import platform
import uuid
from dataclasses import dataclass
from pathlib import Path

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
TIME_NAMESPACE = Path("/proc/self/ns/time")


def clock_domain() -> str:
    """A name for the monotonic clock that this process reads: one boot of one machine, one time namespace."""
    try:
        boot = BOOT_ID.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        # Elsewhere than on Linux there are no time namespaces; a machine is known by its network card.
        return f"{platform.node()}/{uuid.getnode():x}"
    try:
        namespace = str(TIME_NAMESPACE.readlink())
    except OSError:
        namespace = "time:[first]"
    return f"{boot}/{namespace}"


QUESTIONS = 8


@dataclass(frozen=True, slots=True)
class Anchor:
    """The master's time is the worker's monotonic clock plus `anchor_ns`, give or take `bound_ns`."""

    anchor_ns: int
    bound_ns: int

    @property
    def bound_us(self) -> int:
        return -(-self.bound_ns // 1000)


def anchor_of(sent_ns: int, master_ns: int, received_ns: int) -> Anchor:
    """The anchor by one answer; `sent_ns` and `received_ns` on the worker's monotonic clock."""
    low, high = master_ns - received_ns, master_ns - sent_ns
    return Anchor((low + high) // 2, -(-(high - low) // 2))


class ClockSync:
    """Collects answers; for one greenlet or thread. `own_anchor_ns`: the anchor of the worker's own wall clock."""

    def __init__(self, own_anchor_ns: int) -> None:
        self._own_anchor_ns = own_anchor_ns
        self.best: Anchor | None = None
        self.answers = 0

    def answered(self, sent_ns: int, master_ns: int, received_ns: int) -> None:
        self.answers += 1
        anchor = anchor_of(sent_ns, master_ns, received_ns)
        if received_ns >= sent_ns and (self.best is None or anchor.bound_ns < self.best.bound_ns):
            self.best = anchor

    @property
    def own_offset_us(self) -> int | None:
        """How far the worker's own wall clock is ahead of the master's; None: unknown."""
        return None if self.best is None else (self._own_anchor_ns - self.best.anchor_ns) // 1000

    @property
    def bound_us(self) -> int | None:
        return None if self.best is None else self.best.bound_us
