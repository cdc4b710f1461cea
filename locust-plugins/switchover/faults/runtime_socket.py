"""HAProxy's runtime socket from a command line, with the standard library alone (no socat needed on the node).

    python -I -S runtime_socket.py SOCKET --send "disable frontend www"
    python -I -S runtime_socket.py SOCKET --frontend-open www | --frontend-closed www
    python -I -S runtime_socket.py SOCKET --younger-than SECONDS

Exit status 0: done, or it is so; 1: it is not so, or HAProxy refused; 2: no usable answer.
"""

import socket
import sys

TIMEOUT_S = 3.0
LIMIT_BYTES = 16 << 20


def ask(path: str, command: str) -> str:
    """One command, one answer; HAProxy closes behind it."""
    answer = bytearray()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(TIMEOUT_S)
        connection.connect(path)
        connection.sendall(command.encode() + b"\n")
        while len(answer) < LIMIT_BYTES and (piece := connection.recv(65536)):
            answer += piece
    return answer.decode("utf-8", "replace")


def frontend_status(statistics: str, frontend: str) -> str | None:
    """OPEN, STOP, PAUSED, …: the column `status` of the frontend's line, found by the header."""
    lines = statistics.splitlines()
    columns = lines[0].removeprefix("# ").split(",") if lines else []
    if "status" not in columns:
        return None
    for line in lines[1:]:
        cells = line.split(",")
        if cells[:2] == [frontend, "FRONTEND"] and len(cells) > columns.index("status"):
            return cells[columns.index("status")]
    return None


def uptime_s(information: str) -> int | None:
    """Whole seconds since the process started."""
    for line in information.splitlines():
        name, _, value = line.partition(":")
        if name == "Uptime_sec" and value.strip().isdecimal():
            return int(value)
    return None


def main(arguments: list[str]) -> int:
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    path, verb, value = arguments
    try:
        return _do(path, verb, value)
    except (OSError, ValueError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2


def _do(path: str, verb: str, value: str) -> int:
    if verb == "--send":
        answer = ask(path, value).strip()
        print(answer, file=sys.stderr if answer else sys.stdout)
        return 1 if answer else 0
    if verb in ("--frontend-open", "--frontend-closed"):
        status = frontend_status(ask(path, "show stat"), value)
        print(f"frontend {value}: {status or 'unknown'}")
        if status is None:
            return 2
        return 0 if (status == "OPEN") == (verb == "--frontend-open") else 1
    if verb == "--younger-than":
        age = uptime_s(ask(path, "show info"))
        print(f"process started {age} s ago")
        return 2 if age is None else int(age >= int(value))
    print(f"unknown: {verb}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
