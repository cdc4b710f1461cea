"""Faults of Keepalived on the master."""

from switchover.faults.lab_commands import FROZEN, STOPPED
from switchover.faults.mechanism import Mechanism, pair_theory, service_verb
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
        0.0, HANDOVER_S, f"the new Keepalived removes the left-over address; {back.reason}", over_s=back.over_s
    )


def _continued(pair: Pair) -> Prediction:
    return Prediction(
        0.0,
        HANDOVER_S,
        "the old master continues as master, receives the backup's lower adverts and announces the address again; "
        "its next advert makes the backup give the address up",
        over_s=2 * pair.advert_s + HANDOVER_S,
    )


FAULTS = (
    Mechanism.of(
        name="keepalived-stop",
        is_change=True,
        commands=service_verb("keepalived", "stop", undo="start", down=STOPPED),
        predict=pair_theory(after_resignation),
        failback=pair_theory(lambda pair: comes_back(pair, ready_s=START_S, moved=True)),
    ),
    Mechanism.of(
        name="keepalived-kill",
        commands=service_verb("keepalived", "kill", undo="start", down=STOPPED),
        predict=pair_theory(lambda pair: two_owners(pair, "no process is left to remove the address")),
        failback=pair_theory(_started_after_kill),
    ),
    Mechanism.of(
        name="keepalived-hang",
        commands=service_verb("keepalived", "freeze", undo="thaw", down=FROZEN),
        predict=pair_theory(lambda pair: two_owners(pair, "adverts stop while the address stays")),
        failback=pair_theory(_continued),
    ),
)
