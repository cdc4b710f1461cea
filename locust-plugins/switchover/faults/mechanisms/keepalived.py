"""Faults of Keepalived on the master."""

from switchover.faults.lab_commands import FROZEN, STOPPED
from switchover.faults.mechanism import Mechanism, of_pair, service_verb
from switchover.predict.prediction import (
    HANDOVER_S,
    START_S,
    Pair,
    Prediction,
    after_resignation,
    comes_back,
    two_owners,
)


def _started_after_kill(pair: Pair) -> Prediction:
    back = comes_back(pair, ready_s=START_S, moved=True)
    if back.high_s:
        return back
    return Prediction(
        0.0, HANDOVER_S, f"starting again removes the left-over address; {back.reason}", over_s=back.over_s
    )


def _continued(pair: Pair) -> Prediction:
    return Prediction(
        0.0,
        HANDOVER_S,
        "the old master wakes up as master, hears the backup's lower adverts and announces the address again; "
        "the backup gives in to its next advert",
        over_s=2 * pair.advert_s + HANDOVER_S,
    )


FAULTS = (
    Mechanism(
        name="keepalived-stop",
        summary="the master's Keepalived is stopped",
        does="SIGTERM to Keepalived: it resigns with an advert of priority 0, and removes the address",
        proof="two checks find no Keepalived process on the master",
        heals="Keepalived is started",
        expectation="connect timeouts for the backup's skew time: the shortest outage that VRRP can give",
        sources=("owner",),
        is_change=True,
        commands=service_verb("keepalived", "stop", undo="start", down=STOPPED),
        predict=of_pair(after_resignation),
        failback=of_pair(lambda pair: comes_back(pair, ready_s=START_S, moved=True)),
    ),
    Mechanism(
        name="keepalived-kill",
        summary="the master's Keepalived crashes",
        does=(
            "SIGKILL to every Keepalived process of the master at once. A SIGKILL of the parent alone is no crash: "
            "its child gets SIGTERM and resigns"
        ),
        proof="two checks find no Keepalived process on the master",
        heals="Keepalived is started",
        expectation=(
            "no failed request, and a split brain: the address stays on the old master, and the backup takes it too. "
            "Only `vip_owner` on both nodes shows it"
        ),
        sources=("owner",),
        commands=service_verb("keepalived", "kill", undo="start", down=STOPPED),
        predict=of_pair(lambda pair: two_owners(pair, "no process is left to remove the address")),
        failback=of_pair(_started_after_kill),
    ),
    Mechanism(
        name="keepalived-hang",
        summary="the master's Keepalived hangs",
        does="SIGSTOP to every Keepalived process of the master",
        proof="two checks find every Keepalived process of the master stopped (state T)",
        heals="SIGCONT to every Keepalived process of the master",
        expectation=(
            "no failed request, and a split brain, as with keepalived-kill. After SIGCONT Keepalived announces the "
            "address again, even with nopreempt"
        ),
        sources=("owner",),
        commands=service_verb("keepalived", "freeze", undo="thaw", down=FROZEN),
        predict=of_pair(lambda pair: two_owners(pair, "adverts stop while the address stays")),
        failback=of_pair(_continued),
    ),
)
