"""A change: what operators do every day and what should cost nothing. It is a fault that promises to lose nothing."""

from collections.abc import Mapping
from typing import ClassVar

from switchover.faults.fault import Fault, LabCommands
from switchover.faults.prediction import Prediction, nothing
from switchover.model.patient_kind import PatientKind
from switchover.model.vrrp import KeepalivedSettings

KEPT = "kept"
KEPT_BY_OLD = "kept: the old process stays as long as it lasts"
CUT_BY_HARD_STOP = "kept by the old process, or cut after hard-stop-after (worker_shutdown_timeout)"
MAY_CROSS = "may be lost where a request crosses the close of its connection"

RELOADED_BY_HAPROXY: Mapping[PatientKind, str] = {
    PatientKind.POOLED: f"{MAY_CROSS}; kept with option idle-close-on-response",
    PatientKind.IDLE: f"{MAY_CROSS}; kept with option idle-close-on-response",
    PatientKind.H2: "kept: GOAWAY, and its streams end",
    **dict.fromkeys(
        (PatientKind.DOWNLOAD, PatientKind.UPLOAD, PatientKind.SSE, PatientKind.WEBSOCKET, PatientKind.TCP),
        CUT_BY_HARD_STOP,
    ),
}
RELOADED_BY_NGINX: Mapping[PatientKind, str] = {
    **RELOADED_BY_HAPROXY,
    PatientKind.POOLED: MAY_CROSS,
    PatientKind.IDLE: MAY_CROSS,
}
MOVED: Mapping[PatientKind, str] = dict.fromkeys(
    PatientKind, "lost: the other balancer does not know it, and resets or ignores it"
)
ALL_KEPT: Mapping[PatientKind, str] = dict.fromkeys(PatientKind, KEPT)


class PlannedChange(Fault):
    """A fault of the catalogue that is only made as a change."""

    promises: ClassVar[Mapping[PatientKind, str]]

    def predict(self, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        return nothing("a change is to cost nothing")

    def failback(self, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        return nothing("taking a change back is to cost nothing")


def needs_nginx(lab: LabCommands) -> str | None:
    """Why a lab without Nginx as its balancer cannot do it."""
    return None if lab.balancer == "nginx" else f"balancer {lab.balancer!r}: it is no Nginx"


def needs_nginx_backends(lab: LabCommands) -> str | None:
    """Why a lab whose web servers are no Nginx cannot do it."""
    return None if lab.backend_kind == "nginx" else f"backends of kind {lab.backend_kind!r}: they are no Nginx"


def needs_balancers(lab: LabCommands) -> str | None:
    """Why a lab without a pair cannot move an address."""
    return "balancer 'none': there is no address to move" if lab.balancer == "none" else None
