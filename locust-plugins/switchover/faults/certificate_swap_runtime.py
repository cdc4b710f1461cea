"""A renewed certificate by HAProxy's runtime socket: `set ssl cert` and `commit ssl cert`, and no reload."""

from switchover.faults.certificate_swap import FIRST, RENEWED, SERVED, needs_certificate, shows
from switchover.faults.change import ALL_KEPT, PlannedChange
from switchover.faults.fault import MASTER, LabCommands, needs_haproxy
from switchover.target.model import FaultRecipe


class CertificateSwapRuntime(PlannedChange):
    name = "certificate-swap-runtime"
    summary = "the certificate is replaced by a renewed one by the runtime socket"
    mechanism = "`set ssl cert` and `commit ssl cert` on the master's runtime socket"
    proof = "a new connection is shown the renewed certificate, seen twice"
    heals = "the first certificate is committed again"
    witnesses = ("certificate",)
    expectation = (
        "nothing: no process is new, and no connection is closed. What is open goes on with the certificate that it "
        "began with, for as long as it lasts. The file stays as it was: the next reload reads that"
    )
    promises = ALL_KEPT
    needs = (needs_haproxy, needs_certificate)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        served = f"{lab.directory}/{SERVED}"
        return self.recipe_of(
            lab,
            kill=lab.runtime(MASTER, "--certificate", f"{served}={lab.directory}/{RENEWED}"),
            heal=lab.runtime(MASTER, "--certificate", f"{served}={lab.directory}/{FIRST}"),
            verify_down=shows(lab, RENEWED),
        )
