"""Changes of a balancer other than HAProxy: reloads and watched files."""

from collections.abc import Callable, Mapping

from switchover.faults.lab_commands import VICTIM, LabCommands
from switchover.faults.mechanism import Commands, LabNeed, Mechanism
from switchover.faults.mechanisms.promises import ALL_KEPT, MAY_CROSS, RELOADED_BY_HAPROXY
from switchover.model.held_kind import HeldKind

HEALTH_PAGE = "http://127.0.0.1:8080/health"
"""Of the lab's Caddy, Traefik and Envoy, on their own node."""
TRAEFIK_FILE = "dynamic.yml"

RELOADED_BY_NGINX: Mapping[HeldKind, str] = {
    **RELOADED_BY_HAPROXY,
    HeldKind.POOLED: MAY_CROSS,
    HeldKind.IDLE: MAY_CROSS,
}
RELOADED_BY_CADDY: Mapping[HeldKind, str] = {
    **dict.fromkeys(HeldKind, "kept by the old server until it ends, or cut after grace_period"),
    HeldKind.POOLED: MAY_CROSS,
    HeldKind.IDLE: MAY_CROSS,
    HeldKind.WEBSOCKET: "closed at once by a close frame, unless reverse_proxy has a stream_close_delay",
}
LISTENER_CHANGED_BY_ENVOY: Mapping[HeldKind, str] = {
    **dict.fromkeys(HeldKind, "kept by the old listener, or cut after --drain-time-s"),
    HeldKind.POOLED: "kept: asked to close in an answer, before --drain-time-s is over",
}


def _needs_balancer(name: str) -> LabNeed:
    """Why a lab with a balancer other than `name` cannot do it."""
    return lambda lab: None if lab.balancer == name.lower() else f"balancer {lab.balancer!r}: it is no {name}"


def _reload_nginx(lab: LabCommands) -> Commands:
    note = lab.master_file("workers-before-reload")
    return Commands(
        kill=lab.nginx_workers("--note", note, *lab.reload()),
        heal=("rm", "-f", note),
        verify_down=lab.nginx_workers("--other", note),
    )


def _take_up(file: str, reload: bool = False) -> Callable[[LabCommands], Commands]:
    """Commands that write the next configuration, and perhaps a reload; the health page proves it."""
    return lambda lab: Commands(
        kill=lab.next_configuration(file, "--next", *(lab.reload() if reload else ())),
        heal=("rm", "-f", lab.master_file(f"{file}.written")),
        verify_down=lab.next_configuration(file, "--serves", HEALTH_PAGE),
    )


CHANGES = (
    Mechanism(
        name="nginx-reload",
        summary="the master's Nginx is reloaded",
        does="SIGHUP: new workers take the listening sockets over, the old ones finish and go",
        proof="the master process of Nginx has other workers than before, at two checks",
        heals="there is nothing to undo",
        heals_itself=True,
        expectation=(
            "no failed request on fresh connections; a request that crosses the close of its connection fails"
        ),
        sources=("worker",),
        promises=RELOADED_BY_NGINX,
        needs=(_needs_balancer("Nginx"),),
        commands=_reload_nginx,
    ),
    Mechanism(
        name="caddy-reload",
        summary="the master's Caddy is reloaded",
        does="`caddy reload` with a changed header: new servers in the same process, the old ones end what they have",
        proof="its health page answers by the configuration that was written, at two checks",
        heals="there is nothing to undo",
        heals_itself=True,
        expectation=(
            "no failed download; WebSockets get a close frame; a request that crosses the close of its connection "
            "fails"
        ),
        sources=("worker",),
        promises=RELOADED_BY_CADDY,
        needs=(_needs_balancer("Caddy"),),
        commands=_take_up("caddy.conf", reload=True),
    ),
    Mechanism(
        name="traefik-swap",
        summary="a backend goes from the file that the master's Traefik watches, and comes back",
        does=f"the file is replaced by one without {VICTIM}, which Traefik takes up by itself",
        proof="its health page answers by the configuration that was written, at two checks",
        heals="the file is replaced by one with that backend",
        expectation="nothing is lost, and no connection is closed",
        sources=("worker",),
        promises=ALL_KEPT,
        needs=(_needs_balancer("Traefik"),),
        commands=lambda lab: Commands(
            kill=lab.next_configuration(TRAEFIK_FILE, "--without", VICTIM),
            heal=lab.next_configuration(TRAEFIK_FILE, "--with", VICTIM),
            verify_down=lab.next_configuration(TRAEFIK_FILE, "--serves", HEALTH_PAGE),
        ),
    ),
    Mechanism(
        name="envoy-listener",
        summary="the listeners of the master's Envoy are replaced by the file that it watches",
        does="the file is replaced by one with a changed header: Envoy makes new listeners and drains the old ones",
        proof="its health page answers by the configuration that was written, at two checks",
        heals="there is nothing to undo",
        heals_itself=True,
        expectation=(
            "nothing is lost before --drain-time-s is over; then all that is still on the old listener is cut"
        ),
        sources=("worker",),
        promises=LISTENER_CHANGED_BY_ENVOY,
        needs=(_needs_balancer("Envoy"),),
        commands=_take_up("listeners.yaml"),
    ),
)
