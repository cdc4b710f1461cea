"""One run at a time per target: a lock on this machine for each of its nodes.

The locks of a user are files in a directory of mode 0700; a process holds one as long as it lives, and the watchdog
of a run that was killed holds it on until the fault is healed. Other machines and users are kept out by the target
file's `claim` command.
"""

import fcntl
import hashlib
import json
import os
import stat
import tempfile
from pathlib import Path

from switchover.model.errors import FaultError
from switchover.target.model import Target


class TargetLock:
    """`with TargetLock(target, run) as lock:` holds the nodes; FaultError where another run does."""

    def __init__(self, target: Target, run: str) -> None:
        self._names = lock_names(target)
        self._base = target.lab or lock_directory()
        self._run = run
        self.descriptors: list[int] = []

    def __enter__(self) -> "TargetLock":
        try:
            if self._names:
                _require_private(self._base)
            for name, node in self._names.items():
                self._take(node, self._base / name)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go; a watchdog that has inherited the locks holds them on."""
        while self.descriptors:
            os.close(self.descriptors.pop())

    def _take(self, node: str, path: Path) -> None:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise FaultError(f"{node} cannot be locked for this run: {path}: {error.strerror}") from error
        self.descriptors.append(descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FaultError(f"{node} is in use: {_read_holder(descriptor)}; wait until it has ended") from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "run": self._run}).encode(), 0)


def lock_directory() -> Path:
    """Of this user: `$XDG_RUNTIME_DIR/switchover-locks`, or `<temporary directory>/switchover-locks-<uid>`."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime and os.access(runtime, os.W_OK | os.X_OK):
        return Path(runtime) / "switchover-locks"
    return Path(tempfile.gettempdir()) / f"switchover-locks-{os.getuid()}"


def lock_names(target: Target) -> dict[str, str]:
    """By lock file the name of a balancer: one file for all that mean the same host, in every target file."""
    names = {}
    for node in target.balancers or target.nodes:
        host = (node.host or node.name).lower()
        names[f"node-{hashlib.sha256(host.encode()).hexdigest()[:24]}.lock"] = node.name
    return dict(sorted(names.items()))


def _require_private(base: Path) -> None:
    try:
        base.mkdir(mode=0o700, exist_ok=True)
        found = base.lstat()
    except OSError as error:
        raise FaultError(f"cannot make the directory of locks {base}: {error.strerror}") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise FaultError(
            f"{base} must be a directory of this user with mode 0700: remove it, or set TMPDIR elsewhere"
        )


def _read_holder(descriptor: int) -> str:
    try:
        holder = json.loads(os.pread(descriptor, 4096, 0))
        return f"process {int(holder['pid'])} has it for run {holder['run']}"
    except (OSError, ValueError, TypeError, KeyError):
        return "another process has it"
