"""The follower's process: a spec on stdin, whose end is the end of the run; on stdout a line for each warning, and at
last the account. A process of its own, so that no request of the load ever waits for a database."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any

from switchover.process.json_child import await_end, say
from switchover.streaming.influx.follower import Follower
from switchover.streaming.influx.outside_way import do_outside
from switchover.streaming.influx.spec import FollowSpec
from switchover.streaming.influx.writer import Writer


def main() -> None:
    """Ctrl-C reaches all processes of a terminal: only the parent ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    spec = FollowSpec.from_json(sys.stdin.readline())
    do_outside(spec.outside, replace(spec, outside=None).to_json(), lambda: follow(spec, sys.stdin, say))


def follow(spec: FollowSpec, parent_lines: Iterator[str], say: Callable[[dict[str, Any]], None]) -> None:
    """Until `parent_lines` ends, and for at most `wait_s` after that."""
    writer = Writer(spec.database)
    follower = Follower(spec.directory, spec.database.destination.url, writer, lambda text: say({"warning": text}))
    over = threading.Event()

    def give_up() -> None:
        over.set()
        writer.stop()

    ended = await_end(parent_lines, spec.wait_s, give_up)
    follower.follow(ended)
    follower.drain(over)
    writer.close()
    say({"account": asdict(follower.account())})
