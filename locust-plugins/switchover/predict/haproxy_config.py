"""Parse a haproxy.cfg into sections, and proxies with their inherited lines (configuration manual, 2.2 to 2.5). Lines
with conditions or variables are uncertain, because they depend on the environment of HAProxy."""

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from switchover.model.errors import TargetError
from switchover.predict.config_file import Statement, refuse_template

_VARIABLE = re.compile(r"\$\{?[A-Za-z_]", re.ASCII)
MAX_LINE = 1 << 16
_TIME = re.compile(r"([0-9]{1,18})(us|ms|s|m|h|d)?", re.ASCII)
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}

PROXIES = ("frontend", "listen", "backend")
SECTIONS = frozenset((
    *PROXIES,
    *("global", "defaults", "userlist", "peers", "resolvers", "cache", "mailers", "program", "ring", "http-errors"),
    *("fcgi-app", "log-forward", "log-profile", "crt-store", "traces", "acme"),
))  # fmt: skip
"""The keywords that begin a section in HAProxy 1.8 to 3.3."""


Lines = tuple[Statement, ...]


def cut_into_words(text: str, place: str, *, is_uncertain: bool = False) -> Statement:
    """Split a line into words without quotes and comments. Raises TargetError with `place` for an invalid line."""
    if len(text) > MAX_LINE:
        raise TargetError(f"{place}: a line of more than {MAX_LINE:,} characters")
    refuse_template(text, place)
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split = True
    lexer.whitespace = " \t\n\v\f\r"
    try:
        words = tuple(lexer)
    except ValueError as error:
        raise TargetError(f"{place}: a quote that is never closed, or a backslash at the end") from error
    return Statement(words, place, is_uncertain=is_uncertain or _VARIABLE.search(" ".join(words)) is not None)


def time_s(line: Statement, position: int = 1) -> float:
    """Return the time that a line has as word `position`, in seconds. Raises TargetError for text that HAProxy
    refuses."""
    match = _TIME.fullmatch(line.value(position))
    if match is None:
        raise TargetError(
            f"{line.place}: {line.text!r} needs a time such as 500ms, 30s or 2m: HAProxy refuses this line"
        )
    return int(match[1]) * _UNITS[match[2] or "ms"]


def read_sections(files: Sequence[tuple[str, str]]) -> list[Statement]:
    """Return the sections of all files (name and text), which are read in order, like HAProxy's -f options."""
    sections: list[Statement] = []
    for name, text in files:
        for line in _lines(name, text):
            if line.keyword in SECTIONS:
                sections.append(line)
            elif sections:
                sections[-1].block.append(line)
            else:
                raise TargetError(
                    f"{line.place}: {line.text!r} is before the first section (global, defaults, frontend, …)"
                )
    return sections


def _lines(name: str, text: str) -> Iterator[Statement]:
    """Yield all lines except conditional directives, which start with a dot, such as `.if`."""
    depth = 0
    for number, written in enumerate(text.split("\n"), start=1):
        if not written.strip() or written.lstrip().startswith("#"):
            continue
        line = cut_into_words(written, f"{name}:{number}", is_uncertain=depth > 0)
        if not line.words:
            continue
        depth = max(0, depth + (line.keyword == ".if") - (line.keyword == ".endif"))
        if not line.keyword.startswith("."):
            yield line


class Proxy(NamedTuple):
    """A frontend, listen or backend section. In `lines`, inherited lines are first."""

    section: Statement
    lines: Lines

    @property
    def name(self) -> str:
        return self.section.value()

    @property
    def listens(self) -> bool:
        return self.section.keyword != "backend"

    def option(self, name: str) -> Statement | None:
        """Return the line that enables an option; None: the option is not enabled."""
        for line in reversed(self.lines):
            if line.words[:2] == ("option", name):
                return line
            if line.words[:3] in (("no", "option", name), ("default", "option", name)):
                return None
        return None

    @property
    def mode(self) -> str:
        line = last_line(self.lines, "mode")
        return line.value() if line else "tcp"


def resolve_proxies(sections: Sequence[Statement]) -> list[Proxy]:
    """Return the proxies. A proxy inherits from the defaults section that it names. Otherwise, it inherits from the
    last defaults section before it."""
    named: dict[str, Lines] = {}
    current: Lines = ()
    proxies = []
    for section in sections:
        if section.keyword not in (*PROXIES, "defaults"):
            continue
        words, is_defaults, name = section.words, section.keyword == "defaults", section.value()
        parent = words[words.index("from", 1) + 1] if "from" in words[1:-1] else ""
        if parent and parent not in named:
            raise TargetError(f"{section.place}: there is no 'defaults {parent}' before it")
        inherited = named[parent] if parent else () if is_defaults else current
        lines = (*inherited, *section.block)
        if is_defaults:
            current = named["" if name == "from" else name] = lines
        elif name:
            proxies.append(Proxy(section, lines))
        else:
            raise TargetError(f"{section.place}: {section.keyword!r} has no name")
    return proxies


def global_lines(sections: Sequence[Statement]) -> Lines:
    return tuple(line for section in sections if section.keyword == "global" for line in section.block)


def last_line(lines: Sequence[Statement], *words: str) -> Statement | None:
    """Return the last line that starts with these words. If a setting is repeated, HAProxy uses its last line."""
    return next((line for line in reversed(lines) if line.words[: len(words)] == words), None)
