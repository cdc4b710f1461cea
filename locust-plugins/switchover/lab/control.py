"""The caller's side of a host's agent: run a command, control a service, borrow a connection."""

import os
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from switchover.lab.exec import connect, receive_frame, send_frame
from switchover.model.errors import LabError


def service_verb(agent: Path, name: str, verb: str) -> tuple[int, str]:
    """Return the exit code and the output line of `--service NAME VERB`."""
    reply, _ = _ask(agent, {"service": name, "verb": verb})
    return int(reply["exit"]), str(reply.get("text", ""))


def run(agent: Path, argv: Sequence[str], text: str = "") -> tuple[int, str]:
    """Run a short command on a host with the input `text`; return its status and output."""
    input_end, input_writer = os.pipe()
    output_reader, output_end = os.pipe()
    try:
        os.write(input_writer, text.encode())
    finally:
        os.close(input_writer)
    with os.fdopen(output_reader, "rb") as output:
        try:
            request = {"argv": list(argv), "env": dict(os.environ), "cwd": "/"}
            with _connect(agent) as connection:
                send_frame(connection, request, (input_end, output_end, output_end))
                os.close(output_end)
                output_end = -1
                printed = output.read().decode("utf-8", "replace")
                reply, _ = receive_frame(connection)
        finally:
            os.close(input_end)
            if output_end >= 0:
                os.close(output_end)
    if reply is None:
        raise LabError(f"the lab ended while {argv[0]} ran")
    return int(str(reply["exit"])), printed + str(reply.get("text") or "")


def borrow_connection(agent: Path, address: str, port: int, timeout_s: float) -> socket.socket | None:
    """Return a TCP connection made inside that host, or None if it fails there."""
    _, descriptors = _ask(agent, {"connect": [address, port], "timeout": timeout_s})
    if not descriptors:
        return None
    return socket.socket(fileno=descriptors[0])


def _ask(agent: Path, request: dict[str, Any]) -> tuple[dict[str, Any], list[int]]:
    """Return the reply with its descriptors."""
    with _connect(agent) as connection:
        send_frame(connection, request)
        reply, descriptors = receive_frame(connection)
    if reply is None:
        raise LabError(f"the lab ended: no answer on {agent}")
    return reply, descriptors


def _connect(agent: Path) -> socket.socket:
    try:
        return connect(str(agent))
    except OSError as error:
        raise LabError(f"host {agent.parent.name} of the lab does not answer on {agent}: {error.strerror}") from error
