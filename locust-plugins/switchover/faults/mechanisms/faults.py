"""The faults of the balancer process, of Keepalived, of the network links and of a backend."""

from switchover.faults.mechanism import (
    BACKUP,
    FROZEN,
    MASTER,
    STOPPED,
    VICTIM,
    Commands,
    LabCommands,
    Mechanism,
    needs_haproxy,
    needs_proxy,
    service_verb,
)
from switchover.predict.prediction import (
    HANDOVER_S,
    NEIGHBOUR_S,
    START_S,
    Pair,
    Prediction,
    after_resignation,
    after_silence,
    comes_back,
    drained,
    nothing,
    proxy_back,
    proxy_silent,
    two_owners,
)

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
        outage=_crashed,
        heal_outage=lambda pair: proxy_back(pair, moved=_crashed(pair).moves, start_s=START_S),
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
        "the next advert of the old master makes the backup give the address up",
        over_s=2 * pair.advert_s + HANDOVER_S,
    )


NODE_DOWN = "node-down"
PORT = f"br-{MASTER}"
_BOTH = ("sh", PORT, f"br-{BACKUP}")


def _link_down(lab: LabCommands) -> Commands:
    def state(word: str) -> tuple[str, ...]:
        return lab.bridge("sh", "-c", f'ip link show dev "$1" | grep -q " state {word} "', "sh", PORT)

    return Commands(
        kill=lab.bridge("ip", "link", "set", PORT, "down"),
        heal=lab.bridge("ip", "link", "set", PORT, "up"),
        verify_down=state("DOWN"),
        verify_healed=state("UP"),
    )


def _isolate(lab: LabCommands) -> Commands:
    def isolated(word: str) -> tuple[str, ...]:
        each = f'bridge link set dev "$1" isolated {word} && bridge link set dev "$2" isolated {word}'
        return lab.bridge("sh", "-c", each, *_BOTH)

    def both_are(word: str) -> tuple[str, ...]:
        one = f'bridge -d link show dev "%s" | grep -q "isolated {word}"'
        return lab.bridge("sh", "-c", f"{one % '$1'} && {one % '$2'}", *_BOTH)

    return Commands(isolated("on"), isolated("off"), both_are("on"), both_are("off"))


def _joined(pair: Pair) -> Prediction:
    return Prediction(
        0.0,
        NEIGHBOUR_S,
        "no outage if the old master receives an advert of the backup and announces the address again; if the backup "
        "first gives up the address, an outage until the client's neighbour entry is renewed",
        over_s=pair.advert_s + NEIGHBOUR_S,
    )


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
    _death("haproxy-kill", "kill"),
    _death("haproxy-stop", "stop"),
    Mechanism.of(
        name="haproxy-hang",
        needs=(needs_proxy,),
        commands=service_verb("balancer", "freeze", undo="thaw", down=FROZEN),
        outage=_frozen,
        heal_outage=lambda pair: proxy_back(pair, moved=_frozen(pair).moves, start_s=0.0),
    ),
    Mechanism.of(
        name="haproxy-reload",
        is_change=True,
        needs=(needs_haproxy,),
        commands=_reload,
        outage=lambda _: nothing("the new process inherits the listening sockets: no connection is refused"),
        heal_outage=lambda _: nothing("there is nothing to heal"),
    ),
    Mechanism.of(
        name="haproxy-drain",
        is_change=True,
        needs=(needs_haproxy,),
        commands=_drain,
        outage=drained,
        heal_outage=_undrained,
    ),
    Mechanism.of(
        name="keepalived-stop",
        is_change=True,
        commands=service_verb("keepalived", "stop", undo="start", down=STOPPED),
        outage=after_resignation,
        heal_outage=lambda pair: comes_back(pair, ready_s=START_S, moved=True),
    ),
    Mechanism.of(
        name="keepalived-kill",
        commands=service_verb("keepalived", "kill", undo="start", down=STOPPED),
        outage=lambda pair: two_owners(pair, "no process runs that could remove the address"),
        heal_outage=_started_after_kill,
    ),
    Mechanism.of(
        name="keepalived-hang",
        commands=service_verb("keepalived", "freeze", undo="thaw", down=FROZEN),
        outage=lambda pair: two_owners(pair, "adverts stop while the address stays"),
        heal_outage=_continued,
    ),
    Mechanism.of(
        name=NODE_DOWN,
        commands=_link_down,
        outage=after_silence,
        heal_outage=lambda pair: comes_back(pair, ready_s=0.0, moved=True),
    ),
    Mechanism.of(
        name="partition",
        commands=_isolate,
        outage=lambda pair: two_owners(pair, "neither node receives adverts"),
        heal_outage=_joined,
    ),
    Mechanism.of(
        name="backend-kill",
        lab_window_s=(0.0, LAB_CHECK_S + CLIENT_S),
        commands=service_verb("backend", "kill", undo="start", down=STOPPED, host=VICTIM),
        outage=_in_part(
            0.0,
            DEFAULT_CHECK_S + CLIENT_S,
            "requests to the victim are slow, or fail without redispatch, until the balancer's check marks the "
            f"victim down (fall times inter: {DEFAULT_CHECK_S:g} s with HAProxy's defaults, {LAB_CHECK_S:g} s in "
            f"the lab), plus the client's timeout of {CLIENT_S:g} s",
        ),
        heal_outage=_in_part(
            0.0, 0.0, "the victim gets requests again after its check has passed (rise times inter)"
        ),
    ),
    Mechanism.of(
        name="backend-slow",
        commands=_slow,
        outage=_in_part(0.0, 0.0, "no outage: responses of the victim take up to 0.3 s longer"),
        heal_outage=_in_part(0.0, 0.0, "the victim answers as fast as before"),
    ),
)
