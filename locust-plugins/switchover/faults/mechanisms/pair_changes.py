"""Changes of the pair: its address, its certificate, and the settings of its Keepalived."""

from switchover.faults.lab_commands import BACKUP, MASTER, LabCommands
from switchover.faults.mechanism import Commands, Mechanism, needs_haproxy, needs_proxy
from switchover.faults.mechanisms.promises import ALL_KEPT, MOVED, RELOADED_BY_HAPROXY

MOVE_FILE = "move"
"""In the node's directory: Keepalived adds its number, times a weight, to the priority."""
MOVE_WEIGHT = -50
"""More than the difference of the lab's priorities, and than a failed check takes away."""
FIRST, RENEWED = "certificate-first.pem", "certificate-renewed.pem"
"""In the lab's directory, beside the certificate that is served."""
SERVED = "certificate.pem"


def _needs_balancers(lab: LabCommands) -> str | None:
    """Why a lab without a pair cannot move an address."""
    return "balancer 'none': there is no address to move" if lab.balancer == "none" else None


def _needs_certificate(lab: LabCommands) -> str | None:
    """Why a lab that serves no certificate cannot renew one."""
    return None if lab.mode == "https" else f"mode {lab.mode!r}: no certificate is served; add --mode https"


def _move(lab: LabCommands) -> Commands:
    def write(number: int) -> tuple[str, ...]:
        return lab.on(MASTER, "sh", "-c", f"echo {number} > {lab.master_file(MOVE_FILE)}")

    return Commands(
        kill=write(1),
        heal=write(0),
        verify_down=lab.on(BACKUP, "sh", "-c", f"ip -o -4 address show | grep -qF ' {lab.address}/'"),
    )


def _swap_certificate(lab: LabCommands) -> Commands:
    def serve(name: str) -> tuple[str, ...]:
        """In one step: a reload must not read half a file."""
        replaced = f"cp {name} {SERVED}.new && mv {SERVED}.new {SERVED}"
        return ("sh", "-c", f'cd "$0" && {replaced} && exec "$@"', lab.directory, *lab.reload())

    return Commands(serve(RENEWED), serve(FIRST), _shows_renewed(lab))


def _commit_certificate(lab: LabCommands) -> Commands:
    def commit(name: str) -> tuple[str, ...]:
        return lab.runtime("--certificate", f"{lab.directory}/{SERVED}={lab.directory}/{name}")

    return Commands(commit(RENEWED), commit(FIRST), _shows_renewed(lab))


def _shows_renewed(lab: LabCommands) -> tuple[str, ...]:
    """Exit with 0 if a new connection is shown the renewed certificate."""
    return (*lab.script("served_certificate.py"), lab.address, "443", f"{lab.directory}/{RENEWED}")


def _reload_keepalived(lab: LabCommands) -> Commands:
    def reload(sign: str) -> tuple[str, ...]:
        """With a priority that is one higher, or lower."""
        raised = f"""awk '$1 == "priority" {{ sub($2, $2 {sign} 1) }} 1' "$0" > "$0.new" && mv "$0.new" "$0\""""
        config = lab.master_file("keepalived.conf")
        return ("sh", "-c", f'{raised} && exec "$@"', config, *lab.service(MASTER, "keepalived", "reload"))

    note = lab.master_file("priority-before-reload")
    listen = lab.script("vrrp_priority.py")
    return Commands(
        kill=lab.on(BACKUP, *listen, "--note", note, *reload("+")),
        heal=reload("-"),
        verify_down=lab.on(BACKUP, *listen, "--other", note),
    )


CHANGES = (
    Mechanism(
        name="priority-move",
        summary="the address is moved to the backup on purpose, and back",
        does=f"1 is written into a file that Keepalived tracks with the weight {MOVE_WEIGHT}",
        proof="the backup has the address, at two checks",
        heals="0 is written into that file",
        expectation=(
            "hardly a fresh connection is lost: the backup sees the lower priority and takes over. What is open on "
            "the old master is lost, for no balancer knows the connections of another"
        ),
        sources=("owner",),
        promises=MOVED,
        needs=(_needs_balancers,),
        commands=_move,
    ),
    Mechanism(
        name="certificate-swap",
        summary="the certificate is replaced by a renewed one, and the master's balancer reloaded",
        does="another file in the place of the certificate's, and a reload of HAProxy or Nginx",
        proof="a new connection is shown the renewed certificate, at two checks",
        heals="the first certificate is put back, with another reload",
        expectation=(
            "what a reload costs, twice: no failed request on fresh connections, which are shown the old certificate "
            "or the new one. What is open goes on with the one that it began with"
        ),
        sources=("certificate",),
        promises=RELOADED_BY_HAPROXY,
        needs=(needs_proxy, _needs_certificate),
        commands=_swap_certificate,
    ),
    Mechanism(
        name="certificate-swap-runtime",
        summary="the certificate is replaced by a renewed one by the runtime socket",
        does="`set ssl cert` and `commit ssl cert` on the master's runtime socket",
        proof="a new connection is shown the renewed certificate, at two checks",
        heals="the first certificate is committed again",
        expectation=(
            "nothing: no process is new, and no connection is closed. What is open goes on with the certificate that "
            "it began with, for as long as it lasts. The file stays as it was: the next reload reads that"
        ),
        sources=("certificate",),
        promises=ALL_KEPT,
        needs=(needs_haproxy, _needs_certificate),
        commands=_commit_certificate,
    ),
    Mechanism(
        name="keepalived-reload",
        summary="the master's Keepalived is reloaded, its priority raised by one",
        does="the number behind `priority` in keepalived.conf, and SIGHUP",
        proof="adverts on the backup's link announce another priority than before, at two checks",
        heals="the priority is lowered again, with another reload",
        expectation="nothing: the address stays where it is, and what is open with it",
        sources=("priority",),
        promises=ALL_KEPT,
        needs=(_needs_balancers,),
        commands=_reload_keepalived,
    ),
)
