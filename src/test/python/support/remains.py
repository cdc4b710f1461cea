"""What may not be left behind: processes, by pid, or by the folder that stands in their environment or arguments."""

import gc
import os
from pathlib import Path


def marked(folder: Path) -> set[int]:
    """The processes that were started with this folder in their environment or their arguments."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                text = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if os.fsencode(folder) in text:
                found.add(int(entry.name))
    return found


def open_descriptors() -> set[tuple[str, str]]:
    """Those of this process, each with what it leads to. What an earlier test has left to the garbage collector is
    closed first, since it may be at any moment."""
    gc.collect()
    found = set()
    for descriptor in list(Path("/proc/self/fd").iterdir()):
        try:
            found.add((descriptor.name, str(descriptor.readlink())))
        except OSError:  # that of the listing itself
            continue
    return found


def lives(pid: int) -> bool:
    """A process that has ended, but whom nobody has asked how, does not live."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
