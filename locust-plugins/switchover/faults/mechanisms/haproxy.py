"""Faults of the balancer process on the master."""

from switchover.faults.lab_commands import FROZEN, STOPPED, LabCommands
from switchover.faults.mechanism import Commands, Mechanism, needs_haproxy, needs_proxy, pair_theory, service_verb
from switchover.predict.prediction import START_S, Pair, Prediction, drained, nothing, proxy_back, proxy_silent

FRONTEND = "control"
"""The frontend that serves the page for Keepalived's HTTP check."""


def _crashed(pair: Pair) -> Prediction:
    return proxy_silent(pair, hanging=False, process_remains=False)


def _frozen(pair: Pair) -> Prediction:
    return proxy_silent(pair, hanging=True, process_remains=True)


def _undrained(pair: Pair) -> Prediction:
    if not drained(pair).moves:
        return nothing("the address has not moved, and the service never stopped")
    return proxy_back(pair, moved=True, start_s=0.0)


def _reload(lab: LabCommands) -> Commands:
    note = lab.master_file("pid-before-reload")
    return Commands(
        kill=lab.runtime("--note-pid", note, *lab.reload()),
        heal=("rm", "-f", note),
        verify_down=lab.runtime("--other-pid", note),
    )


def _drain(lab: LabCommands) -> Commands:
    return Commands(
        kill=lab.runtime("--send", f"disable frontend {FRONTEND}"),
        heal=lab.runtime("--send", f"enable frontend {FRONTEND}"),
        verify_down=lab.runtime("--is-not", f"{FRONTEND}/FRONTEND:status=OPEN"),
        verify_healed=lab.runtime("--is", f"{FRONTEND}/FRONTEND:status=OPEN"),
    )


def _death(name: str, verb: str) -> Mechanism:
    return Mechanism.of(
        name,
        service_verb("balancer", verb, undo="start", down=STOPPED),
        needs=(needs_proxy,),
        predict=pair_theory(_crashed),
        failback=pair_theory(lambda pair: proxy_back(pair, moved=_crashed(pair).moves, start_s=START_S)),
    )


FAULTS = (
    _death("haproxy-kill", "kill"),
    _death("haproxy-stop", "stop"),
    Mechanism.of(
        name="haproxy-hang",
        needs=(needs_proxy,),
        commands=service_verb("balancer", "freeze", undo="thaw", down=FROZEN),
        predict=pair_theory(_frozen),
        failback=pair_theory(lambda pair: proxy_back(pair, moved=_frozen(pair).moves, start_s=0.0)),
    ),
    Mechanism.of(
        name="haproxy-reload",
        is_change=True,
        needs=(needs_haproxy,),
        commands=_reload,
        predict=pair_theory(
            lambda _: nothing("the new process inherits the listening sockets: no connection is refused")
        ),
        failback=pair_theory(lambda _: nothing("there is nothing to heal")),
    ),
    Mechanism.of(
        name="haproxy-drain",
        is_change=True,
        needs=(needs_haproxy,),
        commands=_drain,
        predict=pair_theory(drained),
        failback=pair_theory(_undrained),
    ),
)
