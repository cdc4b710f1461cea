"""Write the next configuration of a balancer that can load a configuration without a new process. Needs only the
standard library.

    python -I -S next_configuration.py FILE --next [COMMAND ARGUMENT...]
    python -I -S next_configuration.py FILE --without NAME
    python -I -S next_configuration.py FILE --with NAME
    python -I -S next_configuration.py FILE --serves URL

The file sets the header X-Worker of each response to the variable WORKER (the process) and a number. `--next` writes
the file with the next number, atomically, and then runs the command. `--without` removes the lines that end with `#
NAME`, and `--with` restores these lines. `--serves` requests the URL, and checks that the response contains the
number that `--next` wrote last. After `--with`, `--serves` exits with 1, because no number is recorded.

Exit status 0: the change was made, or the check succeeded. 1: the check failed. 2: there was no usable response.
"""

import http.client
import os
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

TIMEOUT_S = 3.0
NUMBER = re.compile(r"(WORKER\W+?\.)(\d+)")


def served_number(url: str) -> str:
    """Return the number in the header X-Worker of the response. Empty: the header has no number."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=TIMEOUT_S)
    try:
        connection.request("GET", parts.path or "/")
        return (connection.getresponse().getheader("X-Worker") or "").rpartition(".")[2]
    finally:
        connection.close()


def write_next(path: Path, verb: str, name: str, note: Path) -> None:
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
        note.unlink(missing_ok=True)
    else:
        note.write_text(str(number), encoding="ascii")
    new = path.with_name(f"{path.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def run(path: Path, verb: str, words: list[str]) -> int:
    note = path.with_name(f"{path.name}.written")
    if verb == "--serves":
        number, written = served_number(words[0]), note.read_text(encoding="ascii") if note.exists() else ""
        print(f"configuration {number or 'unknown'} answers; written: {written or 'none'}")
        return int(written != number) if number else 2
    write_next(path, verb, words[0] if words else "", note)
    if verb == "--next" and words:
        os.execvp(words[0], words)
    return 0


def main(arguments: list[str]) -> int:
    path, verb, *words = arguments if len(arguments) > 1 else ("", "")
    if verb != "--next" and (verb not in ("--without", "--with", "--serves") or len(words) != 1):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return run(Path(path), verb, words)
    except (OSError, ValueError, http.client.HTTPException) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
