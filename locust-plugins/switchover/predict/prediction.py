"""The outage that theory predicts from the fault mechanism and the Keepalived settings, in seconds after the fault. A
prediction is the sum of the times of Keepalived's check scripts and VRRP's timers (version 3: RFC 9568 section 6;
version 2: RFC 3768 section 6). A predicted window does not include the time in which the address moves: a few
milliseconds on an idle machine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from switchover.model.vrrp import BY_HTTP, BY_PROCESS, CheckScript, KeepalivedSettings, round_advert_s

HANDOVER_S = 0.1
"""The longest outage if the address moves without a failure. Packets to the old owner are lost and sent again."""

RESIGNING_S = 0.12
"""The longest time from the end of the skew time to the takeover, if the master resigns. Measured with Keepalived
2.0.20 to 2.4 at an effective priority of 150: 49 to 118 ms. Measured in the lab on an idle machine: 2 to 12 ms."""

NEIGHBOUR_S = 53.0
"""The longest time for which Linux uses a wrong neighbour entry: 1.5 times base_reachable_time (30 s), plus
delay_first_probe_time (5 s), plus three probes of 1 s (kernel: ip-sysctl)."""

BACKLOG_S = 2.0
"""The longest time in which a healed balancer starts, or serves the waiting connections: 4,000 connections took 1.0 s
(measured)."""

START_S = 1.0
"""The longest time from the start command of Keepalived or a balancer until the program works."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The predicted window of the outage. If `high_s` is None, the window has no upper end. If `low_s` is also None,
    the outage is unknown, and `reason` has the reason."""

    low_s: float | None
    high_s: float | None
    reason: str
    uniform: bool = False
    """True: kills at random times give outages that are uniformly distributed over the window."""
    for_ever: bool = False
    """True: only the heal ends the outage, so no end is observed before the heal. The outage lasts at least
    `low_s`."""
    split_brain: bool = False
    """True: two nodes are expected to have the address at the same time."""
    partial: bool = False
    """True: only some requests are affected."""
    moves: bool = True
    """True: the address is expected to move to the other node."""
    over_s: float | None = None
    """The seconds until the last effect of the fault or heal ends, if this is later than the end of the outage."""

    @property
    def settled_s(self) -> float | None:
        """The seconds until all predicted effects are over. None: the effects do not end, or the time is unknown."""
        return self.high_s if self.over_s is None else self.over_s


def unknown(reason: str) -> Prediction:
    return Prediction(None, None, reason)


def nothing(reason: str, *, over_s: float | None = None) -> Prediction:
    return Prediction(0.0, 0.0, reason, moves=False, over_s=over_s)


class Pair(NamedTuple):
    master: KeepalivedSettings
    backup: KeepalivedSettings

    @classmethod
    def of(cls, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> "Pair | Prediction":
        """Return the pair, with advert intervals that its VRRP version can send. If the nodes form no pair, return an
        unknown prediction with the reason."""
        if master is None or backup is None:
            unknown_node = "master" if master is None else "backup"
            return unknown(
                f"the {unknown_node}'s Keepalived settings are not known: add `keepalived` to its [[node]]"
            )
        if master.version != backup.version:
            return unknown(f"VRRPv{master.version} and v{backup.version} do not understand each other")
        master, backup = (
            replace(node, advert_int_s=round_advert_s(node.advert_int_s, node.version)) for node in (master, backup)
        )
        if master.version == 2 and master.advert_int_s != backup.advert_int_s:
            return unknown("VRRPv2 drops adverts with a different advert_int: both nodes are already master")
        return cls(master, backup)

    @property
    def advert_s(self) -> float:
        """The advert interval in force. VRRPv3 backups use the master's interval (RFC 5798 section 6.1)."""
        return self.master.advert_int_s

    @property
    def silence(self) -> tuple[float, float]:
        """The shortest and longest time from a failure to the election: the master down interval, minus at most one
        advert interval."""
        longest_s = replace(self.backup, advert_int_s=self.advert_s).master_down_interval_s
        return longest_s - self.advert_s, longest_s

    @property
    def resignation_s(self) -> float:
        return replace(self.backup, advert_int_s=self.advert_s).skew_s


