"""Keepalived's settings of one node, and the VRRP arithmetic for them.

A = advert_int, P = the backup's effective priority. The backup takes over if it has received no acceptable
advert for the master down interval, MDI = 3A + skew (RFC 9568 section 6.1; RFC 5798 before it; RFC 3768 for
version 2).
"""

from dataclasses import dataclass

BY_PROCESS, BY_HTTP, BY_UNKNOWN = "process", "http", "unknown"
CHECK_KINDS = (BY_PROCESS, BY_HTTP, BY_UNKNOWN)

OWNER = 255
"""The priority of the address owner: Keepalived ignores every weight there."""

LONGEST_V3_ADVERT_S = 40.95
"""Twelve bits of hundredths of a second (RFC 9568 section 5.2.7)."""


def round_advert_s(advert_int_s: float, version: int) -> float:
    """Return the interval as this version can send it, rounded half up: whole seconds, or hundredths.

    Keepalived does the same (vrrp.c, vrrp_complete_instance).
    """
    micros = round(advert_int_s * 1_000_000)
    if version == 2:
        return float(max(1, (micros + 500_000) // 1_000_000))
    return min(LONGEST_V3_ADVERT_S, max(1, (micros + 5_000) // 10_000) / 100)


@dataclass(frozen=True, slots=True)
class CheckScript:
    """A check of the balancer: a `vrrp_script`, or a process that the kernel watches (interval 0)."""

    interval_s: float = 1
    timeout_s: float = 1
    fall: int = 1
    rise: int = 1
    weight: int = -20
    """0: a failed check puts the node into FAULT. Negative: added while it fails. Positive: added while it
    passes."""
    by: str = BY_UNKNOWN
    """`process`: the process exists or its port accepts a connection (a hung process passes). `http`: it
    answers."""
    delay_s: float = 0.0
    """The time between the exit of a process and its report as down (`terminate_delay`)."""

    @property
    def soonest_s(self) -> float:
        """Return the shortest time from a failure to its detection: the first run comes right after the failure."""
        return float((self.fall - 1) * self.interval_s + self.delay_s)

    @property
    def latest_s(self) -> float:
        """Return the longest time: the first run comes a full interval after the failure."""
        return float(self.fall * self.interval_s + self.delay_s)

    @property
    def latest_hanging_s(self) -> float:
        """Return the longest time if each run hangs until Keepalived ends it.

        A run that is due while the last one still runs is left out (keepalived: "already running - skipping
        run"), so with a timeout of one interval or more the runs come less often.
        """
        period = self.interval_s * (self.timeout_s // self.interval_s + 1) if self.interval_s else 0
        return float(self.interval_s + (self.fall - 1) * period + self.timeout_s)

    @property
    def recovered_s(self) -> float:
        """Return the longest time from the end of the failure to the first good check."""
        return float(self.rise * self.interval_s)


@dataclass(frozen=True, slots=True)
class KeepalivedSettings:
    """The settings of a `keepalived.conf` that decide the length of a switchover."""

    priority: int = 100
    """The configured priority; 255 is the address owner."""
    advert_int_s: float = 1.0
    version: int = 2
    preempt: bool = True
    preempt_delay_s: float = 0.0
    down_timer_adverts: int = 3
    unicast: bool = False
    instance: str = "VI_1"
    check: CheckScript | None = None
    further_checks: tuple[CheckScript, ...] = ()
    """Further checks that fail with the balancer: the weights of all that fail add up."""
    other_weights: int = 0
    """The part of the priority from trackers that have nothing to do with the balancer, while all pass."""
    group: tuple["KeepalivedSettings", ...] = ()
    """Other members of its sync group: the group becomes master with its slowest member."""

    @property
    def checks(self) -> tuple[CheckScript, ...]:
        """Return every check of the balancer."""
        return (*((self.check,) if self.check else ()), *self.further_checks)

    @property
    def effective_priority(self) -> int:
        """Return the priority in the adverts while all checks pass; a positive weight is added only then."""
        return self.priority_when_failed(())

    def priority_when_failed(self, failed: tuple[CheckScript, ...]) -> int:
        """Return the effective priority while these checks fail: 1 to 254, or 255 for the owner, who never
        changes it."""
        if self.priority == OWNER:
            return OWNER
        weights = (min(0, c.weight) if c in failed else max(0, c.weight) for c in self.checks)
        return min(OWNER - 1, max(1, self.priority + self.other_weights + sum(weights)))

    @property
    def skew_s(self) -> float:
        """VRRPv2: (256 - P)/256 seconds at any advert interval. VRRPv3: that many advert intervals."""
        share = (256 - self.effective_priority) / 256
        return share if self.version == 2 else share * self.advert_int_s

    @property
    def master_down_interval_s(self) -> float:
        """Return how long this node, as the backup, waits after the last acceptable advert."""
        return self.down_timer_adverts * self.advert_int_s + self.skew_s
