"""Requests to the agent of a host: run a command, control a service, open a connection."""

import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from switchover.lab.exec import connect, receive_message, send_message
from switchover.model.errors import LabError

EXEC = Path(__file__).parent / "exec.py"


def service_verb(agent: Path, name: str, verb: str) -> tuple[int, str]:
    """Run a verb (such as kill, start or status) of a service, and return the exit code and the output line."""
    reply, _ = _ask(agent, {"service": name, "verb": verb})
    return int(reply["exit"]), str(reply.get("text", ""))


def exec_argv(agent: Path | str, *command: str) -> list[str]:
    """Return the command line that runs a command on the host of an agent."""
    return [sys.executable, "-I", "-S", str(EXEC), str(agent), "--", *command]


def run(agent: Path, argv: Sequence[str], text: str = "") -> tuple[int, str]:
    """Run a command on a host with the input `text`, and return its exit status and output."""
    done = subprocess.run(
        exec_argv(agent, *argv), input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return done.returncode, done.stdout


def borrow_connection(agent: Path, address: str, port: int, timeout_s: float) -> socket.socket | None:
    """Return a TCP connection that the host opened, or None if the host could not connect."""
    _, descriptors = _ask(agent, {"connect": [address, port], "timeout": timeout_s})
    return socket.socket(fileno=descriptors[0]) if descriptors else None


def _ask(agent: Path, request: dict[str, Any]) -> tuple[dict[str, Any], list[int]]:
    """Return the reply of the agent, and the file descriptors that came with the reply."""
    try:
        connection = connect(str(agent))
    except OSError as error:
        raise LabError(f"host {agent.parent.name} of the lab does not answer on {agent}: {error.strerror}") from error
    with connection:
        send_message(connection, request)
        reply, descriptors = receive_message(connection)
    if reply is None:
        raise LabError(f"the lab ended: its agent does not answer on {agent}")
    return reply, descriptors
