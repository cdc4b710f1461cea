"""Query or change the state of a node's balancer or Keepalived. Needs only the standard library, not socat.

    python -I -S node_state.py SOCKET --send "disable frontend www"
    python -I -S node_state.py SOCKET --is web/web1:status=DRAIN | --is-not www/FRONTEND:status=OPEN
    python -I -S node_state.py SOCKET --note-pid FILE [COMMAND ARGUMENT...] | --other-pid FILE
    python -I -S node_state.py PID_FILE --note-workers FILE [COMMAND ARGUMENT...] | --other-workers FILE
    python -I -S node_state.py ADDRESS --shows-certificate FILE
    python -I -S node_state.py FILE --next [COMMAND ARGUMENT...] | --without NAME | --with NAME | --serves URL

SOCKET is HAProxy's runtime socket. `--is` checks that a value of `show stat` starts with a text.
`--shows-certificate` compares the certificate at port 443 of ADDRESS with the first certificate of FILE, without
verification. `--note-…` writes a value to FILE and then runs COMMAND. `--other-…` checks that the present value
differs from the value in FILE. `pid` is the process that answers on SOCKET. `workers` are Nginx's workers that are
not shutting down.

The configuration FILE sets the header X-Worker of each response to the variable WORKER (the process) and a number.
`--next` atomically replaces FILE with a version that has the next number, and then runs COMMAND. `--without` also
writes the next number, and disables the lines of FILE that end with `# NAME`. `--with` enables these lines again.
`--serves` checks that a response from URL has the number that was written last. After `--with`, no number is
recorded, so `--serves` fails.

Exit status 0: the command succeeded. 1: the check failed, or HAProxy refused the command. 2: there was no usable
answer.
"""

import http.client
import os
import re
import socket
import ssl
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

TIMEOUT_S = 3.0
LIMIT_BYTES = 16 << 20
PROC = Path("/proc")
NUMBER = re.compile(r"(WORKER\W+?\.)(\d+)")


def ask(path: str, command: str, timeout_s: float = TIMEOUT_S) -> str:
    """Send one command to HAProxy's runtime socket, and return the answer."""
    answer = bytearray()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        connection.connect(path)
        connection.sendall(command.encode() + b"\n")
        while len(answer) < LIMIT_BYTES and (piece := connection.recv(65536)):
            answer += piece
    return answer.decode("utf-8", "replace")


def answering_pid(path: str, timeout_s: float = TIMEOUT_S) -> set[int]:
    """Return the pid of the process that answers on the socket. A reload changes the pid."""
    lines = (line.partition(":") for line in ask(path, "show info", timeout_s).splitlines())
    return {int(value) for name, _, value in lines if name == "Pid"}


def serving_workers(pid_file: str) -> set[int]:
    """Return the pids of Nginx's workers that are not shutting down."""
    master = int(Path(pid_file).read_text(encoding="ascii"))
    workers = set()
    for path in PROC.glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            title = (path / "cmdline").read_bytes()
        except (OSError, IndexError, ValueError):
            continue
        if parent == master and b"worker process" in title and b"shutting down" not in title:
            workers.add(int(path.name))
    return workers


VALUES: dict[str, Callable[[str], set[int]]] = {"pid": answering_pid, "workers": serving_workers}


def read_cell(statistics: str, condition: str) -> tuple[str | None, str]:
    """For the condition `PROXY/NAME:COLUMN=VALUE`, return the value of COLUMN in the row PROXY,NAME of `show stat`
    (None: no such row), and VALUE."""
    place, _, value = condition.partition("=")
    line_name, _, column = place.partition(":")
    lines = [line.split(",") for line in statistics.splitlines()]
    at = lines[0].index(column)
    return next((cells[at] for cells in lines[1:] if cells[:2] == line_name.split("/")), None), value


def shown_certificate(address: str, port: int = 443) -> bytes:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection((address, port), TIMEOUT_S) as connection, context.wrap_socket(connection) as tls:
        return tls.getpeercert(binary_form=True) or b""


def first_certificate(file: str) -> bytes:
    """Return the first certificate of a PEM file as DER. The file may have a key before the certificate."""
    begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
    body = Path(file).read_text(encoding="ascii").partition(begin)[2].partition(end)[0]
    return ssl.PEM_cert_to_DER_cert(f"{begin}{body}{end}\n")


def served_number(url: str) -> str:
    """Return the number in the header X-Worker of the response. Empty: the header has no number."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=TIMEOUT_S)
    try:
        connection.request("GET", parts.path or "/")
        return (connection.getresponse().getheader("X-Worker") or "").rpartition(".")[2]
    finally:
        connection.close()


def note_of(path: Path) -> Path:
    """Return the path of the file that contains the last written number."""
    return path.with_name(f"{path.name}.written")


def write_next(path: Path, verb: str, name: str) -> None:
    text = path.read_text(encoding="utf-8")
    match = NUMBER.search(text)
    if match is None:
        raise ValueError("has no number after WORKER")
    number = int(match[2]) + 1
    text = NUMBER.sub(rf"\g<1>{number}", text)
    if verb == "--without":
        text = re.sub(rf"(?m)^(?!#)(.*# {re.escape(name)})$", r"#\1", text)
    if verb == "--with":
        text = re.sub(rf"(?m)^#(.*# {re.escape(name)})$", r"\1", text)
        note_of(path).unlink(missing_ok=True)
    else:
        note_of(path).write_text(str(number), encoding="ascii")
    new = path.with_name(f"{path.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def execute(command: list[str]) -> int:
    """Replace this process with the command. Without a command, return 0."""
    if command:
        os.execvp(command[0], command)
    return 0


def run(source: str, verb: str, words: list[str]) -> int:
    value, command = words[0] if words else "", words[1:]
    if verb in ("--next", "--without", "--with"):
        write_next(Path(source), verb, value)
        return execute(words) if verb == "--next" else 0
    if verb == "--serves":
        number, note = served_number(value), note_of(Path(source))
        written = note.read_text(encoding="ascii") if note.exists() else ""
        print(f"configuration {number or 'unknown'} answers; written last: {written or 'none'}")
        return int(written != number) if number else 2
    if verb == "--send":
        answer = ask(source, value).strip()
        print(answer, file=sys.stderr if answer else sys.stdout)
        return 1 if answer else 0
    if verb in ("--is", "--is-not"):
        cell, expected = read_cell(ask(source, "show stat"), value)
        print(f"{value.partition('=')[0]}: {cell or 'unknown'}")
        return 2 if cell is None else int(cell.startswith(expected) == (verb == "--is-not"))
    if verb == "--shows-certificate":
        is_shown = shown_certificate(source) == first_certificate(value)
        print(f"{source} shows the certificate of {value}: {is_shown}")
        return int(not is_shown)
    action, _, kind = verb.removeprefix("--").partition("-")
    now = VALUES[kind](source)
    if action == "note":
        Path(value).write_text(" ".join(map(str, now)), encoding="ascii")
        return execute(command)
    before = set(map(int, Path(value).read_text(encoding="ascii").split()))
    print(f"{kind} {sorted(now)}, before {sorted(before)}")
    return int(not now or not now.isdisjoint(before))


def main(arguments: list[str]) -> int:
    source, verb, *words = arguments if len(arguments) > 1 else ("", "")
    if not words and verb != "--next":
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return run(source, verb, words)
    except (OSError, ValueError, LookupError, http.client.HTTPException) as error:
        print(f"{source} {verb}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
