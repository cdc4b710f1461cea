"""Faults of Keepalived on the master."""

from switchover.faults.lab_commands import FROZEN, STOPPED
from switchover.faults.mechanism import Mechanism, of_pair, service_verb
from switchover.faults.mechanisms.promises import MOVED
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
        summary="the master's Keepalived is stopped in order",
        does="SIGTERM to Keepalived: it sends an advert of priority 0 and removes the address",
        proof="no Keepalived process is left on the master, seen twice",
        heals="Keepalived is started again",
        expectation="connect time-outs for the backup's skew time: the shortest outage that VRRP itself can give",
        sources=("owner",),
        promises=MOVED,
        commands=service_verb("keepalived", "stop", undo="start", down=STOPPED),
        predict=of_pair(after_resignation),
        failback=of_pair(lambda pair: comes_back(pair, ready_s=START_S, moved=True)),
    ),
    Mechanism(
        name="keepalived-kill",
        summary="the master's Keepalived crashes",
        does=(
            "SIGKILL to every Keepalived process of the master at once. (Of the parent alone it is no crash: the "
            "child then gets SIGTERM and resigns in order)"
        ),
        proof="no Keepalived process is left on the master, seen twice",
        heals="Keepalived is started again",
        expectation=(
            "no failed request and a split brain: the address stays on the dead node's interface while the backup "
            "takes it too. Only a source of ownership on both nodes shows it"
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
        proof="every Keepalived process of the master is stopped (state T), seen twice",
        heals="SIGCONT to all of them",
        expectation=(
            "no failed request and a split brain, as with keepalived-kill. When it wakes up it still believes that "
            "it is the master and says so, also with nopreempt"
        ),
        sources=("owner",),
        commands=service_verb("keepalived", "freeze", undo="thaw", down=FROZEN),
        predict=of_pair(lambda pair: two_owners(pair, "adverts stop while the address stays")),
        failback=of_pair(_continued),
    ),
)
