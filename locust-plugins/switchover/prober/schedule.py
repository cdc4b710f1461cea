"""Due times on a fixed grid, and an account of those that could not be kept."""

from fractions import Fraction

from switchover.model.errors import UsageError

SECOND_NS = 1_000_000_000
GAPS_LIMIT = 1000
"""Gaps listed apart; a later one is joined to the last, so that a host that cannot keep up fills no memory."""


class Schedule:
    """`due_i = t0 + i / rate` in whole nanoseconds of any clock, without drift: i is multiplied, never summed up.

    A slot is taken (a probe is sent for it, however late) or, once it is overdue by more than `stale_ns`, given up:
    a process that was stopped must not fire thousands of old probes at once. So `scheduled == taken + unsent`.
    """

    __slots__ = (
        "_denominator",
        "_numerator",
        "_stale_ns",
        "_t0_ns",
        "gaps",
        "next_due_ns",
        "rate",
        "scheduled",
        "unsent",
    )

    def __init__(self, t0_ns: int, rate: Fraction, stale_ns: int) -> None:
        if rate <= 0:
            raise UsageError(f"the probe rate must be above 0, not {float(rate):g}")
        self.rate = float(rate)
        self._t0_ns = t0_ns
        self._numerator, self._denominator = rate.numerator, rate.denominator * SECOND_NS
        self._stale_ns = stale_ns
        self.scheduled = 0
        """Slots that are behind us."""
        self.unsent = 0
        self.gaps: list[tuple[int, int]] = []
        """[from, to): the due time of the first slot given up, and of the first one after it that was not."""
        self.next_due_ns = t0_ns

    def due_ns(self, index: int) -> int:
        return self._t0_ns + index * self._denominator // self._numerator

    @property
    def last_due_ns(self) -> int | None:
        """The due time of the last slot behind us."""
        return self.due_ns(self.scheduled - 1) if self.scheduled else None

    def take(self) -> int:
        """The next slot's due time; the slot is then behind us."""
        due_ns = self.next_due_ns
        self.scheduled += 1
        self.next_due_ns = self._t0_ns + self.scheduled * self._denominator // self._numerator
        return due_ns

    def give_up_stale(self, now_ns: int) -> None:
        """Give up every slot that is overdue by more than `stale_ns`."""
        oldest_kept_ns = now_ns - self._stale_ns
        if self.next_due_ns >= oldest_kept_ns:
            return
        first_ns = self.next_due_ns
        # The first index whose due time is not before oldest_kept_ns; floor division may leave it one short.
        index = (oldest_kept_ns - self._t0_ns) * self._numerator // self._denominator
        while self.due_ns(index) < oldest_kept_ns:
            index += 1
        self.unsent += index - self.scheduled
        self.scheduled = index
        self.next_due_ns = self.due_ns(index)
        if self.gaps and (self.gaps[-1][1] == first_ns or len(self.gaps) >= GAPS_LIMIT):
            self.gaps[-1] = (self.gaps[-1][0], self.next_due_ns)
        else:
            self.gaps.append((first_ns, self.next_due_ns))
