"""Asking a HAProxy on its runtime socket who it is."""

import socket

TIMEOUT_S = 0.5


def running_pid(path: str) -> int | None:
    """The pid of the process that answers on the socket now; None when nobody does."""
    answer = b""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(TIMEOUT_S)
            connection.connect(path)
            connection.sendall(b"show info\n")
            while piece := connection.recv(65536):
                answer += piece
    except OSError:
        return None
    for line in answer.decode("ascii", "replace").splitlines():
        key, _, value = line.partition(":")
        if key == "Pid" and value.strip().isdecimal():
            return int(value)
    return None
