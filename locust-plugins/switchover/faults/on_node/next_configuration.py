"""The next configuration of a balancer that takes it up without a new process, with the standard library alone.

    python -I -S next_configuration.py FILE --next [COMMAND ARGUMENT...]
    python -I -S next_configuration.py FILE --without NAME
    python -I -S next_configuration.py FILE --with NAME
    python -I -S next_configuration.py FILE --serves URL
    python -I -S next_configuration.py FILE --note URL [COMMAND ARGUMENT...]
    python -I -S next_configuration.py FILE --other URL

The file names its number in the header X-Worker of each answer: behind the variable WORKER, which is the process.
`--next` writes it with the next number, at once or not at all, and then runs the command; `--without` leaves out the
lines that end in `# NAME`, and `--with` brings them back. `--serves`: the page's answer has the number that was last
written; what was taken back by `--with` serves no more. `--note` writes down beside the file which process answers,
and then runs the command; `--other`: another process answers by now.

Exit status 0: done, or it is so; 1: it is not so; 2: no usable answer.
"""

import http.client
import os
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

TIMEOUT_S = 3.0
NUMBER = re.compile(r"(WORKER\W+?\.)(\d+)")
WORDS = {
    "--next": (0, 99),
    "--without": (1, 1),
    "--with": (1, 1),
    "--serves": (1, 1),
    "--note": (1, 99),
    "--other": (1, 1),
}
"""How many words each verb takes."""


def raise_number(text: str) -> tuple[str, int]:
    """The configuration with the next number, and that number."""
    found = NUMBER.search(text)
    if found is None:
        raise ValueError("has no number behind WORKER")
    number = int(found[2]) + 1
    return NUMBER.sub(rf"\g<1>{number}", text), number


def leave_out(text: str, name: str) -> str:
    return re.sub(rf"(?m)^(?!#)(.*# {re.escape(name)})$", r"#\1", text)


def bring_back(text: str, name: str) -> str:
    return re.sub(rf"(?m)^#(.*# {re.escape(name)})$", r"\1", text)


def answering(url: str) -> tuple[str, str]:
    """The process and the number that the answer's header X-Worker names; empty without one."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=TIMEOUT_S)
    try:
        connection.request("GET", parts.path or "/")
        process, _, number = (connection.getresponse().getheader("X-Worker") or "").rpartition(".")
        return process, number
    finally:
        connection.close()


def main(arguments: list[str]) -> int:
    path, verb, *words = arguments if len(arguments) > 1 else ("", "")
    fewest, most = WORDS.get(verb, (1, 0))
    if not fewest <= len(words) <= most:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return _do(Path(path), verb, words)
    except (OSError, ValueError, http.client.HTTPException) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2


def _do(path: Path, verb: str, words: list[str]) -> int:
    note = path.with_name(f"{path.name}.written")
    if verb in ("--serves", "--other"):
        process, number = answering(words[0])
        noted = note.read_text(encoding="ascii") if note.exists() else ""
        print(
            f"process {process or 'unknown'} answers by configuration {number or 'unknown'}; noted: {noted or 'none'}"
        )
        if not number:
            return 2
        return int(noted != number) if verb == "--serves" else int(noted in ("", process))
    if verb == "--note":
        process, _ = answering(words[0])
        note.write_text(process, encoding="ascii")
        words = words[1:]
    else:
        _write_next(path, verb, words, note)
    if verb in ("--next", "--note") and words:
        os.execvp(words[0], words)
    return 0


def _write_next(path: Path, verb: str, words: list[str], note: Path) -> None:
    text, number = raise_number(path.read_text(encoding="utf-8"))
    if verb == "--without":
        text = leave_out(text, words[0])
    if verb == "--with":
        text = bring_back(text, words[0])
        note.unlink(missing_ok=True)
    else:
        note.write_text(str(number), encoding="ascii")
    new = path.with_name(f"{path.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