def after_silence(pair: Pair) -> Prediction:
    """Predict the outage if the master sends no adverts and serves nothing."""
    low, high = pair.silence
    reason = f"no adverts: the backup waits for its master down interval of {high:.3f} s after the last advert"
    return Prediction(low, high, f"{reason}, which is at most {pair.advert_s:g} s before the fault", uniform=True)


def after_resignation(pair: Pair) -> Prediction:
    """Predict the outage if the master resigns (priority 0) and drops the address at once."""
    skew = pair.resignation_s
    reason = f"after an advert of priority 0, the backup waits its skew time of {skew:.3f} s, plus a delay"
    return Prediction(skew, skew + RESIGNING_S, f"{reason} of at most {RESIGNING_S:g} s")


def two_owners(pair: Pair, why: str) -> Prediction:
    """Predict the outage if the master keeps the address and still serves, while the backup takes the address,
    too."""
    low, high = pair.silence
    return Prediction(
        0.0,
        HANDOVER_S,
        f"{why}: the master keeps the address and serves; the backup takes it after {low:.3f} to {high:.3f} s, "
        "and then both nodes have it; open connections may be reset when the client's neighbour entry changes",
        split_brain=True,
        over_s=high,
    )


def proxy_silent(pair: Pair, *, hanging: bool, process_remains: bool) -> Prediction:
    """Predict the outage if the master's balancer does not answer, but its Keepalived runs and checks the
    balancer."""
    checks = pair.master.checks
    if not checks:
        return _never(pair, "no check of the balancer: Keepalived detects nothing, and the address does not move")
    blind = tuple(c for c in checks if process_remains and c.by == BY_PROCESS)
    doubtful = tuple(c for c in checks if process_remains and c.by not in (BY_PROCESS, BY_HTTP))
    seeing = tuple(c for c in checks if c not in blind and c not in doubtful)
    if not seeing and not doubtful:
        return _never(
            pair, "the check passes: the check only looks for the process, or only connects, which the kernel accepts"
        )
    certain = _takeover(pair, seeing, hanging=hanging) if seeing else None
    if certain is not None and (not certain.for_ever or not doubtful):
        return certain
    noticed = _takeover(pair, (*seeing, *doubtful), hanging=hanging)
    if noticed.for_ever:
        return noticed
    return Prediction(
        noticed.low_s,
        None,
        f"if the check needs an answer: {noticed.reason}; if the check only looks for the process: an outage "
        'until the heal (add check = {by = "http"} or check = {by = "process"})',
    )


def _takeover(pair: Pair, failing: tuple[CheckScript, ...], *, hanging: bool) -> Prediction:
    """Predict the takeover if the checks `failing` fail. If such a check has weight 0, the master resigns. With
    another weight, the master's priority falls."""
    resigning = [check for check in failing if check.weight == 0]
    resigned = _resignation(pair, resigning, hanging=hanging) if resigning else None
    lowered = _lowered(pair, failing, hanging=hanging)
    if resigned is None or (lowered.high_s is not None and lowered.high_s < (resigned.high_s or 0.0)):
        return lowered
    return resigned


def _resignation(pair: Pair, checks: Sequence[CheckScript], *, hanging: bool) -> Prediction:
    soonest, latest = min(c.soonest_s for c in checks), min(_latest_s(c, hanging) for c in checks)
    skew = pair.resignation_s
    return Prediction(
        soonest + skew,
        latest + skew,
        f"the check fails after {soonest:g} to {latest:g} s, Keepalived enters FAULT and resigns, and the backup "
        f"waits its skew time of {skew:.3f} s",
    )


