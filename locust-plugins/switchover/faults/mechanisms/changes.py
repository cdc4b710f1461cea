"""Changes: actions of an operator that should lose no request. docs/hitless.md lists the exceptions."""

from collections.abc import Callable

from switchover.faults.mechanism import (
    BACKUP,
    MASTER,
    VICTIM,
    Commands,
    LabCommands,
    LabNeed,
    Mechanism,
    needs_haproxy,
    needs_proxy,
)

HEALTH_PAGE = "http://127.0.0.1:8080/health"
"""The URL of the health page of the lab's Caddy, Traefik and Envoy, as requested on the balancer's node."""
TRAEFIK_FILE = "dynamic.yml"
NEXT = f"{VICTIM}-next"
"""The server that replaces the victim, on another port of the victim's host and with a separate access log."""
NEXT_PORT = 8081
SERVER = f"web/{VICTIM}"
LINE_ENDS = {"haproxy": (" disabled", " # "), "nginx": (" down", "; # ")}
"""For each balancer program: the text that disables a server in its line, and the text between this text and the
server's name."""
CONFIGURATIONS = {"haproxy": "haproxy.cfg", "nginx": "nginx.conf"}
MOVE_FILE = "move"
"""A file in the node's directory that contains a number. Keepalived adds the number times `MOVE_WEIGHT` to the
priority."""
MOVE_WEIGHT = -50
"""A negative weight. Its absolute value is larger than the difference between the lab's priorities, and larger than
the weight of a check."""
FIRST, RENEWED = "certificate-first.pem", "certificate-renewed.pem"
"""The certificates in the lab's directory, in addition to the served certificate."""
SERVED = "certificate.pem"


def _need(is_met: Callable[[LabCommands], bool], why: str) -> LabNeed:
    return lambda lab: None if is_met(lab) else why.format(lab=lab)


def _needs_balancer(name: str) -> LabNeed:
    return _need(lambda lab: lab.balancer == name.lower(), f"balancer {{lab.balancer!r}}: {name} is needed")


_NEEDS_PAIR = _need(lambda lab: lab.balancer != "none", "balancer 'none': there is no address to move")
_NEEDS_CERTIFICATE = _need(
    lambda lab: lab.mode == "https", "mode {lab.mode!r}: no certificate is served; add --mode https"
)
_NEEDS_SWAPPABLE = _need(
    lambda lab: lab.balancer in LINE_ENDS, "balancer {lab.balancer!r}: choose --balancer haproxy or nginx"
)
_NEEDS_OTHER_SERVER = _need(lambda lab: lab.connections, "no additional server: add --connection-paths")


def _reload_nginx(lab: LabCommands) -> Commands:
    note = lab.master_file("workers-before-reload")
    return Commands(
        kill=lab.state_at_master("nginx.pid", "--note-workers", note, *lab.reload()),
        heal=("rm", "-f", note),
        verify_down=lab.state_at_master("nginx.pid", "--other-workers", note),
    )


def _take_up(file: str, reload: bool = False) -> Callable[[LabCommands], Commands]:
    """Return commands that write the next configuration to `file`, and optionally reload the balancer. The health
    page proves that the balancer uses this configuration."""
    return lambda lab: Commands(
        kill=lab.state_at_master(file, "--next", *(lab.reload() if reload else ())),
        heal=("rm", "-f", lab.master_file(f"{file}.written")),
        verify_down=lab.state_at_master(file, "--serves", HEALTH_PAGE),
    )


def _swap_in_traefik(lab: LabCommands) -> Commands:
    return Commands(
        kill=lab.state_at_master(TRAEFIK_FILE, "--without", VICTIM),
        heal=lab.state_at_master(TRAEFIK_FILE, "--with", VICTIM),
        verify_down=lab.state_at_master(TRAEFIK_FILE, "--serves", HEALTH_PAGE),
    )


def _drain_server(lab: LabCommands) -> Commands:
    return Commands(
        kill=lab.runtime("--send", f"set server {SERVER} state drain"),
        heal=lab.runtime("--send", f"set server {SERVER} state ready"),
        verify_down=lab.runtime("--is", f"{SERVER}:status=DRAIN"),
    )


def _swap_servers(lab: LabCommands) -> Commands:
    """Return commands that replace the victim with another server in the configuration, and reload the balancer."""
    swap, back = _put(lab, NEXT, VICTIM), _put(lab, VICTIM, NEXT)
    proof = lab.runtime("--is", f"{SERVER}:status=MAINT")
    if lab.balancer == "nginx":
        note = lab.master_file("workers-before-swap")
        swap = lab.state_at_master("nginx.pid", "--note-workers", note, *swap)
        proof = lab.state_at_master("nginx.pid", "--other-workers", note)
        # The reload starts a new process, so the note of the old process is no longer valid.
        back = ("sh", "-c", 'rm -f "$0" && exec "$@"', note, *back)
    return Commands(swap, back, proof)


def _put(lab: LabCommands, into: str, out: str) -> tuple[str, ...]:
    """Return a command that adds the server `into`, removes the server `out`, and reloads the balancer."""
    disabled, end = LINE_ENDS[lab.balancer]
    edits = (f"s/({disabled})?{end}{into}$/{end}{into}/", f"s/({disabled})?{end}{out}$/{disabled}{end}{out}/")
    script = 'sed -E -i -e "$1" -e "$2" "$0" && shift 2 && exec "$@"'
    return ("sh", "-c", script, lab.master_file(CONFIGURATIONS[lab.balancer]), *edits, *lab.reload())


def _move(lab: LabCommands) -> Commands:
    """Return commands that change the number in a file that Keepalived tracks."""

    def write(number: int) -> tuple[str, ...]:
        return lab.on(MASTER, "sh", "-c", f"echo {number} > {lab.master_file(MOVE_FILE)}")

    held = f"ip -o -4 address show | grep -qF ' {lab.address}/'"
    return Commands(kill=write(1), heal=write(0), verify_down=lab.on(BACKUP, "sh", "-c", held))


def _swap_certificate(lab: LabCommands) -> Commands:
    def serve(name: str) -> tuple[str, ...]:
        """Return a command that replaces the certificate atomically, and reloads the balancer."""
        replaced = f"cp {name} {SERVED}.new && mv {SERVED}.new {SERVED}"
        return ("sh", "-c", f'cd "$0" && {replaced} && exec "$@"', lab.directory, *lab.reload())

    # The change is proved if a new connection gets the renewed certificate.
    shows = (*lab.state_script, lab.address, "--shows-certificate", f"{lab.directory}/{RENEWED}")
    return Commands(serve(RENEWED), serve(FIRST), shows)


def _change(name: str, commands: Callable[[LabCommands], Commands], *needs: LabNeed) -> Mechanism:
    return Mechanism.of(name, commands, needs=needs, is_change=True)


CHANGES = (
    _change("nginx-reload", _reload_nginx, _needs_balancer("Nginx")),
    _change("caddy-reload", _take_up("caddy.conf", reload=True), _needs_balancer("Caddy")),
    _change("traefik-swap", _swap_in_traefik, _needs_balancer("Traefik")),
    _change("envoy-listener", _take_up("listeners.yaml"), _needs_balancer("Envoy")),
    _change("server-drain", _drain_server, needs_haproxy),
    _change("backend-swap", _swap_servers, _NEEDS_SWAPPABLE, _NEEDS_OTHER_SERVER),
    _change("priority-move", _move, _NEEDS_PAIR),
    _change("certificate-swap", _swap_certificate, needs_proxy, _NEEDS_CERTIFICATE),
)
