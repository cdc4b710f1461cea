"""Keepalived's settings of one node, and the VRRP arithmetic that follows from them.

A = advert_int, P = the backup's priority. The backup takes over when it has heard no acceptable advert for
the master down interval, MDI = 3A + skew (RFC 3768 section 6.1, RFC 5798 section 6.1).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckScript:
    """A `vrrp_script` that the instance tracks. Keepalived knows whole seconds only."""

    interval_s: int = 1
    timeout_s: int = 1
    fall: int = 1
    rise: int = 1
    weight: int = -20
    """Added to the priority while failed (negative), or 0: a failed check puts the node into FAULT."""


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
