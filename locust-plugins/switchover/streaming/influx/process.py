"""The follower's process: a spec on stdin, whose end is the end of the run; on stdout a line for each warning, and at
last the account. A process of its own, so that no request of the load ever waits for a database."""

import contextlib
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any, TextIO

from switchover.model.errors import SwitchoverError
from switchover.process.json_child import say
from switchover.streaming.influx.follower import Follower
from switchover.streaming.influx.spec import FollowSpec
from switchover.streaming.influx.writer import Writer


def main() -> int:
    """Ctrl-C reaches all processes of a terminal: only the parent ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        spec = FollowSpec.from_json(sys.stdin.readline())
    except SwitchoverError as error:
        say({"error": str(error)})
        return error.exit_code
    outside = _outside(spec)
    if outside is not None:
        _pass_on(outside, spec)
    else:
        follow(spec, sys.stdin, say)
    return 0


def follow(spec: FollowSpec, parent_lines: Iterator[str], say: Callable[[dict[str, Any]], None]) -> None:
    """Until `parent_lines` ends, and for at most `wait_s` after that."""
    writer = Writer(spec.database)
    follower = Follower(spec.directory, spec.database.destination.url, writer, lambda text: say({"warning": text}))
    ended, over = threading.Event(), threading.Event()

    def give_up() -> None:
        over.set()
        writer.stop()

    def listen() -> None:
        for _ in parent_lines:
            """Nothing else is said yet."""
        limit = threading.Timer(spec.wait_s, give_up)
        limit.daemon = True
        limit.start()
        ended.set()

    threading.Thread(target=listen, name="listener", daemon=True).start()
    follower.follow(ended)
    follower.drain(over)
    say({"account": asdict(follower.account())})


def _outside(spec: FollowSpec) -> socket.socket | None:
    """The connection to the outside follower; None: there is none, and this process sends by itself."""
    if spec.outside is None:
        return None
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(str(spec.outside))
    except OSError:
        connection.close()
        return None
    return connection


def _pass_on(connection: socket.socket, spec: FollowSpec) -> None:
    """Both ways, until the follower has said its last word."""
    with connection, connection.makefile("rw", encoding="utf-8") as far:

        def forward() -> None:
            with contextlib.suppress(OSError):
                _copy(sys.stdin, far)
                connection.shutdown(socket.SHUT_WR)

        far.write(replace(spec, outside=None).to_json() + "\n")
        far.flush()
        threading.Thread(target=forward, name="forward", daemon=True).start()
        with contextlib.suppress(OSError):
            _copy(far, sys.stdout)


def _copy(source: Iterator[str], sink: TextIO) -> None:
    for line in source:
        sink.write(line)
        sink.flush()
