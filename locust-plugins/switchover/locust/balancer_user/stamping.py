"""The kernel's stamps of what arrives, as the metronome has them."""

from switchover.metronome.arrival import Stamps

_stamps: Stamps | None = None


def stamps() -> Stamps | None:
    """Those of this process, made for its first connection, after Locust's forks; None where the kernel has none."""
    global _stamps
    if _stamps is None and Stamps.available():
        _stamps = Stamps()
    return _stamps
