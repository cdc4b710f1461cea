"""The Keepalived settings of one node, and the VRRP timers that follow from these settings. The backup takes over if
it receives no acceptable advert for the master down interval (RFC 9568 section 6.1; RFC 3768)."""

from dataclasses import dataclass

BY_PROCESS, BY_HTTP, BY_UNKNOWN = "process", "http", "unknown"

OWNER = 255
"""The priority of the address owner, for which Keepalived ignores all weights."""

LONGEST_V3_ADVERT_S = 40.95
"""The longest advert interval in VRRPv3: 12 bits, in hundredths of a second (RFC 9568 section 5.2.7)."""


def round_advert_s(advert_int_s: float, version: int) -> float:
    """Return the advert interval, rounded half up to seconds (VRRPv2) or hundredths of a second (VRRPv3), like
    Keepalived's vrrp_complete_instance."""
    micros = round(advert_int_s * 1_000_000)
    if version == 2:
        return float(max(1, (micros + 500_000) // 1_000_000))
    return min(LONGEST_V3_ADVERT_S, max(1, (micros + 5_000) // 10_000) / 100)


@dataclass(frozen=True, slots=True)
class CheckScript:
    """A `vrrp_script`, or a process that Keepalived tracks through the kernel (interval 0)."""

    interval_s: float = 1
    timeout_s: float = 1
    fall: int = 1
    rise: int = 1
    weight: int = -20
    """If 0, a failed check puts the node into FAULT. If negative, the weight is added to the priority while the check
    fails. If positive, the weight is added while the check passes."""
    by: str = BY_UNKNOWN
    """`process`: the process must exist, so a hung process passes. `http`: the process must answer a request."""
    delay_s: float = 0.0
    """The time from the end of a process until Keepalived reports the end (`terminate_delay`)."""

    @property
    def soonest_s(self) -> float:
        """Return the shortest time from a failure of the checked program to its detection."""
        return float((self.fall - 1) * self.interval_s + self.delay_s)

    @property
    def latest_s(self) -> float:
        """Return the longest time from a failure of the checked program to its detection."""
        return float(self.fall * self.interval_s + self.delay_s)

    @property
    def latest_hanging_s(self) -> float:
        """Return the longest time from a failure to its detection if each check hangs until Keepalived ends it.
        Keepalived does not start a check while the previous check still runs."""
        period = self.interval_s * (self.timeout_s // self.interval_s + 1) if self.interval_s else 0
        return float(self.interval_s + (self.fall - 1) * period + self.timeout_s)

    @property
    def recovered_s(self) -> float:
        """Return the longest time from the end of a failure until `rise` successful checks have detected this end."""
        return float(self.rise * self.interval_s)


@dataclass(frozen=True, slots=True)
class KeepalivedSettings:
    """The settings of a keepalived.conf that determine the duration of a switchover."""

    priority: int = 100
    """The configured priority; 255 is the priority of the address owner."""
    advert_int_s: float = 1.0
    version: int = 2
    preempt: bool = True
    preempt_delay_s: float = 0.0
    down_timer_adverts: int = 3
    unicast: bool = False
    instance: str = "VI_1"
    check: CheckScript | None = None
    further_checks: tuple[CheckScript, ...] = ()
    """The checks in addition to `check` that fail if the balancer fails. The weights of all failed checks are added
    to the priority."""
    other_weights: int = 0
    """The sum of the weights of all trackers that do not depend on the balancer's state."""

    @property
    def checks(self) -> tuple[CheckScript, ...]:
        return (*((self.check,) if self.check else ()), *self.further_checks)

    @property
    def effective_priority(self) -> int:
        """Return the priority in the adverts while all checks pass, including positive weights."""
        return self.priority_when_failed(())

    def priority_when_failed(self, failed: tuple[CheckScript, ...]) -> int:
        """Return the effective priority while the given checks fail: 1 to 254, or 255 for the address owner."""
        if self.priority == OWNER:
            return OWNER
        weights = (min(0, c.weight) if c in failed else max(0, c.weight) for c in self.checks)
        return min(OWNER - 1, max(1, self.priority + self.other_weights + sum(weights)))

    @property
    def skew_s(self) -> float:
        """Return the skew time for the effective priority P. VRRPv2: (256 - P)/256 seconds. VRRPv3: (256 - P)/256
        advert intervals."""
        share = (256 - self.effective_priority) / 256
        return share if self.version == 2 else share * self.advert_int_s

    @property
    def master_down_interval_s(self) -> float:
        """Return the time that the backup waits for an acceptable advert before it becomes master."""
        return self.down_timer_adverts * self.advert_int_s + self.skew_s
