"""Run a command on a host of the lab, or run a verb of a service on this host.

    `python -I -S exec.py SOCKET -- COMMAND [ARGUMENT...]`
    `python -I -S exec.py SOCKET --service NAME kill|stop|start|freeze|thaw|slow|reload|quit|status`

The command gets the standard streams, the environment, the working directory and the signals of this process, and is
killed if this process ends. Exit status: the status of the command; 128 + N: signal N ended the command; 127: the
command does not exist; 126: the command cannot be executed; 125: the lab did not answer.

Faults are fired through this script. This script imports few modules, so that it starts in about 15 ms.
"""

import errno
import json
import os
import signal
import socket
import struct
import sys

NOT_THERE = 125
NOT_RUNNABLE = 126
NOT_FOUND = 127
MESSAGE_LIMIT = 1 << 20
"""The buffer for a received message, in bytes. The kernel refuses messages above net.core.wmem_default (208 KiB)."""
MAX_DESCRIPTORS = 3
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


def send_message(connection: socket.socket, message: object, descriptors: tuple[int, ...] = ()) -> None:
    """Send a message and file descriptors. Raises OSError if the message is too long."""
    socket.send_fds(connection, [json.dumps(message).encode("utf-8", "surrogateescape")], list(descriptors))


def receive_message(connection: socket.socket) -> tuple[dict[str, object] | None, list[int]]:
    """Return the next message and its file descriptors. The message is None after the other side has disconnected."""
    data, descriptors, _, _ = socket.recv_fds(connection, MESSAGE_LIMIT, MAX_DESCRIPTORS)
    message = json.loads(data.decode("utf-8", "surrogateescape")) if data else None
    return (message if isinstance(message, dict) else None), descriptors


def connect(path: str) -> socket.socket:
    """Connect to an agent of this user. Raises OSError if the agent belongs to another user."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        connection.connect(path)
        if peer_uid(connection) != os.geteuid():
            raise PermissionError(errno.EPERM, "the agent belongs to another user")
    except OSError:
        connection.close()
        raise
    return connection


def peer_uid(connection: socket.socket) -> int:
    """Return the user id of the process at the other end of the socket (unix(7), SO_PEERCRED)."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int(struct.unpack("3i", credentials)[1])


def main(arguments: list[str]) -> int:
    request = parse(arguments)
    if request is None:
        sys.stderr.write(
            f"usage: exec.py SOCKET -- COMMAND...  or  exec.py SOCKET --service NAME VERB, not {arguments}\n"
        )
        return 2
    path = arguments[0]
    try:
        connection = connect(path)
        ask(connection, request)
        reply, _ = receive_message(connection)
    except OSError as error:
        return report_ended_lab(path, error.strerror or str(error))
    if reply is None:
        return report_ended_lab(path, "the host ended while the command ran")
    status, text = reply.get("exit"), reply.get("text")
    if text:
        (sys.stderr if status else sys.stdout).write(f"{text}\n")
    return status if isinstance(status, int) else NOT_THERE


def ask(connection: socket.socket, request: dict[str, object]) -> None:
    """Send the request. The command may run as soon as the request is sent, so signals are blocked until this process
    can pass signals on."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    try:
        send_message(connection, request, (0, 1, 2))
        for number in FORWARDED:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda number, frame: forward(connection, number))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def parse(arguments: list[str]) -> dict[str, object] | None:
    if len(arguments) >= 3 and arguments[1] == "--":
        return {"argv": arguments[2:], "env": dict(os.environ), "cwd": os.readlink("/proc/self/cwd")}  # noqa: PTH115 - pathlib would double the time to start
    if len(arguments) == 4 and arguments[1] == "--service":
        return {"service": arguments[2], "verb": arguments[3]}
    return None


def forward(connection: socket.socket, number: int) -> None:
    try:
        send_message(connection, {"signal": number})
    except OSError:
        sys.exit(NOT_THERE)


def report_ended_lab(path: str, reason: str) -> int:
    host = path.split("/")[-2:][0]
    sys.stderr.write(f"exec.py: host {host} of the lab does not answer on {path} ({reason}): is the lab still up?\n")
    return NOT_THERE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
