"""The worker processes of an Nginx that runs on this host, from a command line, with the standard library alone.

    python -I -S nginx_workers.py PID_FILE --note FILE [COMMAND ARGUMENT...]
    python -I -S nginx_workers.py PID_FILE --other FILE
    python -I -S nginx_workers.py PID_FILE --upgrade
    python -I -S nginx_workers.py PID_FILE --go-back
    python -I -S nginx_workers.py PID_FILE --upgraded

`--note` writes down which workers serve, and then runs the command; `--other`: other ones serve by now. A worker that
is shutting down serves no more.

`--upgrade` starts the binary anew beside the old one: SIGUSR2 to the master process, and once workers of the new one
serve, SIGWINCH to the old one. It waits until an upgrade before is over, because Nginx does not begin a second one.
`--go-back`: SIGHUP to the old one, and once its workers serve, SIGQUIT to the new one. `--upgraded`: workers of the
new one serve, and none of the old one.

Exit status 0: done, or it is so; 1: it is not so; 2: no usable answer.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

PROC = Path("/proc")
SHUTTING_DOWN = b"shutting down"
"""What a worker puts into its title when its master has told it to quit."""
PATIENCE_S = 4.0
"""For each step of an upgrade."""
POLL_S = 0.01


def serving_workers(pid_file: Path) -> list[int]:
    """The children of the master process that are not shutting down."""
    master = read_pid(pid_file)
    found = []
    for path in PROC.glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            title = (path / "cmdline").read_bytes()
        except (OSError, IndexError, ValueError):
            continue
        if parent == master and b"worker process" in title and SHUTTING_DOWN not in title:
            found.append(int(path.name))
    return sorted(found)


def read_pid(pid_file: Path) -> int:
    return int(pid_file.read_text(encoding="ascii"))


def old_of(pid_file: Path) -> Path:
    """Where Nginx keeps the number of the old master process while two of them run."""
    return pid_file.with_name(f"{pid_file.name}.oldbin")


def upgrade(pid_file: Path) -> None:
    old = old_of(pid_file)
    _wait_until(lambda: not old.exists(), "the new binary of the upgrade before still has connections")
    os.kill(read_pid(pid_file), signal.SIGUSR2)
    _wait_until(lambda: old.exists() and _serves(pid_file), "no worker of a new master process serves")
    os.kill(read_pid(old), signal.SIGWINCH)


def go_back(pid_file: Path) -> None:
    old, new = old_of(pid_file), read_pid(pid_file)
    if not old.exists():
        return  # it was not upgraded
    if not _serves(old):
        os.kill(read_pid(old), signal.SIGHUP)
    _wait_until(lambda: _serves(old), "no worker of the old master process serves again")
    os.kill(new, signal.SIGQUIT)


def is_upgraded(pid_file: Path) -> bool:
    old = old_of(pid_file)
    return old.exists() and _serves(pid_file) and not _serves(old)


def _serves(pid_file: Path) -> bool:
    try:
        return bool(serving_workers(pid_file))
    except (OSError, ValueError):
        return False  # it is being written


def _wait_until(reached: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not reached():
        if time.monotonic() > deadline:
            raise OSError(f"{otherwise}, {PATIENCE_S:g} s later")
        time.sleep(POLL_S)


def main(arguments: list[str]) -> int:
    path, verb, *words = arguments if len(arguments) > 1 else ("", "")
    fits = {"--note": bool(words), "--other": len(words) == 1}.get(verb, not words)
    if verb not in ("--note", "--other", "--upgrade", "--go-back", "--upgraded") or not fits:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return _do(Path(path), verb, words)
    except (OSError, ValueError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2


def _do(pid_file: Path, verb: str, words: list[str]) -> int:
    if verb == "--upgrade":
        upgrade(pid_file)
    elif verb == "--go-back":
        go_back(pid_file)
    elif verb == "--upgraded":
        return int(not is_upgraded(pid_file))
    elif verb == "--other":
        before, now = set(map(int, Path(words[0]).read_text(encoding="ascii").split())), serving_workers(pid_file)
        print(f"workers {now}, before they were {sorted(before)}")
        return int(not now or not before.isdisjoint(now))
    else:
        note, *command = words
        Path(note).write_text(" ".join(map(str, serving_workers(pid_file))), encoding="ascii")
        if command:
            os.execvp(command[0], command)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
