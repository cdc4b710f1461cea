"""Settings that reach a wanted outage, and what they cost."""

import math
from dataclasses import dataclass, replace

from switchover.faults.keepalived.number_rules import FRACTIONS_SINCE
from switchover.faults.prediction import BACKLOG_S, Pair, Prediction, after_silence, proxy_silent
from switchover.model.errors import UsageError
from switchover.model.vrrp import BY_UNKNOWN, LONGEST_V3_ADVERT_S, CheckScript, KeepalivedSettings

MARGIN_S = 0.02
"""For what no window holds: the script's own run, the election's work, the client's neighbours (8 ms measured)."""

SHORTEST_ADVERT_S = 0.01
"""Keepalived's own bound; VRRPv3 counts hundredths of a second."""

SHORTEST_INTERVAL_S = 0.02
STOLEN_S = 0.02
"""What a hypervisor took from a busy virtual machine at once, again and again (measured)."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Both nodes' settings with a reached window for the loss of a node and the death of its balancer."""

    master: KeepalivedSettings
    backup: KeepalivedSettings
    node_lost: Prediction
    balancer_dead: Prediction
    costs: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """What to write into both files."""
        settings, check = self.master, self.master.check
        assert check is not None
        return (
            "global_defs {",
            "    vrrp_rt_priority 50      # adverts leave on time on a busy machine",
            "    vrrp_no_swap",
            "}",
            "vrrp_script balancer {        # your own command, as before",
            f"    interval {check.interval_s:g}",
            f"    timeout {check.timeout_s:g}",
            f"    fall {check.fall}",
            f"    rise {check.rise}",
            "    weight 0",
            "}",
            f"vrrp_instance {settings.instance} {{",
            f"    version {settings.version}",
            f"    advert_int {settings.advert_int_s:g}",
            "    track_script {",
            "        balancer",
            "    }",
            "}",
        )

    @property
    def lab_options(self) -> str:
        """The same for `switchover drill --keepalived`."""
        settings, check = self.master, self.master.check
        assert check is not None
        high = max(2, min(254, settings.effective_priority))
        low = max(1, min(high - 1, self.backup.effective_priority))
        options = f"version={settings.version},advert_int={settings.advert_int_s:g},priority={high}/{low},weight=0"
        if check.interval_s % 1:
            return options  # the lab's Keepalived may be older than fractions of a second
        return (
            f"{options},interval={check.interval_s:g},timeout={check.timeout_s:g},fall={check.fall},rise={check.rise}"
        )


def propose(master: KeepalivedSettings, backup: KeepalivedSettings, target_s: float) -> Proposal:
    """The slowest timers that reach the target: each step faster is a step nearer to false takeovers.

    Priorities stay as they are. A failed check means FAULT (weight 0): a resignation costs the backup's skew, a
    lowered priority its whole master down interval. Raises UsageError where no timer is short enough.
    """
    longest = target_s - MARGIN_S
    without_checks = replace(backup, check=None, further_checks=())
    share = (256 - without_checks.effective_priority) / 256
    version, advert = _advert(master, longest, share)
    skew = share if version == 2 else share * advert
    check = _check(master.check or CheckScript(by=BY_UNKNOWN), longest - skew)
    if advert < SHORTEST_ADVERT_S or check.interval_s < SHORTEST_INTERVAL_S:
        least = SHORTEST_INTERVAL_S * 2 + (3 + 2 * share) * SHORTEST_ADVERT_S + MARGIN_S
        raise UsageError(
            f"--target-outage {target_s * 1000:g} ms: Keepalived cannot promise less than {least * 1000:.0f} ms"
        )
    proposed = [
        replace(
            node,
            version=version,
            advert_int_s=advert,
            down_timer_adverts=3,
            check=check,
            further_checks=(),
            preempt_delay_s=0.0 if node is backup else node.preempt_delay_s,
        )
        for node in (master, backup)
    ]
    pair = Pair(*proposed)
    return Proposal(
        proposed[0],
        proposed[1],
        after_silence(pair),
        proxy_silent(pair, hanging=False, process_remains=False),
        tuple(_costs(pair, check)),
    )


def _advert(master: KeepalivedSettings, longest_s: float, share: float) -> tuple[int, float]:
    """Version and advert interval: the present version where whole seconds are short enough."""
    if master.version == 2:
        seconds = math.floor(min(master.advert_int_s, (longest_s - share) / 3))
        if seconds >= 1:
            return 2, float(seconds)
    present = master.advert_int_s if master.version == 3 else math.inf
    return 3, min(present, math.floor(longest_s / (3 + share) * 100 + 1e-9) / 100, LONGEST_V3_ADVERT_S)


def _check(present: CheckScript, longest_s: float) -> CheckScript:
    """Two failed runs in a row where there is time for two, in whole seconds where those are short enough."""
    fall = 2 if longest_s >= 2 or longest_s < 1 else 1
    interval = longest_s / fall
    rounded = math.floor(interval) if interval >= 1 else math.floor(interval * 100 + 1e-9) / 100
    chosen = min(present.interval_s or rounded, rounded) if rounded >= 1 else rounded
    return replace(
        present, interval_s=chosen, timeout_s=chosen, fall=fall, rise=max(2, present.rise), weight=0, delay_s=0.0
    )


def _costs(pair: Pair, check: CheckScript) -> list[str]:
    low, high = pair.silence
    costs = [
        f"False takeovers: if the master cannot send for {low:.3f} to {high:.3f} s, or the backup cannot read, the "
        f"backup takes the address from a healthy node. {_likelihood(low)}",
        f"Adverts per second: {1 / pair.advert_s:.3g}. Checks per second, on each node: {1 / check.interval_s:.3g}.",
        f"A check that takes longer than {check.timeout_s:g} s has failed, and "
        f"{'two in a row give' if check.fall > 1 else 'a single one gives'} the address up.",
        "Weight 0: if the check fails on both nodes at once, neither holds the address.",
        f"A balancer that hangs is found only by a check that asks for an answer, up to {check.timeout_s:g} s later.",
    ]
    if check.interval_s < 1:
        costs.append(
            f"interval {check.interval_s:g} needs Keepalived {FRACTIONS_SINCE}; earlier ones check every second. "
            "There vrrp_track_process (2.0.11) finds a dead process at once, but no hang."
        )
    if pair.master.version == 3:
        costs.append("VRRPv3 has no authentication: auth_pass goes. Change both nodes in one go.")
    if pair.advert_s < 0.5:
        costs.append(
            f"At its return the old master takes the address back within {high:.3f} s, perhaps before its own checks "
            f"of the backends are done: give it preempt_delay {BACKLOG_S + 3:g}."
        )
    return costs


def _likelihood(low_s: float) -> str:
    held_up = f"a busy virtual machine stood still for {STOLEN_S * 1000:g} ms at a time here"
    if low_s < 5 * STOLEN_S:
        return f"That happens: {held_up}, and queued adverts come late as well."
    if low_s < 1:
        return (
            f"That is {low_s / STOLEN_S:.0f} times what is usual ({held_up}); a backup or a live migration is enough."
        )
    return "Only a machine that swaps or is migrated stands still for so long."
