"""haproxy.cfg as HAProxy reads it: lines cut into words, sections, and what proxies inherit from their defaults.

The rules are HAProxy's own (configuration manual, sections 2.2 "Quoting and escaping", 2.3 "Environment variables",
2.4 "Conditional blocks", 2.5 "Time format"). No condition is decided here: only HAProxy knows which branch counts.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from switchover.model.errors import TargetError
from switchover.predict.config_file import Place, Words

_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?:\[\*\])?(?:-([^}]*))?\}|([A-Za-z_]\w*))", re.ASCII)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_BLANKS = " \t\n\v\f\r"
MAX_LINE = 1 << 16
_TIME = re.compile(r"([0-9]{1,18})(us|ms|s|m|h|d)?", re.ASCII)
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}

PROXIES = ("frontend", "listen", "backend")
SECTIONS = frozenset((
    *PROXIES,
    *("global", "defaults", "userlist", "peers", "resolvers", "cache", "mailers", "program", "ring", "http-errors"),
    *("fcgi-app", "log-forward", "log-profile", "crt-store", "traces", "acme"),
))  # fmt: skip
"""The words that begin a section, HAProxy 1.8 to 3.3."""


@dataclass(frozen=True, slots=True)
class HaproxyLine(Words):
    """The words of one line, and the variables in it of which only HAProxy's own environment knows the value."""

    words: tuple[str, ...]
    place: Place
    unknown: tuple[str, ...] = ()
    is_conditional: bool = False
    """It stands in a condition that only HAProxy itself can decide."""


def cut_into_words(text: str, place: Place, environment: Mapping[str, str]) -> HaproxyLine:
    """Words without quotes; variables count only between double quotes. Raises TargetError with the place."""
    if len(text) > MAX_LINE:
        raise TargetError(f"{place}: a line of more than {MAX_LINE:,} characters")
    words: list[str] = []
    unknown: list[str] = []
    word: list[str] | None = None
    quote, position = "", 0
    while position < len(text):
        character = text[position]
        if character == "\\" and quote != "'":
            escaped = text[position + 1 : position + 2]
            word = [*(word or []), _ESCAPES.get(escaped, escaped)]
            position += 2
            continue
        if character in "\"'" and quote in ("", character):
            quote = "" if quote else character
            word = word or []
        elif not quote and character == "#":
            break
        elif not quote and character in _BLANKS:
            if word is not None:
                words.append("".join(word))
            word = None
        elif character == "$" and quote == '"' and (match := _VARIABLE.match(text, position)):
            word = [*(word or []), _value(match, environment, unknown)]
            position = match.end()
            continue
        else:
            word = word or []
            word.append(character)
        position += 1
    if quote:
        raise TargetError(f"{place}: a quote that is never closed")
    if word is not None:
        words.append("".join(word))
    return HaproxyLine(tuple(words), place, tuple(unknown))


def _value(match: re.Match[str], environment: Mapping[str, str], unknown: list[str]) -> str:
    name, default = match[1] or match[3], match[2]
    if name in environment:
        return environment[name]
    unknown.append(name)
    return default if default is not None else match[0]


def time_s(line: HaproxyLine, position: int = 1) -> float:
    """Seconds. Raises TargetError for what is no time: HAProxy refuses it too."""
    text = line.value(position)
    match = _TIME.fullmatch(text)
    if match is None:
        raise TargetError(f"{line.place}: {line.text!r} has no time such as 500ms, 30s or 2m: HAProxy refuses it")
    return int(match[1]) * _UNITS[match[2] or "ms"]


@dataclass(slots=True)
class HaproxySection:
    """A section: the words of its head, and its lines."""

    head: HaproxyLine
    lines: list[HaproxyLine] = field(default_factory=list)

    @property
    def kind(self) -> str:
        return self.head.keyword

    @property
    def name(self) -> str:
        name = self.head.value()
        return "" if self.kind == "defaults" and name == "from" else name

    @property
    def parent(self) -> str:
        """The defaults that its head names: `from NAME`."""
        words = self.head.words
        return words[words.index("from", 1) + 1] if "from" in words[1:-1] else ""


