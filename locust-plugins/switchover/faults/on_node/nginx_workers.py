"""Check or note the worker processes of an Nginx on this host, with the standard library alone.

    python -I -S nginx_workers.py PID_FILE --note FILE [COMMAND ARGUMENT...]
    python -I -S nginx_workers.py PID_FILE --other FILE

`--note` writes the serving workers to the file and then runs the command. `--other` checks that other workers serve
now. A worker that is shutting down does not serve.

Exit status 0: done, or true. 1: false. 2: no usable answer.
"""

import os
import sys
from pathlib import Path

PROC = Path("/proc")
SHUTTING_DOWN = b"shutting down"
"""Part of the title of a worker whose master has told it to quit."""


def serving_workers(pid_file: Path) -> list[int]:
    """The children of the master process that are not shutting down."""
    master = int(pid_file.read_text(encoding="ascii"))
    workers = []
    for path in PROC.glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            title = (path / "cmdline").read_bytes()
        except (OSError, IndexError, ValueError):
            continue
        if parent == master and b"worker process" in title and SHUTTING_DOWN not in title:
            workers.append(int(path.name))
    return sorted(workers)


def main(arguments: list[str]) -> int:
    if len(arguments) < 3 or arguments[1] not in ("--note", "--other"):
        print(__doc__, file=sys.stderr)
        return 2
    pid_file, verb, note, *command = arguments
    try:
        workers = serving_workers(Path(pid_file))
        if verb == "--note":
            Path(note).write_text(" ".join(map(str, workers)), encoding="ascii")
            if command:
                os.execvp(command[0], command)
            return 0
        before = set(map(int, Path(note).read_text(encoding="ascii").split()))
    except (OSError, ValueError) as error:
        print(f"{pid_file}: {error}", file=sys.stderr)
        return 2
    print(f"workers {workers}, before they were {sorted(before)}")
    return int(not workers or not before.isdisjoint(workers))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
