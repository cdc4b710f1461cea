"""Changes of one server behind the balancer: drained, replaced or restarted."""

from collections.abc import Callable
from dataclasses import replace

from switchover.faults.lab_commands import STOPPED, VICTIM, LabCommands
from switchover.faults.mechanism import Commands, Mechanism, needs_haproxy, service_verb
from switchover.faults.mechanisms.promises import ALL_KEPT, MAY_CROSS, RELOADED_BY_HAPROXY
from switchover.model.held_kind import HeldKind

NEXT = f"{VICTIM}-next"
"""The server that takes the place of the victim: another port of its host, with an access log of its own."""
NEXT_PORT = 8081
SERVER, OTHER = f"web/{VICTIM}", f"web/{NEXT}"
"""As the lab's HAProxy calls them."""
LINE_ENDS = {"haproxy": (" disabled", " # "), "nginx": (" down", "; # ")}
"""What takes a server out of service, and what stands between that and the name by which its line is found."""
CONFIGURATIONS = {"haproxy": "haproxy.cfg", "nginx": "nginx.conf"}


def _needs_swappable(lab: LabCommands) -> str | None:
    """Why a lab cannot exchange two servers in its balancer's configuration."""
    return None if lab.balancer in LINE_ENDS else f"balancer {lab.balancer!r}: choose --balancer haproxy or nginx"


def _needs_other_server(lab: LabCommands) -> str | None:
    """Why a lab without a server that could take the place of another cannot do it."""
    return None if lab.connections else "no server beside the others: add --connection-paths"


def _needs_nginx_backends(lab: LabCommands) -> str | None:
    """Why a lab whose web servers are no Nginx cannot do it."""
    return None if lab.backend_kind == "nginx" else f"backends of kind {lab.backend_kind!r}: they are no Nginx"


def _send(command: str, undo: str, status: str, column: str = "status") -> Callable[[LabCommands], Commands]:
    """Commands to the runtime socket; `status` is what the column of `show stat` begins with afterwards."""
    return lambda lab: Commands(
        kill=lab.runtime("--send", command),
        heal=lab.runtime("--send", undo),
        verify_down=lab.runtime(f"--server-{column}", f"{SERVER}={status}"),
    )


def _swap(lab: LabCommands) -> Commands:
    swap, back = _put(lab, NEXT, VICTIM), _put(lab, VICTIM, NEXT)
    proof = lab.runtime("--server-status", f"{SERVER}=MAINT")
    if lab.balancer == "nginx":
        note = lab.master_file("workers-before-swap")
        swap, proof = lab.nginx_workers("--note", note, *swap), lab.nginx_workers("--other", note)
        back = ("sh", "-c", 'rm -f "$0" && exec "$@"', note, *back)  # the note is wrong from here on
    return Commands(swap, back, proof)


def _put(lab: LabCommands, into: str, out: str) -> tuple[str, ...]:
    """Reload with `into` in service, and `out` not."""
    disabled, end = LINE_ENDS[lab.balancer]
    edits = (f"s/({disabled})?{end}{into}$/{end}{into}/", f"s/({disabled})?{end}{out}$/{disabled}{end}{out}/")
    script = 'sed -E -i -e "$1" -e "$2" "$0" && shift 2 && exec "$@"'
    return ("sh", "-c", script, lab.master_file(CONFIGURATIONS[lab.balancer]), *edits, *lab.reload())


SERVER_DRAIN = Mechanism(
    name="server-drain",
    summary="a server is drained by the runtime socket",
    does=f"`set server {SERVER} state drain` on the master's runtime socket",
    proof="`show stat` says DRAIN of it, at two checks",
    heals=f"`set server {SERVER} state ready`",
    expectation="nothing is lost: what is under way ends, and the other servers take what comes",
    sources=("server",),
    victim=VICTIM,
    promises=ALL_KEPT,
    needs=(needs_haproxy,),
    commands=_send(f"set server {SERVER} state drain", f"set server {SERVER} state ready", "DRAIN"),
)
RESTART_GRACEFUL = Mechanism(
    name="backend-restart-graceful",
    summary="a backend finishes what it has, and is started again",
    does=f"SIGQUIT to the Nginx of {VICTIM}: it listens no more, and its workers stay until their connections end",
    proof="nothing of it serves any more, at two checks",
    heals="it is started again, beside what is left of the old one",
    expectation="nothing is lost: what is under way ends, and requests that are refused go to another backend",
    sources=("server",),
    victim=VICTIM,
    promises=ALL_KEPT,
    needs=(_needs_nginx_backends,),
    commands=service_verb("backend", "quit", undo="start", down=STOPPED, host=VICTIM),
)

CHANGES = (
    SERVER_DRAIN,
    replace(
        SERVER_DRAIN,
        name="server-maint",
        summary="a server is taken out for maintenance by the runtime socket",
        does=f"`set server {SERVER} state maint` on the master's runtime socket",
        proof="`show stat` says MAINT of it, at two checks",
        expectation="nothing is lost: connections to it that are under way are not cut",
        commands=_send(f"set server {SERVER} state maint", f"set server {SERVER} state ready", "MAINT"),
    ),
    replace(
        SERVER_DRAIN,
        name="weight-zero",
        summary="a server gets the weight 0 by the runtime socket",
        does=f"`set weight {SERVER} 0` on the master's runtime socket",
        proof="`show stat` says that its weight is 0, at two checks",
        heals=f"`set weight {SERVER} 100%`: its configured weight",
        sources=("weight",),
        commands=_send(f"set weight {SERVER} 0", f"set weight {SERVER} 100%", "0", "weight"),
    ),
    Mechanism(
        name="backend-swap",
        summary="a backend is replaced by another one in the configuration, and the master's balancer reloaded",
        does=f"the server {VICTIM} is taken out and {NEXT} put in its place, and a reload of HAProxy or Nginx",
        proof="HAProxy says MAINT of the old one, or Nginx has other workers than before, at two checks",
        heals="the first configuration is put back, with another reload",
        expectation="what a reload costs, twice; what is under way on the old backend ends there",
        sources=("worker",),
        promises=RELOADED_BY_HAPROXY,
        needs=(_needs_swappable, _needs_other_server),
        commands=_swap,
    ),
    replace(
        SERVER_DRAIN,
        name="backend-swap-runtime",
        summary="a backend is replaced by another one by the runtime socket",
        does=f"`set server {OTHER} state ready`, and `set server {SERVER} state maint`, on the master",
        proof="`show stat` says MAINT of the old one, at two checks",
        heals="the same the other way round",
        expectation="nothing is lost: what is under way on the old backend ends there",
        needs=(needs_haproxy, _needs_other_server),
        commands=_send(
            f"set server {OTHER} state ready; set server {SERVER} state maint",
            f"set server {SERVER} state ready; set server {OTHER} state maint",
            "MAINT",
        ),
    ),
    RESTART_GRACEFUL,
    replace(
        RESTART_GRACEFUL,
        name="backend-restart-hard",
        summary="a backend is stopped under its connections, and started again",
        does=f"SIGTERM to the Nginx of {VICTIM}, which closes all its connections at once",
        proof="no process of it is left, at two checks",
        heals="it is started again",
        expectation="what is under way on it is lost: a third of all with three backends",
        promises={
            **dict.fromkeys(HeldKind, "cut where it is on that backend"),
            HeldKind.TCP: "kept: plain TCP is served beside it",
            HeldKind.POOLED: MAY_CROSS,
            HeldKind.IDLE: MAY_CROSS,
        },
        commands=service_verb("backend", "stop", undo="start", down=STOPPED, host=VICTIM),
    ),
)
