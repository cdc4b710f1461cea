"""The kinds of held connections. The values are the names in options and reports."""

from enum import StrEnum


class HeldKind(StrEnum):
    POOLED = "pooled"
    """A busy keep-alive connection: a POST after each pause of 50 to 150 ms."""
    IDLE = "idle"
    """A mostly idle keep-alive connection: a POST after each pause of 0.5 to 6 s."""
    DOWNLOAD = "download"
    UPLOAD = "upload"
    SSE = "sse"
    """Server-sent events: a numbered event every 200 ms."""
    WEBSOCKET = "websocket"
    TCP = "tcp"
    """Lines over plain TCP, which the server echoes."""
    H2 = "h2"
