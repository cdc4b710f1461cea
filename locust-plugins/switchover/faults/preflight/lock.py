"""Locks on this machine that allow one run at a time for each balancer: files in a folder that all users share. The
watchdog of a killed run holds the locks until the heal. The `claim` command locks out other machines."""

import fcntl
import hashlib
import ipaddress
import json
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from switchover.http.address import known_addresses
from switchover.model.errors import FaultError, TelemetryError
from switchover.process.command import COMMAND_TIMEOUT_S
from switchover.target.model import Node, Target
from switchover.target.telemetry_sources import Command
from switchover.telemetry.balancers import read_haproxy
from switchover.telemetry.fetch import fetch_text
from switchover.telemetry.haproxy import Snapshot

MACHINE_ID_BYTES = 4096
RESOLVE_S = 2.0
"""The time limit, in seconds, for resolving a host name. After this time, the name itself is the only lock key of the
host."""
FOLDERS = (Path("/run/lock"), Path("/dev/shm"), Path("/tmp"))
"""The possible folders of the lock files. The first folder that every user may write to is used. /tmp is the last
folder, because /tmp may be private to a service."""
EVERYBODYS = stat.S_ISVTX | stat.S_IWOTH | stat.S_IXOTH
LOOKS, LOOK_S = 50, 0.02
"""The number of attempts to open a lock file that another run is creating, and the seconds between two attempts."""
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""Flags that refuse symbolic links and do not block on a FIFO."""
_THIS_MACHINE = ipaddress.IPv4Address("127.0.0.1")


def find_keys(node: Node, snapshot: Snapshot | None) -> tuple[str, ...]:
    """Return the lock keys of a node: its addresses, its machine id and its HAProxy process. `snapshot`: the answer
    of the node's HAProxy. Raises FaultError if the node does not print its machine id."""
    host = node.host or node.name
    addresses = known_addresses(_spelled(host), RESOLVE_S)
    try:
        own = () if node.machine_id is None else (f"machine:{read_machine_id(node.machine_id)}",)
    except TelemetryError as error:
        raise FaultError(
            f"{node.name} cannot be locked for this run, because the command machine_id failed: {error}"
        ) from error
    return (*node_keys(host, addresses), *own, *process_keys(snapshot))


def process_keys(snapshot: Snapshot | None) -> tuple[str, ...]:
    """Return the lock key of the HAProxy process that answers. A fault on one node does not change the key of the
    other node."""
    if snapshot is None or "Pid" not in snapshot.info:
        return ()
    info = snapshot.info
    return (f"haproxy:{snapshot.node.lower()}:{info['Pid']}:{info.get('Start_time_sec', '')}",)


def read_machine_id(command: Command) -> str:
    """Return the machine id that a command prints. Raises TelemetryError if the command prints nothing."""
    printed = fetch_text(command, COMMAND_TIMEOUT_S, MACHINE_ID_BYTES)
    if not printed.strip():
        raise TelemetryError(f"`{command}` printed nothing")
    return printed.strip().lower()


def node_keys(host: str, addresses: Sequence[str]) -> tuple[str, ...]:
    """Return the lock keys of a host: its addresses, and its name, because the name may not resolve."""
    return (f"name:{_spelled(host)}", *dict.fromkeys(f"address:{_packed(address)}" for address in addresses))


def lock_file(key: str) -> str:
    return f"switchover-{hashlib.sha256(key.encode()).hexdigest()[:24]}.lock"


def _spelled(host: str) -> str:
    return host.strip().lower().removesuffix(".").removeprefix("[").removesuffix("]")


def _packed(text: str) -> str:
    """Return an address in hexadecimal digits. For all loopback and unspecified addresses, return 127.0.0.1."""
    address: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return (_THIS_MACHINE if address.is_loopback or address.is_unspecified else address).packed.hex()


@contextmanager
def lock_target(target: Target, run: str) -> Iterator[list[int]]:
    """Lock the nodes, and yield the descriptors of the lock files, for the watchdog. Raises FaultError if another run
    has a lock."""
    descriptors: list[int] = []
    try:
        for path, node in lock_files(target).items():
            descriptors.append(_lock(path, node, run))
        yield descriptors
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def lock_files(target: Target) -> dict[Path, str]:
    """Return the lock files of a target, and their balancers, in the order of locking."""
    nodes = target.balancers or target.nodes
    if not nodes:
        return {}
    folder = target.lab or lock_folder()
    names = {
        lock_file(key): node.name
        for node in nodes
        for key in find_keys(node, None if target.lab is not None else read_haproxy(node))
    }
    return {folder / name: names[name] for name in sorted(names)}


def lock_folder() -> Path:
    """Return the folder of the lock files, which is the same for every user."""
    for folder in FOLDERS:
        with suppress(OSError):
            mode = folder.stat().st_mode
            if stat.S_ISDIR(mode) and mode & EVERYBODYS == EVERYBODYS:
                return folder
    raise FaultError(
        "one run at a time cannot be ensured: none of "
        f"{', '.join(map(str, FOLDERS))} is a folder that all users may write to (mode 1777)"
    )


def _lock(path: Path, node: str, run: str) -> int:
    reason = "this user may not open it"
    try:
        for _ in range(LOOKS):
            descriptor = _open(path)
            if descriptor is not None and _hold(descriptor, path, node):
                with suppress(OSError):  # The text is only for messages. The disk may be full.
                    os.ftruncate(descriptor, 0)
                    os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "run": run}).encode(), 0)
                return descriptor
            time.sleep(LOOK_S)
    except OSError as error:
        reason = error.strerror or str(error)
    raise FaultError(
        f"{node} cannot be locked for this run: {path} must be a plain file with one name and mode 0666 ({reason}): "
        "remove this file"
    )


def _hold(descriptor: int, path: Path, node: str) -> bool:
    """Lock the open file. If the file was removed, close the file and return False."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(path.lstat(), os.fstat(descriptor)):
            return True
    except BlockingIOError as error:
        holder = _read_holder(descriptor)
        os.close(descriptor)
        raise FaultError(f"{node} is in use: {holder}; wait until this process has ended") from error
    except FileNotFoundError:
        pass
    os.close(descriptor)
    return False


def _open(path: Path) -> int | None:
    """Open or create the lock file. None: another run is creating the file, or this user may not open the file.

    Raises OSError for a link or a FIFO, which another user may have made. O_CREAT is not used for an existing file,
    because Linux refuses O_CREAT for another user's file in a sticky folder.
    """
    for access in (os.O_RDWR, os.O_RDONLY, os.O_RDWR | os.O_CREAT | os.O_EXCL):
        with suppress(PermissionError, FileNotFoundError, FileExistsError):
            descriptor = os.open(path, access | _FLAGS, 0o666)
            if access & os.O_CREAT:
                os.fchmod(descriptor, 0o666)  # The file is for all users with any umask.
            opened = os.fstat(descriptor)
            if stat.S_ISREG(opened.st_mode) and opened.st_nlink == 1:
                return descriptor
            os.close(descriptor)
            raise OSError(0, "it is not a regular file, or it has several hard links")
    return None


def _read_holder(descriptor: int) -> str:
    """Describe the holder of a lock. The text of the lock file may be invalid, because any user can write the
    file."""
    try:
        holder = json.loads(os.pread(descriptor, 4096, 0))
        run = "".join(c for c in str(holder["run"])[:128] if c.isprintable())
        return f"process {int(holder['pid'])} holds the lock for run {run}"
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return "another process holds the lock"
