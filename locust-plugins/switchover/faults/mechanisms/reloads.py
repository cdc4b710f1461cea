"""Changes of a balancer other than HAProxy: reloads, restarts and upgrades."""

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
RESTARTED_BY_ENVOY: Mapping[HeldKind, str] = dict.fromkeys(
    HeldKind, "kept by the old process, or cut after --parent-shutdown-time-s, or by the restart after the next"
)


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


def _take_up(
    file: str, *words: str, proof: str = "--serves", reload: bool = False
) -> Callable[[LabCommands], Commands]:
    """Commands that run next_configuration.py with `words`, and a reload; the health page proves it."""
    return lambda lab: Commands(
        kill=lab.next_configuration(file, *words, *(lab.reload() if reload else ())),
        heal=("rm", "-f", lab.master_file(f"{file}.written")),
        verify_down=lab.next_configuration(file, proof, HEALTH_PAGE),
    )


CHANGES = (
    Mechanism(
        name="nginx-reload",
        summary="the master's Nginx is reloaded",
        does="SIGHUP: new workers take the listening sockets over, the old ones finish and go",
        proof="the master process of Nginx has other workers than before, seen twice",
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
        name="nginx-upgrade",
        summary="the master's Nginx is upgraded to its binary on the disk, and back",
        does=(
            "SIGUSR2: a new master process takes the listening sockets over; then SIGWINCH: the workers of the old "
            "one finish and go"
        ),
        proof="workers of the new master process serve, and none of the old one, seen twice",
        heals="SIGHUP to the old master process, whose workers serve again, and SIGQUIT to the new one",
        expectation=(
            "what a reload costs, twice. The next upgrade waits until the new one's last connection has ended: a "
            "worker_shutdown_timeout bounds that"
        ),
        sources=("worker",),
        promises=RELOADED_BY_NGINX,
        needs=(_needs_balancer("Nginx"),),
        commands=lambda lab: Commands(*map(lab.nginx_workers, ("--upgrade", "--go-back", "--upgraded"))),
    ),
    Mechanism(
        name="caddy-reload",
        summary="the master's Caddy is reloaded",
        does="`caddy reload` with a changed header: new servers in the same process, the old ones end what they have",
        proof="its health page answers by the configuration that was written, seen twice",
        heals="there is nothing to undo",
        heals_itself=True,
        expectation=(
            "no failed download; WebSockets get a close frame; a request that crosses the close of its connection "
            "fails"
        ),
        sources=("worker",),
        promises=RELOADED_BY_CADDY,
        needs=(_needs_balancer("Caddy"),),
        commands=_take_up("caddy.conf", "--next", reload=True),
    ),
    Mechanism(
        name="traefik-swap",
        summary="a backend goes from the file that the master's Traefik watches, and comes back",
        does=f"the file is replaced by one without {VICTIM}, which Traefik takes up by itself",
        proof="its health page answers by the configuration that was written, seen twice",
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
        proof="its health page answers by the configuration that was written, seen twice",
        heals="there is nothing to undo",
        heals_itself=True,
        expectation=(
            "nothing is lost before --drain-time-s is over; then all that is still on the old listener is cut"
        ),
        sources=("worker",),
        promises=LISTENER_CHANGED_BY_ENVOY,
        needs=(_needs_balancer("Envoy"),),
        commands=_take_up("listeners.yaml", "--next"),
    ),
    Mechanism(
        name="envoy-restart",
        summary="the master's Envoy is restarted hot",
        does="a new process with the next --restart-epoch takes the listening sockets over and drains the old one",
        proof="another process answers on its health page than before, seen twice",
        heals="there is nothing to undo",
        heals_itself=True,
        expectation="nothing is lost, unless the next restart comes before: it ends the process before the last",
        sources=("worker",),
        promises=RESTARTED_BY_ENVOY,
        needs=(_needs_balancer("Envoy"),),
        commands=_take_up("envoy.yaml", "--note", HEALTH_PAGE, proof="--other", reload=True),
    ),
)
