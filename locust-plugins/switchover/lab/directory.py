"""The lab's directory, with sockets, configurations and logs. A running lab holds a lock on the file `lock`.

A process that can reach the sockets can run commands. Therefore the directory, the lock file and the state file must
belong to this user, and no other user may open them. Also, a process of this user must hold the lock.
"""

import fcntl
import json
import os
import secrets
import shutil
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from switchover.model.errors import LabError
from switchover.target.lab_directory import LOCK_FILE, STATE_FILE, LabDirectory, is_held, is_own

SOCKET_PATH_LIMIT = 107
LONGEST_INSIDE = len("/client/haproxy.sock.12345.tmp")
"""The length of the longest path inside the directory: the temporary name with which HAProxy first binds its
socket."""


@dataclass(frozen=True, slots=True)
class RunningLab:
    """A running lab of this user. The process with the `pid` in `state` holds the lab's lock."""

    directory: LabDirectory
    state: dict[str, Any]

    @property
    def identifier(self) -> str:
        return self.directory.path.name


def base_directory() -> Path:
    """Return the folder of this user's labs: `$XDG_RUNTIME_DIR/switchover`, or `/tmp/switchover-<uid>`."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime and os.access(runtime, os.W_OK | os.X_OK):
        return Path(runtime) / "switchover"
    return Path(tempfile.gettempdir()) / f"switchover-{os.getuid()}"


def create_directory(base: Path) -> tuple[LabDirectory, int]:
    """Remove the directories of ended labs. Then make a new directory, and return this directory and the descriptor
    of its lock."""
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise LabError(f"cannot make the lab's directory {base}: {error.strerror}") from error
    _require_own(base)
    identifier = secrets.token_hex(3)
    if len(os.fsencode(base)) + 1 + len(identifier) + LONGEST_INSIDE > SOCKET_PATH_LIMIT:
        advice = "set TMPDIR (or XDG_RUNTIME_DIR) to a shorter path"
        raise LabError(f"{base} is too long a path for Unix sockets: {advice}")
    makers_lock = _lock(base / ".lock")
    try:
        for path in base.iterdir():
            if path.is_dir() and not path.is_symlink() and not is_held(path):
                shutil.rmtree(path, ignore_errors=True)
        path = base / identifier
        path.mkdir(mode=0o700)
        return LabDirectory(path), _lock(path / LOCK_FILE)
    finally:
        os.close(makers_lock)


def _lock(path: Path) -> int:
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def running_labs(base: Path) -> list[RunningLab]:
    """Return this user's running labs, the newest last. Raises LabError if another user can enter `base`."""
    if not os.path.lexists(base):
        return []
    _require_own(base)
    labs = []
    for path in base.iterdir():
        files = (path / LOCK_FILE, path / STATE_FILE)
        if is_own(path, stat.S_ISDIR) and all(is_own(file, stat.S_ISREG) for file in files):
            with suppress(OSError, ValueError, KeyError):  # this lab is starting or ending
                state = json.loads(files[1].read_text(encoding="utf-8"))
                if holds_lock(state["pid"], path):
                    labs.append(RunningLab(LabDirectory(path), state))
    return sorted(labs, key=lambda lab: float(lab.state.get("started", 0)))


def find_lab(name: str | None) -> RunningLab:
    labs = running_labs(base_directory())
    chosen = [lab for lab in labs if name in (None, lab.identifier)]
    if chosen:
        return chosen[-1]
    if name is None:
        raise LabError("no lab runs: start one with 'switchover lab up'")
    raise LabError(f"no lab {name!r} runs; running: {', '.join(lab.identifier for lab in labs) or 'none'}")


def holds_lock(pid: int, lab: Path) -> bool:
    """Return True if the process belongs to this user, and holds the lab's lock (`lock:` in proc_pid_fdinfo(5))."""
    process = Path(f"/proc/{pid}")
    with suppress(OSError):
        lock = (lab / LOCK_FILE).stat()
        for descriptor in (process / "fd").iterdir() if process.stat().st_uid == os.geteuid() else ():
            with suppress(OSError):
                if os.path.samestat(descriptor.stat(), lock):
                    return "\nlock:" in (process / "fdinfo" / descriptor.name).read_text(encoding="ascii")
    return False


def _require_own(path: Path) -> None:
    """Raise LabError unless only this user can enter the directory. A user who can reach the sockets in the directory
    can run commands."""
    if not is_own(path, stat.S_ISDIR):
        remedy = f"remove {path}, or set TMPDIR to another folder"
        raise LabError(f"{path} must be a directory of this user with mode 0700: {remedy}")
