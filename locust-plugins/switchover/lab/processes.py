"""What /proc says about the processes of this pid namespace."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """A line of /proc/PID/stat (proc(5)), as far as it is needed."""

    pid: int
    state: str
    parent: int
    session: int

    @property
    def stopped(self) -> bool:
        return self.state in "Tt"


def processes() -> list[Process]:
    """All living processes; zombies are not."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                text = (entry / "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue  # it ended between the listing and the reading
            fields = text.rpartition(")")[2].split()
            if fields and fields[0] not in "ZX":
                found.append(Process(int(entry.name), fields[0], int(fields[1]), int(fields[3])))
    return found


def family(sessions: Iterable[int], running: Iterable[Process]) -> list[Process]:
    """The processes of these sessions and all their descendants, also those that made a session of their own."""
    wanted, rest = set(sessions), list(running)
    members: dict[int, Process] = {}
    grown = True
    while grown:
        grown = False
        for process in rest:
            if process.pid not in members and (process.session in wanted or process.parent in members):
                members[process.pid] = process
                grown = True
    return list(members.values())


def listening_ports() -> set[int]:
    """The TCP ports that something listens on in this network namespace, read without connecting to any. Go's
    servers listen to all addresses by one socket of IPv6."""
    ports = set()
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        lines = table.read_text(encoding="ascii").splitlines() if table.exists() else []
        for fields in map(str.split, lines[1:]):
            if fields[3] == "0A":
                ports.add(int(fields[1].rpartition(":")[2], 16))
    return ports
