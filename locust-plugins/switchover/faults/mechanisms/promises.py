"""Promises that several changes make: what happens to each kind of connection that is open."""

from collections.abc import Mapping

from switchover.model.patient_kind import PatientKind

MAY_CROSS = "may be lost where a request crosses the close of its connection"

ALL_KEPT: Mapping[PatientKind, str] = dict.fromkeys(PatientKind, "kept")
MOVED: Mapping[PatientKind, str] = dict.fromkeys(
    PatientKind, "lost: the other balancer does not know it, and resets or ignores it"
)
RELOADED_BY_HAPROXY: Mapping[PatientKind, str] = {
    PatientKind.POOLED: f"{MAY_CROSS}; kept with option idle-close-on-response",
    PatientKind.IDLE: f"{MAY_CROSS}; kept with option idle-close-on-response",
    PatientKind.H2: "kept: GOAWAY, and its streams end",
    **dict.fromkeys(
        (PatientKind.DOWNLOAD, PatientKind.UPLOAD, PatientKind.SSE, PatientKind.WEBSOCKET, PatientKind.TCP),
        "kept by the old process, or cut after hard-stop-after (worker_shutdown_timeout)",
    ),
}
