"""Promises that several changes make: what happens to each kind of connection that is open."""

from collections.abc import Mapping

from switchover.model.held_kind import HeldKind

MAY_CROSS = "may be lost where a request crosses the close of its connection"

ALL_KEPT: Mapping[HeldKind, str] = dict.fromkeys(HeldKind, "kept")
MOVED: Mapping[HeldKind, str] = dict.fromkeys(
    HeldKind, "lost: the other balancer does not know it, and resets or ignores it"
)
RELOADED_BY_HAPROXY: Mapping[HeldKind, str] = {
    HeldKind.POOLED: f"{MAY_CROSS}; kept with option idle-close-on-response",
    HeldKind.IDLE: f"{MAY_CROSS}; kept with option idle-close-on-response",
    HeldKind.H2: "kept: GOAWAY, and its streams end",
    **dict.fromkeys(
        (HeldKind.DOWNLOAD, HeldKind.UPLOAD, HeldKind.SSE, HeldKind.WEBSOCKET, HeldKind.TCP),
        "kept by the old process, or cut after hard-stop-after (worker_shutdown_timeout)",
    ),
}
