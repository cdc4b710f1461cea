"""A change: what operators do every day and what should cost nothing. It is a fault that promises to lose nothing."""

from collections.abc import Mapping
from typing import ClassVar

from switchover.faults.fault import Fault, LabCommands, LabNeed
from switchover.faults.prediction import Prediction, nothing
from switchover.model.patient_kind import PatientKind
from switchover.model.vrrp import KeepalivedSettings

KEPT = "kept"
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
RELOADED_BY_CADDY: Mapping[PatientKind, str] = {
    **dict.fromkeys(PatientKind, "kept by the old server until it ends, or cut after grace_period"),
    PatientKind.POOLED: MAY_CROSS,
    PatientKind.IDLE: MAY_CROSS,
    PatientKind.WEBSOCKET: "closed at once by a close frame, unless reverse_proxy has a stream_close_delay",
}
LISTENER_CHANGED_BY_ENVOY: Mapping[PatientKind, str] = {
    **dict.fromkeys(PatientKind, "kept by the old listener, or cut after --drain-time-s"),
    PatientKind.POOLED: "kept: asked to close in an answer, before --drain-time-s is over",
}
RESTARTED_BY_ENVOY: Mapping[PatientKind, str] = dict.fromkeys(
    PatientKind, "kept by the old process, or cut after --parent-shutdown-time-s, or by the restart after the next"
)
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


def needs_balancer(name: str) -> LabNeed:
    """Why a lab whose balancer is another one than `name` cannot do it."""
    return lambda lab: None if lab.balancer == name.lower() else f"balancer {lab.balancer!r}: it is no {name}"


def needs_nginx_backends(lab: LabCommands) -> str | None:
    """Why a lab whose web servers are no Nginx cannot do it."""
    return None if lab.backend_kind == "nginx" else f"backends of kind {lab.backend_kind!r}: they are no Nginx"


def needs_balancers(lab: LabCommands) -> str | None:
    """Why a lab without a pair cannot move an address."""
    return "balancer 'none': there is no address to move" if lab.balancer == "none" else None
