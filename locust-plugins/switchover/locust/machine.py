"""Whether two processes share their clock."""

import platform
import uuid
from pathlib import Path

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
TIME_NAMESPACE = Path("/proc/self/ns/time")


def clock_domain() -> str:
    """Processes with the same one read the same monotonic clock: one boot of one machine, one time namespace."""
    try:
        boot = BOOT_ID.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        # Elsewhere than on Linux there are no time namespaces; a machine is told by its network card.
        return f"{platform.node()}/{uuid.getnode():x}"
    try:
        namespace = str(TIME_NAMESPACE.readlink())
    except OSError:
        namespace = "time:[first]"
    return f"{boot}/{namespace}"