def read_sections(files: Sequence[tuple[str, str]]) -> list[HaproxySection]:
    """The sections of these files (name and text), read as one, as HAProxy does with several -f."""
    found: list[HaproxySection] = []
    environment: dict[str, str] = {}
    for name, text in files:
        for line in _lines(name, text, environment):
            if line.keyword in SECTIONS:
                found.append(HaproxySection(line))
            elif not found:
                raise TargetError(
                    f"{line.place}: {line.text!r} stands before any section (global, defaults, frontend, …)"
                )
            else:
                found[-1].lines.append(line)
                if found[-1].kind == "global" and line.keyword in ("setenv", "presetenv", "unsetenv"):
                    environment.pop(line.value(), None)
                    if line.keyword == "setenv" and not (line.is_conditional or line.unknown):
                        environment[line.value()] = line.value(2)
    return found


def _lines(name: str, text: str, environment: dict[str, str]) -> Iterator[HaproxyLine]:
    """The lines that are no conditions; each knows whether it stands within one."""
    conditions: list[Place] = []
    for number, written in enumerate(text.split("\n"), start=1):
        line = cut_into_words(written.rstrip("\r"), Place(name, number), environment)
        if not line.words:
            continue
        if "{{" in written or "{%" in written or "<%" in written:
            raise TargetError(f"{line.place}: a template's braces: give the file that is made of the template")
        if line.keyword == ".if":
            conditions.append(line.place)
        elif line.keyword in (".elif", ".else", ".endif"):
            if not conditions:
                raise TargetError(f"{line.place}: {line.keyword!r} without an '.if' before it")
            if line.keyword == ".endif":
                conditions.pop()
        elif not line.keyword.startswith("."):
            yield replace(line, is_conditional=bool(conditions))
    if conditions:
        raise TargetError(f"{conditions[-1]}: an '.if' without its '.endif'")


Lines = tuple[HaproxyLine, ...]


@dataclass(frozen=True, slots=True)
class Proxy:
    """A frontend, listen or backend section with what it inherits, the inherited lines first."""

    section: HaproxySection
    lines: Lines

    @property
    def name(self) -> str:
        return self.section.name

    @property
    def listens(self) -> bool:
        return self.section.kind != "backend"

    def last(self, *words: str) -> HaproxyLine | None:
        """The last line that begins with these words: it counts."""
        return next((line for line in reversed(self.lines) if line.words[: len(words)] == words), None)

    def option(self, name: str) -> HaproxyLine | None:
        """The line that switches an option on; None where none does, or a later one switches it off."""
        for line in reversed(self.lines):
            if line.words[:2] == ("option", name):
                return line
            if line.words[:3] in (("no", "option", name), ("default", "option", name)):
                return None
        return None

    @property
    def mode(self) -> str:
        """`tcp` where nothing is said, as in HAProxy."""
        line = self.last("mode")
        return line.value() if line else "tcp"


def resolve_proxies(sections: Sequence[HaproxySection]) -> list[Proxy]:
    """Each proxy inherits from the defaults that its head names, else from the last before it."""
    named: dict[str, Lines] = {}
    current: Lines = ()
    found = []
    for section in sections:
        if section.kind == "defaults":
            current = (*_inherited(section, named, ()), *section.lines)
            if section.name:
                named[section.name] = current
        elif section.kind in PROXIES:
            if not section.name:
                raise TargetError(f"{section.head.place}: {section.kind!r} has no name")
            found.append(Proxy(section, (*_inherited(section, named, current), *section.lines)))
    return found


def _inherited(section: HaproxySection, named: dict[str, Lines], otherwise: Lines) -> Lines:
    if not section.parent:
        return otherwise
    if section.parent not in named:
        raise TargetError(f"{section.head.place}: there is no 'defaults {section.parent}' before it")
    return named[section.parent]


def global_lines(sections: Sequence[HaproxySection]) -> Lines:
    """The lines of all global sections."""
    return tuple(line for section in sections if section.kind == "global" for line in section.lines)


def last_line(lines: Sequence[HaproxyLine], *words: str) -> HaproxyLine | None:
    return next((line for line in reversed(lines) if line.words[: len(words)] == words), None)
