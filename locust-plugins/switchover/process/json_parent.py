"""A child process's side of `json_child.py`: a JSON object a line, for a parent who may go away."""

import contextlib
import json
import select
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from switchover.process.standard_output import unbroken_output


def run(main: Callable[[], int]) -> NoReturn:
    """The whole process; what is said after the parent has gone goes nowhere."""
    with unbroken_output():
        status = main()
    sys.exit(status)


def say(message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def say_if_heard(message: dict[str, Any]) -> None:
    """Dropped if nobody reads: the next one tells the same, and the work must not wait for the parent. A pipe that
    polls as writable takes a short line without waiting."""
    if select.select((), (sys.stdout,), (), 0)[1]:
        say(message)
