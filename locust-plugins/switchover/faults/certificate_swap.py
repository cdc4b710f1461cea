"""A renewed certificate: its file is replaced, the balancer is reloaded, and so back again."""

from switchover.faults.change import RELOADED_BY_HAPROXY, PlannedChange
from switchover.faults.fault import MASTER, SERVED_CERTIFICATE, LabCommands, needs_proxy
from switchover.target.model import FaultRecipe

FIRST, RENEWED = "certificate-first.pem", "certificate-renewed.pem"
"""In the lab's directory, beside the one that is served."""
SERVED = "certificate.pem"


def needs_certificate(lab: LabCommands) -> str | None:
    """Why a lab that serves no certificate cannot renew one."""
    return None if lab.mode == "https" else f"mode {lab.mode!r}: no certificate is served; add --mode https"


class CertificateSwap(PlannedChange):
    name = "certificate-swap"
    summary = "the certificate is replaced by a renewed one, and the master's balancer reloaded"
    mechanism = "another file in the place of the certificate's, and a reload of HAProxy or Nginx"
    proof = "a new connection is shown the renewed certificate, seen twice"
    heals = "the first certificate is put back, with another reload"
    witnesses = ("certificate",)
    expectation = (
        "what a reload costs, twice: no failed request on fresh connections, which are shown the old certificate or "
        "the new one. What is open goes on with the one that it began with"
    )
    promises = RELOADED_BY_HAPROXY
    needs = (needs_proxy, needs_certificate)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        return self.recipe_of(
            lab,
            kill=_serve(lab, RENEWED),
            heal=_serve(lab, FIRST),
            verify_down=shows(lab, RENEWED),
        )


def shows(lab: LabCommands, name: str) -> tuple[str, ...]:
    """Exit status 0 when a new connection is shown that certificate."""
    return (lab.python, "-I", "-S", SERVED_CERTIFICATE, lab.address, "443", f"{lab.directory}/{name}")


def _serve(lab: LabCommands, name: str) -> tuple[str, ...]:
    """In one step: a reload must not read half a file."""
    replaced = f"cp {name} {SERVED}.new && mv {SERVED}.new {SERVED}"
    reload = lab.service(MASTER, "balancer", "reload")
    return ("sh", "-c", f'cd "$0" && {replaced} && exec "$@"', lab.directory, *reload)
