"""`fetch` with the patience of tests: a busy machine answers late."""

from switchover.target.telemetry_sources import Source
from switchover.telemetry import fetch as fetching

FOREVER_S = 30.0
"""A test that waits this long hangs; what it tests must have given up long before."""


def fetch(
    source: Source,
    request: bytes | None = None,
    timeout_s: float = FOREVER_S,
    limit_bytes: int = fetching.LIMIT_BYTES,
) -> bytes:
    return fetching.fetch(source, request, timeout_s, limit_bytes)
