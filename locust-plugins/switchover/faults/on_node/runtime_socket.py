"""HAProxy's runtime socket from a command line, with the standard library alone (no socat needed on the node).

    python -I -S runtime_socket.py SOCKET --send "disable frontend www"
    python -I -S runtime_socket.py SOCKET --frontend-open www | --frontend-closed www
    python -I -S runtime_socket.py SOCKET --server-status web/web1=DRAIN | --server-weight web/web1=0
    python -I -S runtime_socket.py SOCKET --certificate /etc/haproxy/site.pem=FILE
    python -I -S runtime_socket.py SOCKET --note-pid FILE COMMAND [ARGUMENT...]
    python -I -S runtime_socket.py SOCKET --other-pid FILE

`--certificate` replaces HAProxy's certificate of that name with the content of FILE. `--note-pid` writes the
answering process to the file and then runs the command. `--other-pid` checks that another process answers now.

Exit status 0: done, or true. 1: false, or HAProxy refused. 2: no usable answer.
"""

import os
import socket
import sys
from pathlib import Path

TIMEOUT_S = 3.0
LIMIT_BYTES = 16 << 20


def ask(path: str, command: str, timeout_s: float = TIMEOUT_S) -> str:
    """Send one command and return its answer. HAProxy then closes the connection."""
    answer = bytearray()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        connection.connect(path)
        connection.sendall(command.encode() + b"\n")
        while len(answer) < LIMIT_BYTES and (piece := connection.recv(65536)):
            answer += piece
    return answer.decode("utf-8", "replace")


def status_of(statistics: str, proxy: str, name: str, column: str = "status") -> str | None:
    """OPEN, STOP, UP, DRAIN, MAINT, …: a column of a line (`FRONTEND`, or a server's), found by the header."""
    lines = statistics.splitlines()
    columns = lines[0].removeprefix("# ").split(",") if lines else []
    if column not in columns:
        return None
    for line in lines[1:]:
        cells = line.split(",")
        if cells[:2] == [proxy, name] and len(cells) > columns.index(column):
            return cells[columns.index(column)]
    return None


def answering_pid(path: str, timeout_s: float = TIMEOUT_S) -> str | None:
    """Return the pid of the process that answers on the socket. It changes with a reload."""
    for line in ask(path, "show info", timeout_s).splitlines():
        name, _, value = line.partition(":")
        if name == "Pid" and value.strip().isdecimal():
            return value.strip()
    return None


def commit_certificate(path: str, name: str, file: str) -> int:
    """Set and commit a certificate. An answer without `Success` is a refusal."""
    pem = "".join(line + "\n" for line in Path(file).read_text(encoding="ascii").splitlines() if line)
    answer = ask(path, f"set ssl cert {name} <<\n{pem}")
    if "ransaction" in answer:
        answer = ask(path, f"commit ssl cert {name}")
        if "Success" in answer:
            print(f"{name} is served from {file}")
            return 0
        ask(path, f"abort ssl cert {name}")
    print(answer.strip(), file=sys.stderr)
    return 1


def main(arguments: list[str]) -> int:
    if len(arguments) < 3 or (len(arguments) > 3) != (arguments[1] == "--note-pid"):
        print(__doc__, file=sys.stderr)
        return 2
    path, verb, value, *command = arguments
    try:
        return _do(path, verb, value, command)
    except (OSError, ValueError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2


def _do(path: str, verb: str, value: str, command: list[str]) -> int:
    if verb == "--send":
        answer = ask(path, value).strip()
        print(answer, file=sys.stderr if answer else sys.stdout)
        return 1 if answer else 0
    if verb in ("--frontend-open", "--frontend-closed"):
        status = status_of(ask(path, "show stat"), value, "FRONTEND")
        print(f"frontend {value}: {status or 'unknown'}")
        if status is None:
            return 2
        return 0 if (status == "OPEN") == (verb == "--frontend-open") else 1
    if verb in ("--server-status", "--server-weight"):
        server, _, wanted = value.partition("=")
        proxy, _, name = server.partition("/")
        status = status_of(ask(path, "show stat"), proxy, name, verb.removeprefix("--server-"))
        print(f"server {server}: {status or 'unknown'}")
        return 2 if status is None else int(not status.startswith(wanted))
    if verb == "--certificate":
        return commit_certificate(path, *value.rsplit("=", 1))
    if verb == "--note-pid":
        Path(value).write_text(answering_pid(path) or "none", encoding="ascii")
        os.execvp(command[0], command)
    if verb == "--other-pid":
        before, now = Path(value).read_text(encoding="ascii"), answering_pid(path)
        print(f"process {now} answers, before it was {before}")
        return 2 if now is None else int(now == before)
    print(f"unknown: {verb}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
