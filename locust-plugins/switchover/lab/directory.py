"""The lab's directory, with sockets, configurations and logs.

The path of the directory must be short, because the path of a Unix socket has at most 107 bytes. A running lab holds
an exclusive lock on the file `lock` in its directory. If the lock is free, the lab has ended.

A process that can reach the sockets can run commands. So a directory is used only under two conditions. The
directory, its lock file and its state file belong to this user, and no other user can access them. A process of this
user holds the lock.
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
"""The longest file name in the directory. HAProxy first binds its socket with a temporary name."""


@dataclass(frozen=True, slots=True)
class RunningLab:
    """A running lab of this user. `holder`: the process that holds the lab's lock."""

    directory: LabDirectory
    state: dict[str, Any]
    holder: int

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
    """Make a directory, and return it and the descriptor of its lock. Remove the directories of ended labs first."""
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise LabError(f"cannot make the lab's directory {base}: {error.strerror}") from error
    _require_own(base)
    identifier = secrets.token_hex(3)
    if len(os.fsencode(base)) + 1 + len(identifier) + LONGEST_INSIDE > SOCKET_PATH_LIMIT:
        raise LabError(
            f"{base} is too long a path for Unix sockets: set TMPDIR (or XDG_RUNTIME_DIR) to a shorter path"
        )
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
    """Return this user's running labs, the newest last. Raises LabError if another user may have made `base`."""
    if not os.path.lexists(base):
        return []
    _require_own(base)
    labs = [lab for path in base.iterdir() if is_own(path, stat.S_ISDIR) and (lab := _running(path)) is not None]
    return sorted(labs, key=lambda lab: float(lab.state.get("started", 0)))


def find_lab(name: str | None) -> RunningLab:
    """Return the lab with the given id. If the id is None, return the newest lab."""
    labs = running_labs(base_directory())
    chosen = [lab for lab in labs if name in (None, lab.identifier)]
    if chosen:
        return chosen[-1]
    if name is None:
        raise LabError("no lab runs: start one with 'switchover lab up'")
    raise LabError(f"no lab {name!r} runs; running: {', '.join(lab.identifier for lab in labs) or 'none'}")


def holds_lock(pid: int, lab: Path) -> bool:
    """Return whether the process belongs to this user and holds the lab's lock (`lock:` in proc_pid_fdinfo(5))."""
    process = Path(f"/proc/{pid}")
    with suppress(OSError):
        lock = (lab / LOCK_FILE).stat()
        for descriptor in (process / "fd").iterdir() if process.stat().st_uid == os.geteuid() else ():
            with suppress(OSError):
                if os.path.samestat(descriptor.stat(), lock):
                    return "\nlock:" in (process / "fdinfo" / descriptor.name).read_text(encoding="ascii")
    return False


def _running(path: Path) -> RunningLab | None:
    """Return the lab of a directory. None: no lab runs, or the recorded process does not hold the lock."""
    if not all(is_own(path / name, stat.S_ISREG) for name in (LOCK_FILE, STATE_FILE)):
        return None
    with suppress(OSError, ValueError):
        state = json.loads((path / STATE_FILE).read_text(encoding="utf-8"))
        pid = state.get("pid") if isinstance(state, dict) else None
        if isinstance(pid, int) and holds_lock(pid, path):
            return RunningLab(LabDirectory(path), state, pid)
    return None


def _require_own(path: Path) -> None:
    """Raise LabError unless only this user can enter the directory, because its sockets run commands."""
    if not is_own(path, stat.S_ISDIR):
        raise LabError(f"{path} must be a directory of this user with mode 0700: remove it, or set TMPDIR elsewhere")
