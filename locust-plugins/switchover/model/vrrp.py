"""Keepalived's settings of one node, and the VRRP arithmetic that follows from them.

A = advert_int, P = the backup's priority. The backup takes over when it has heard no acceptable advert for
the master down interval, MDI = 3A + skew (RFC 3768 section 6.1, RFC 5798 section 6.1).
"""

from dataclasses import dataclass

BY_PROCESS, BY_HTTP, BY_UNKNOWN = "process", "http", "unknown"
CHECK_KINDS = (BY_PROCESS, BY_HTTP, BY_UNKNOWN)


@dataclass(frozen=True, slots=True)
class CheckScript:
    """A `vrrp_script` that the instance tracks. Keepalived knows whole seconds only."""

    interval_s: int = 1
    timeout_s: int = 1
    fall: int = 1
    rise: int = 1
    weight: int = -20
    """Added to the priority while failed (negative), or 0: a failed check puts the node into FAULT."""
    by: str = BY_UNKNOWN
    """What it looks at: that the process exists (a hung one passes), or that it answers (`http`)."""

    @property
    def soonest_s(self) -> float:
        """The shortest time from an instant failure to the verdict: the first run falls just behind it."""
        return float((self.fall - 1) * self.interval_s)

    @property
    def latest_s(self) -> float:
        """The longest: the first run falls a whole interval behind it."""
        return float(self.fall * self.interval_s)

    @property
    def latest_hanging_s(self) -> float:
        """The longest where each run hangs until Keepalived ends it.

        A run that is due while the last one still runs is left out (keepalived: "already running - skipping
        run"), so with a timeout of one interval or more the runs come less often.
        """
        period = self.interval_s * (self.timeout_s // self.interval_s + 1) if self.interval_s else 0
        return float(self.interval_s + (self.fall - 1) * period + self.timeout_s)

    @property
    def recovered_s(self) -> float:
        """The longest from the end of the failure to the verdict that all is well."""
        return float(self.rise * self.interval_s)


@dataclass(frozen=True, slots=True)
class KeepalivedSettings:
    """What of a `keepalived.conf` decides how long a switchover takes."""

    priority: int = 100
    advert_int_s: float = 1.0
    version: int = 2
    preempt: bool = True
    preempt_delay_s: float = 0.0
    down_timer_adverts: int = 3
    unicast: bool = False
    instance: str = "VI_1"
    check: CheckScript | None = None

    @property
    def skew_s(self) -> float:
        """VRRPv2: (256 - P)/256 seconds, whatever the advert interval; VRRPv3: that many advert intervals."""
        share = (256 - self.priority) / 256
        return share if self.version == 2 else share * self.advert_int_s

    @property
    def master_down_interval_s(self) -> float:
        """How long this node, as the backup, waits after the last acceptable advert."""
        return self.down_timer_adverts * self.advert_int_s + self.skew_s
