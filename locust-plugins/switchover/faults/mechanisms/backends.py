"""Faults of one backend."""

from switchover.faults.lab_commands import STOPPED, VICTIM, LabCommands
from switchover.faults.mechanism import Commands, Mechanism, always, service_verb
from switchover.predict.prediction import Prediction

CLIENT_S = 1.0
"""The read time-out of the lab's clients. A request that was already sent to the victim fails after this time."""
LAB_CHECK_S = 2.0
"""The longest time until the lab's health check (`inter 1s fall 2`) marks a backend as down."""
DEFAULT_CHECK_S = 6.0
"""The longest time until HAProxy's default health check (`inter 2s fall 3`) marks a backend as down."""


def _slow(lab: LabCommands) -> Commands:
    status = lab.service(VICTIM, "backend", "status")
    return Commands(
        kill=lab.service(VICTIM, "backend", "slow"),
        heal=lab.service(VICTIM, "backend", "thaw"),
        verify_down=("sh", "-c", 'case $("$@") in *slowed*) ;; *) exit 1 ;; esac', "sh", *status),
        verify_healed=("sh", "-c", 'said=$("$@") || exit; case $said in *slowed*) exit 1 ;; esac', "sh", *status),
    )


def _in_part(low_s: float, high_s: float, reason: str) -> Prediction:
    return Prediction(low_s, high_s, reason, partial=True)


FAULTS = (
    Mechanism.of(
        name="backend-kill",
        lab_window_s=(0.0, LAB_CHECK_S + CLIENT_S),
        commands=service_verb("backend", "kill", undo="start", down=STOPPED, host=VICTIM),
        predict=always(
            _in_part(
                0.0,
                DEFAULT_CHECK_S + CLIENT_S,
                "the victim's share of the requests is slower, or fails without redispatch, until the balancer's "
                f"check marks it down (fall times inter: {DEFAULT_CHECK_S:g} s by HAProxy's defaults, "
                f"{LAB_CHECK_S:g} s in the lab), and then for the client's time-out of {CLIENT_S:g} s",
            )
        ),
        failback=always(
            _in_part(0.0, 0.0, "the balancer takes the victim back once its check passes (rise times inter)")
        ),
    ),
    Mechanism.of(
        name="backend-slow",
        commands=_slow,
        predict=always(_in_part(0.0, 0.0, "no outage: the victim's answers come up to 0.3 s later")),
        failback=always(_in_part(0.0, 0.0, "the victim answers as before")),
    ),
)
