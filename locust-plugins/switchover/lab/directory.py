"""The lab's directory: sockets, configs, logs. Short, because a Unix socket's path ends at 107 bytes.

A running lab holds an exclusive lock on the file `lock` in it; a directory whose lock is free is a leftover.
"""

import fcntl
import json
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from switchover.model.errors import LabError
from switchover.target.lab_directory import LOCK_FILE, STATE_FILE, LabDirectory, is_held

SOCKET_PATH_LIMIT = 107
LONGEST_INSIDE = len("/client/haproxy.sock.12345.tmp")
"""HAProxy binds a temporary name beside its socket first."""


@dataclass(frozen=True, slots=True)
class RunningLab:
    """A lab that some process holds, as its state file tells."""

    directory: LabDirectory
    state: dict[str, Any]

    @property
    def identifier(self) -> str:
        return self.directory.path.name


def base_directory() -> Path:
    """Where this user's labs are: `$XDG_RUNTIME_DIR/switchover`, or `<temporary directory>/switchover-<uid>`."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime and os.access(runtime, os.W_OK | os.X_OK):
        return Path(runtime) / "switchover"
    return Path(tempfile.gettempdir()) / f"switchover-{os.getuid()}"


def create_directory(base: Path) -> tuple[LabDirectory, int]:
    """A new directory and the descriptor that holds its lock; leftovers of dead labs are removed first."""
    _own(base)
    identifier = secrets.token_hex(3)
    if len(os.fsencode(base)) + 1 + len(identifier) + LONGEST_INSIDE > SOCKET_PATH_LIMIT:
        raise LabError(
            f"{base} is too long a path for Unix sockets: set TMPDIR (or XDG_RUNTIME_DIR) to a shorter one"
        )
    with _locked(base / ".lock"):
        sweep(base)
        path = base / identifier
        path.mkdir(mode=0o700)
        lock = os.open(path / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
    return LabDirectory(path), lock


def sweep(base: Path) -> None:
    """Remove the directories that no process holds."""
    for path in base.iterdir():
        if path.is_dir() and not path.is_symlink() and not is_held(path):
            shutil.rmtree(path, ignore_errors=True)


def running_labs(base: Path) -> list[RunningLab]:
    """The labs of this user that run, the newest last."""
    found = []
    for path in base.iterdir() if base.is_dir() else ():
        state = _state(path) if path.is_dir() and is_held(path) else None
        if state is not None:
            found.append(RunningLab(LabDirectory(path), state))
    return sorted(found, key=lambda lab: float(lab.state.get("started", 0)))


def find_lab(name: str | None) -> RunningLab:
    """The lab of that id or directory; the newest one when no name is given."""
    if name is not None and "/" in name:
        path = Path(name)
        state = _state(path) if is_held(path) else None
        if state is None:
            raise LabError(f"no lab runs in {path}")
        return RunningLab(LabDirectory(path.resolve()), state)
    labs = running_labs(base_directory())
    if name is not None:
        labs, known = [lab for lab in labs if lab.identifier == name], labs
        if not labs:
            running = ", ".join(lab.identifier for lab in known) or "none"
            raise LabError(f"no lab {name!r} runs; running: {running}")
    if not labs:
        raise LabError("no lab runs: start one with 'switchover lab up'")
    return labs[-1]


def _state(path: Path) -> dict[str, Any] | None:
    with suppress(OSError, ValueError):
        state = json.loads((path / STATE_FILE).read_text(encoding="utf-8"))
        return state if isinstance(state, dict) else None
    return None


def _own(base: Path) -> None:
    """The base must be this user's and closed to others: it holds sockets that run commands."""
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = base.lstat()
    except OSError as error:
        raise LabError(f"cannot make the lab's directory {base}: {error.strerror}") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise LabError(f"{base} must be a directory of this user with mode 0700: remove it, or set TMPDIR elsewhere")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
