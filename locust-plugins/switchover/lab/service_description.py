"""How a service of a host is started, known to be ready, and read."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class ServiceDescription:
    """How a service is started and known. Made outside, read by the host's agent as JSON."""

    name: str
    argv: tuple[str, ...]
    log: str
    alias: str = ""
    """What it is for: `balancer` or `backend`; empty for Keepalived."""
    listens: tuple[int, ...] = ()
    """It is ready when it listens on these TCP ports,"""
    says: str = ""
    """or when its log says this,"""
    says_reloaded: str = ""
    """Its log says this when a reload is done; else new processes tell."""
    runtime_socket: str = ""
    """or when HAProxy's runtime socket answers with the new process's pid; reloads hand the listeners over on it."""
    reload_command: tuple[str, ...] | None = None
    """What reloads it, where no signal does; empty: nothing does."""
    restart_option: str = ""
    """At a reload a new process takes the listeners over from the one before, and is told by this the how many-th
    it is."""
    hands_listeners_over: bool = True
    """At a reload the new process asks the old one for its listening sockets."""
    daemonizes: bool = False
    """It goes to the background, and its first pid file names it: Nginx upgrades its binary only where the process
    that started it has ended."""
    pid_files: tuple[str, ...] = ()
    supervised: bool = False

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "ServiceDescription":
        lists = {key: tuple(value) for key, value in values.items() if isinstance(value, list)}
        return cls(**{**values, **lists})


def last_line(log: Path) -> str:
    """The last line of a log that says anything."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    return next((line.strip() for line in reversed(lines) if line.strip()), "its log is empty")
