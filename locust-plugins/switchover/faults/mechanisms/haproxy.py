"""Faults of the balancer process on the master."""

from dataclasses import replace

from switchover.faults.lab_commands import FROZEN, STOPPED, LabCommands
from switchover.faults.mechanism import Commands, Mechanism, needs_haproxy, needs_proxy, of_pair, service_verb
from switchover.faults.mechanisms.promises import ALL_KEPT, RELOADED_BY_HAPROXY
from switchover.predict.prediction import START_S, Pair, Prediction, drained, nothing, proxy_back, proxy_silent

FRONTEND = "control"
"""The frontend with the page that Keepalived's HTTP check asks for."""


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
        verify_down=lab.runtime("--frontend-closed", FRONTEND),
        verify_healed=lab.runtime("--frontend-open", FRONTEND),
    )


HAPROXY_KILL = Mechanism(
    name="haproxy-kill",
    summary="the master's HAProxy crashes",
    does="SIGKILL to every HAProxy process of the master; Keepalived lives on",
    proof="no HAProxy process is left on the master, seen twice",
    heals="HAProxy is started again",
    expectation=(
        "refused connections until the check script has failed often enough and the backup has taken over; "
        "without a check script, until the heal. A supervisor that restarts HAProxy makes the run invalid"
    ),
    sources=("generation",),
    needs=(needs_proxy,),
    commands=service_verb("balancer", "kill", undo="start", down=STOPPED),
    predict=of_pair(_crashed),
    failback=of_pair(lambda pair: proxy_back(pair, moved=_crashed(pair).moves, start_s=START_S)),
)

FAULTS = (
    HAPROXY_KILL,
    replace(
        HAPROXY_KILL,
        name="haproxy-stop",
        summary="the master's HAProxy is stopped in order",
        does="SIGTERM to the master's HAProxy (a hard stop: it closes its connections and exits)",
        expectation=(
            "the same as haproxy-kill: an orderly stop of HAProxy tells Keepalived nothing, only the check script "
            "does. To hand over without loss, stop Keepalived first"
        ),
        commands=service_verb("balancer", "stop", undo="start", down=STOPPED),
    ),
    Mechanism(
        name="haproxy-hang",
        summary="the master's HAProxy hangs",
        does="SIGSTOP to every HAProxy process of the master: the kernel goes on accepting, no answer comes",
        proof="every HAProxy process of the master is stopped (state T), seen twice",
        heals="SIGCONT to all of them",
        expectation=(
            "requests that hang until the client's read time-out, and connect time-outs once the kernel's queue of "
            "unaccepted connections is full; none is refused. A check that looks for the process never notices; one "
            "that asks for an answer does, after its own time-out. Failure counts are smaller than the outage by "
            "about the client's time-out"
        ),
        sources=("scrapes",),
        needs=(needs_proxy,),
        commands=service_verb("balancer", "freeze", undo="thaw", down=FROZEN),
        predict=of_pair(_frozen),
        failback=of_pair(lambda pair: proxy_back(pair, moved=_frozen(pair).moves, start_s=0.0)),
    ),
    Mechanism(
        name="haproxy-reload",
        summary="the master's HAProxy is reloaded",
        does="a new HAProxy process takes the listening sockets over (-x, -sf), the old one finishes and goes",
        proof="another process answers on the runtime socket than before, seen twice",
        heals="there is nothing to heal",
        heals_itself=True,
        expectation=(
            "no failed request on fresh connections. Idle kept connections are closed, and a request that crosses "
            "the close fails. The counters start again from 0"
        ),
        sources=("generation",),
        promises=RELOADED_BY_HAPROXY,
        needs=(needs_haproxy,),
        commands=_reload,
        predict=of_pair(
            lambda _: nothing("the new process inherits the listening sockets: no connection is refused")
        ),
        failback=of_pair(lambda _: nothing("there is nothing to heal")),
    ),
    Mechanism(
        name="haproxy-drain",
        summary="the master is drained",
        does=(
            f"`disable frontend {FRONTEND}` on the master's runtime socket: the health page is refused, the service "
            "itself goes on"
        ),
        proof=f"`show stat` says that the frontend {FRONTEND} is not OPEN, seen twice",
        heals=f"`enable frontend {FRONTEND}`",
        expectation=(
            "no failed request: the old master serves until the backup has the address. It moves only where "
            "Keepalived checks that page and lowers the priority by enough; with weight 0 the master gives the "
            "address up before anybody has it. (Disabling the frontend of the service itself refuses connections "
            "like a crash)"
        ),
        sources=("frontend",),
        promises=ALL_KEPT,
        needs=(needs_haproxy,),
        commands=_drain,
        predict=of_pair(drained),
        failback=of_pair(_undrained),
    ),
)
