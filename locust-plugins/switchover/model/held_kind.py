"""The kinds of held connections, by the names that the user knows."""

from enum import StrEnum


class HeldKind(StrEnum):
    POOLED = "pooled"
    """Kept and busy: a POST every 50 to 150 ms."""
    IDLE = "idle"
    """Kept and mostly silent: a POST after 0.5 to 6 s."""
    DOWNLOAD = "download"
    UPLOAD = "upload"
    SSE = "sse"
    """Server-sent events: a numbered event every 200 ms."""
    WEBSOCKET = "websocket"
    TCP = "tcp"
    """Lines over plain TCP, which are echoed."""
    H2 = "h2"
    """Streams of one HTTP/2 connection."""
