"""`.if`, `.elif`, `.else`, `.endif` of a haproxy.cfg: which of its lines count, and of which only HAProxy knows.

A condition is decided here where it is a constant, or asks for a variable that the file itself has set.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from switchover.faults.config_file import Place
from switchover.faults.haproxy_config.words import HaproxyLine
from switchover.model.errors import TargetError

_DEFINED = re.compile(r"(!?)defined\(\s*\"?(\w+)\"?\s*\)", re.ASCII)


@dataclass(slots=True)
class _Block:
    place: Place
    counts: bool | None
    """The lines that follow: True, False, or None where it is not known."""
    taken: bool | None
    """Whether a branch before counted."""
    has_else: bool = False


class Conditions:
    """Follows the conditions from line to line."""

    def __init__(self) -> None:
        self._open: list[_Block] = []

    @property
    def counts(self) -> bool | None:
        states = [block.counts for block in self._open]
        return False if False in states else None if None in states else True

    def follow(self, line: HaproxyLine, environment: Mapping[str, str]) -> bool:
        """True where the line is a condition, or a message for the start of HAProxy, and no setting."""
        word = line.keyword
        if not word.startswith("."):
            return False
        if word == ".if":
            found = _decide(line, environment)
            self._open.append(_Block(line.place, found, found))
        elif word in (".diag", ".notice", ".warning", ".alert"):
            pass
        elif word not in (".elif", ".else", ".endif"):
            raise TargetError(f"{line.place}: {word!r} is no condition of HAProxy")
        elif not self._open:
            raise TargetError(f"{line.place}: {word!r} without an '.if' before it")
        elif word == ".endif":
            self._open.pop()
        else:
            self._next_branch(line, environment)
        return True

    def close(self) -> None:
        if self._open:
            raise TargetError(f"{self._open[-1].place}: an '.if' without its '.endif'")

    def _next_branch(self, line: HaproxyLine, environment: Mapping[str, str]) -> None:
        block = self._open[-1]
        if block.has_else:
            raise TargetError(f"{line.place}: {line.keyword!r} behind '.else'")
        block.has_else = line.keyword == ".else"
        own = True if block.has_else else _decide(line, environment)
        if block.taken is True or own is False:
            block.counts = False
        elif block.taken is None or own is None:
            block.counts = None
        else:
            block.counts = True
        if block.taken is False:
            block.taken = own
        elif block.taken is None and own is True:
            block.taken = True


def _decide(line: HaproxyLine, environment: Mapping[str, str]) -> bool | None:
    condition = "".join(line.words[1:])
    if condition in ("", "0", "false"):
        return False
    if condition in ("1", "true"):
        return True
    match = _DEFINED.fullmatch(condition)
    if match and match[2] in environment:
        return not match[1]
    return None