def _lowered(pair: Pair, failing: tuple[CheckScript, ...], *, hanging: bool) -> Prediction:
    """Predict the takeover after the master's priority falls: the backup discards adverts with a lower priority."""
    rival = pair.backup.effective_priority
    lowest = pair.master.priority_when_failed(failing)
    if lowest >= rival:
        slowest = max(_latest_s(check, hanging) for check in failing)
        change = _change(pair, min(check.soonest_s for check in failing), slowest, lowest)
        return _never(pair, f"{change}, not below the backup's {rival}: the backup still accepts the adverts")
    soonest = _overturned_s(pair, failing, lambda check: check.soonest_s)
    latest = _overturned_s(pair, failing, lambda check: _latest_s(check, hanging))
    change = _change(pair, soonest, latest, lowest)
    if not pair.backup.preempt:
        return _never(pair, f"{change}, but the backup has nopreempt and still accepts the adverts")
    low, high = pair.silence
    delay = pair.backup.preempt_delay_s
    late = f", and {delay:g} to {delay + pair.advert_s:g} s of preempt_delay" if delay else ""
    return Prediction(
        soonest + low + delay,
        latest + high + (delay + pair.advert_s if delay else 0.0),
        f"{change}: the backup discards the lower adverts until its timer expires, {low:.3f} to {high:.3f} s{late}",
    )


def _change(pair: Pair, soonest_s: float, latest_s: float, lowered: int) -> str:
    was = pair.master.effective_priority
    return f"the check fails after {soonest_s:g} to {latest_s:g} s, and the priority {was} becomes {lowered}"


def _overturned_s(pair: Pair, failing: tuple[CheckScript, ...], when_s: Callable[[CheckScript], float]) -> float:
    ordered = sorted(failing, key=when_s)
    return next(
        when_s(check)
        for count, check in enumerate(ordered, start=1)
        if pair.master.priority_when_failed(tuple(ordered[:count])) < pair.backup.effective_priority
    )


def _latest_s(check: CheckScript, hanging: bool) -> float:
    return check.latest_hanging_s if hanging else check.latest_s


def _never(pair: Pair, reason: str) -> Prediction:
    """Predict an outage that only the heal ends. The lower bound is the slowest takeover that the settings allow."""
    slowest = pair.silence[1] + max((check.latest_hanging_s for check in pair.master.checks), default=0.0)
    return Prediction(slowest, None, f"for ever: {reason}", for_ever=True, moves=False)


def comes_back(pair: Pair, *, ready_s: float, moved: bool) -> Prediction:
    """Predict the failback of an old master that is ready `ready_s` seconds after the heal."""
    if not moved:
        return Prediction(
            0.0,
            BACKLOG_S,
            "the address has not moved: the heal ends the outage, after the waiting connections are served",
            moves=False,
            over_s=max(ready_s, BACKLOG_S),
        )
    if not pair.master.preempt:
        return nothing(
            "nopreempt on the old master: the old master stays the backup, and there is no failback", over_s=ready_s
        )
    if pair.master.effective_priority <= pair.backup.effective_priority:
        return nothing("the old master has no higher priority, so it stays the backup", over_s=ready_s)
    wait = pair.master.master_down_interval_s + pair.master.preempt_delay_s
    return Prediction(
        0.0,
        HANDOVER_S,
        f"the old master preempts {wait:.3f} s after it is ready again: the address moves, and connections are reset",
        over_s=ready_s + wait + HANDOVER_S,
    )


def proxy_back(pair: Pair, *, moved: bool, start_s: float) -> Prediction:
    """Predict the failback if the old master's balancer answers its check `start_s` seconds after the heal. `moved`:
    the address has moved."""
    recovered = max((check.recovered_s for check in pair.master.checks), default=0.0)
    return comes_back(pair, ready_s=start_s + recovered, moved=moved)


def drained(pair: Pair) -> Prediction:
    """Predict the outage if the balancer refuses its health page, but serves all other requests."""
    checks = tuple(check for check in pair.master.checks if check.by != BY_PROCESS)
    if not checks:
        return nothing("no check asks for the health page: the address does not move, and the service continues")
    takeover = _takeover(pair, checks, hanging=False)
    if takeover.for_ever:
        why = takeover.reason.removeprefix("for ever: ")
        return nothing(f"the address does not move ({why}), and the service continues")
    resigning = [check.latest_s for check in checks if check.weight == 0]
    if resigning:
        return replace(after_resignation(pair), over_s=min(resigning) + pair.resignation_s)
    return Prediction(
        0.0, HANDOVER_S, f"{takeover.reason}; the old master serves until the takeover", over_s=takeover.high_s
    )
