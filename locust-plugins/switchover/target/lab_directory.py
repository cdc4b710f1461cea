"""The files in the directory of a running lab. The lab's target file contains the path of the directory."""

import fcntl
import json
import os
import re
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

CONFIG_SUFFIXES = (".cfg", ".conf", ".yml", ".yaml", ".sh")
STATE_FILE = "lab.json"
TARGET_FILE = "target.toml"
KEEPALIVED_FILE = "keepalived.conf"
LOCK_FILE = "lock"
"""The lock file, which the lab's process holds until it ends."""


@dataclass(frozen=True, slots=True)
class LabDirectory:
    path: Path

    def host(self, name: str) -> Path:
        return self.path / name

    def socket(self, host: str) -> Path:
        return self.path / host / "exec.sock"

    def log(self, host: str, service: str) -> Path:
        return self.path / host / f"{service}.log"

    def runtime_socket(self, node: str) -> Path:
        return self.path / node / "haproxy.sock"

    def notify_fifo(self, node: str) -> Path:
        return self.path / node / "notify.fifo"

    def access_log(self, backend: str) -> Path:
        return self.path / backend / "access.log"

    @property
    def shipper_socket(self) -> Path:
        """Return the socket of the process that streams points out of the lab."""
        return self.path / "follow.sock"

    @property
    def target(self) -> Path:
        return self.path / TARGET_FILE

    @property
    def state(self) -> Path:
        return self.path / STATE_FILE

    def versions(self) -> dict[str, str]:
        """Return the version of each program of the balancers; the key is the program's name. Empty: the versions
        cannot be read."""
        try:
            versions = json.loads(self.state.read_bytes())["versions"]
            return {str(name): str(version) for name, version in versions.items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return {}

    def is_ours(self, target_file: Path) -> bool:
        """Return True if the lab runs, belongs to this user, and wrote this target file."""
        try:
            is_own_file = target_file.resolve(strict=True) == self.target.resolve(strict=True)
        except (OSError, RuntimeError):
            return False
        return is_own_file and is_own(self.path, stat.S_ISDIR) and is_held(self.path)

    def copy_config(self, destination: Path) -> None:
        """Copy the target file, and the generated configurations with one folder for each host."""
        configs = [path for path in sorted(self.path.glob("*/*")) if path.suffix in CONFIG_SUFFIXES]
        for path in (*configs, self.target):
            copy = destination / path.relative_to(self.path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            if path.name == KEEPALIVED_FILE:
                copy.write_text(without_passwords(copy.read_text(encoding="utf-8")), encoding="utf-8")


def is_own(path: Path, is_kind: Callable[[int], bool]) -> bool:
    """Return True if the path has this file type and belongs to this user. A folder must also be closed to other
    users."""
    try:
        status = path.lstat()
    except OSError:
        return False
    is_closed = not stat.S_ISDIR(status.st_mode) or not status.st_mode & 0o077
    return is_kind(status.st_mode) and status.st_uid == os.getuid() and is_closed


def is_held(path: Path) -> bool:
    """Return True if a process holds the lock of a lab's directory."""
    try:
        lock = os.open(path / LOCK_FILE, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


_PASSWORD = re.compile(
    r"(?m)((?:^|[ \t{}#!])(?:auth_pass|auth_key|smtp_password|password|notify_password)[ \t]+)"
    r'(?:"(?:\\.|[^"\\\n])*"|\$\{[^{}\n]*\}|[^{}\n])*?(?=[ \t]*(?:[{}\n]|\Z))'
)
"""Matches a password in keepalived.conf, up to the end of its line or block."""
_CREDENTIAL = re.compile(
    r"(?i)([\w-]*(?:token|passw(?:or)?d|pwd|secret|api_?key)[= ]|authorization: *(?:(?:basic|bearer) +)?"
    r"|\s(?:-u|--user|--proxy-user)[ =][^\s:]+:|://[^/\s:@]*:(?=[^/\s]*@))[^\s\"'@&]+"
)
"""Matches a credential of a check or notify script: a password, or a token in a header, an option or a URL."""
_USED_NAME = re.compile(r"\$\{?([A-Za-z0-9_]+)")


def without_passwords(keepalived_conf: str) -> str:
    """Return a `keepalived.conf` in which `***` replaces all passwords, including passwords in definitions
    `$NAME=…`."""
    names = {name for password in _PASSWORD.finditer(keepalived_conf) for name in _USED_NAME.findall(password[0])}
    shown = _CREDENTIAL.sub(r"\1***", _PASSWORD.sub(r"\1***", keepalived_conf))
    hidden: set[str] = set()
    while names - hidden:
        name = min(names - hidden)
        hidden.add(name)
        defined = re.compile(rf"(?m)^([ \t]*\${name}[ \t]*=).*$")
        names.update(used for value in defined.finditer(shown) for used in _USED_NAME.findall(value[0]))
        shown = defined.sub(r"\1***", shown)
    return shown
