"""Faults of the balancer process on the master."""

from dataclasses import replace

from switchover.faults.lab_commands import FROZEN, STOPPED, LabCommands
from switchover.faults.mechanism import Commands, Mechanism, needs_haproxy, needs_proxy, of_pair, service_verb
from switchover.predict.prediction import START_S, Pair, Prediction, drained, nothing, proxy_back, proxy_silent

FRONTEND = "control"
"""The frontend with the page that Keepalived's HTTP check requests."""


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
    does="SIGKILL to every HAProxy process of the master; Keepalived keeps running",
    proof="two checks find no HAProxy process on the master",
    heals="HAProxy is started",
    expectation=(
        "refused connections until the check script has failed and the backup has taken over. Without a check "
        "script, or with a weight that is too small, they last until the heal"
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
        summary="the master's HAProxy is stopped",
        does="SIGTERM to the master's HAProxy: a hard stop, it closes its connections and exits",
        expectation=(
            "the same as after haproxy-kill, because only the check script notices the stop. To hand over without "
            "loss, drain the node or stop Keepalived first"
        ),
        commands=service_verb("balancer", "stop", undo="start", down=STOPPED),
    ),
    Mechanism(
        name="haproxy-hang",
        summary="the master's HAProxy hangs",
        does="SIGSTOP to every HAProxy process of the master: the kernel accepts connections, no response comes",
        proof="two checks find every HAProxy process of the master stopped (state T)",
        heals="SIGCONT to every HAProxy process of the master",
        expectation=(
            "read timeouts, then connect timeouts when the kernel's accept queue is full. A check of the process "
            "never notices. A check that needs a response notices after its own timeout"
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
        does="a new HAProxy process takes over the listening sockets (-x, -sf); the old process finishes and exits",
        proof="two checks find another process on the runtime socket",
        heals="nothing is left to heal",
        heals_itself=True,
        expectation=(
            "no failed request on new connections. Idle kept connections are closed, and a request that crosses "
            "the close fails. The counters restart from 0"
        ),
        sources=("generation",),
        is_change=True,
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
            "continues"
        ),
        proof=f"two readings of `show stat` report that the frontend {FRONTEND} is not OPEN",
        heals=f"`enable frontend {FRONTEND}`",
        expectation=(
            "no failed request: the old master serves until the backup has the address. The address moves only if "
            "Keepalived checks the health page (`--keepalived check=http`). With weight 0 the master drops the "
            "address first, which costs the backup's skew time"
        ),
        sources=("frontend",),
        is_change=True,
        needs=(needs_haproxy,),
        commands=_drain,
        predict=of_pair(drained),
        failback=of_pair(_undrained),
    ),
)
