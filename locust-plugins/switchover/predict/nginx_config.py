"""nginx.conf as Nginx reads it: directives in blocks, includes, and the inheritance of servers and locations.

The rules are Nginx's own (ngx_conf_file.c: quotes, escapes, comments). A Lua block is skipped.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from switchover.model.errors import TargetError
from switchover.predict.config_file import Place, Words, find_files, read_text, refuse_template

MAX_FILES = 500
MAX_DEPTH = 32
"""The deepest nesting of blocks, and of included files."""

HOME = Path("/etc/nginx")
"""The directory of packaged configurations. If a copy includes a file below it, the file is searched near the
copy."""

_TOKEN = re.compile(
    r"""[ \t\r\n]+ | \#[^\n]*
    | (?P<mark>[;{}])
    | "(?P<double>(?:\\[\s\S]|[^"\\])*)" | '(?P<single>(?:\\[\s\S]|[^'\\])*)'
    | (?P<word>(?!["'])(?:\\[\s\S]|\\\Z|\$\{|[^ \t\r\n;{\\])+)""",
    re.VERBOSE,
)
"""Blanks and comments have no name. A brace within a word opens a block, unless a dollar stands before it."""
_ESCAPED = re.compile(r"\\([\s\S])")
_PART = re.compile(r"([0-9]{1,12})(ms|[smhdwMy]?)\s*", re.ASCII)
_UNITS = {"ms": 1e-3, "": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_UNITS |= {"M": 30 * 86400.0, "y": 365 * 86400.0}

PROXYING = ("proxy_set_header", "proxy_http_version")


@dataclass(slots=True)
class Directive(Words):
    """One directive, and its block if it opens one."""

    words: tuple[str, ...]
    place: Place
    block: list["Directive"] = field(default_factory=list)
    opens: bool = False


@dataclass(slots=True)
class NginxSyntax:
    """A whole configuration with what it includes, and the includes that found no file here."""

    directives: list[Directive] = field(default_factory=list)
    missing: list[Directive] = field(default_factory=list)


def read_syntax(path: Path, text: str | None = None) -> NginxSyntax:
    """Read the whole file with its includes. Raises TargetError with the place.

    `text` is the content of the file, if it was read already.
    """
    syntax, home, files = NginxSyntax(), path.parent, count(1)

    def read(path: Path, depth: int, text: str | None = None) -> list[Directive]:
        if next(files) > MAX_FILES or depth > MAX_DEPTH:
            raise TargetError(f"{path}: includes more than {MAX_FILES} files, or itself")
        return follow(parse(read_text(path, "nginx.conf") if text is None else text, str(path)), depth)

    def follow(directives: list[Directive], depth: int) -> list[Directive]:
        followed: list[Directive] = []
        for directive in directives:
            if directive.keyword != "include" or directive.opens:
                directive.block = follow(directive.block, depth)
                followed.append(directive)
                continue
            if len(directive.words) != 2:
                raise TargetError(f"{directive.place}: {directive.text!r} needs one file name or pattern")
            named = Path(directive.value())
            if named.is_relative_to(HOME) and home.absolute() != HOME:
                named = named.relative_to(HOME)
            paths = find_files(home / named, f"{directive.place}: {directive.text!r}")
            if not paths:
                syntax.missing.append(directive)
            followed += [inner for path in paths for inner in read(path, depth + 1)]
        return followed

    syntax.directives = read(path, 0, text)
    return syntax


def parse(text: str, name: str) -> list[Directive]:
    """Return the directives of one file. Its includes are not resolved."""
    top: list[Directive] = []
    opened: list[Directive] = []
    words: list[str] = []
    first: Place | None = None
    position, line = 0, 1
    while position < len(text):
        place = Place(name, line)
        match = _TOKEN.match(text, position)
        if match is None:
            raise TargetError(f"{place}: a quote that is never closed")
        position = match.end()
        line += match[0].count("\n")
        token = match[0]
        if match.lastgroup is None:
            continue
        if match.lastgroup != "mark":
            refuse_template(match[match.lastgroup], place)
            words.append(_ESCAPED.sub(_unescaped, match[match.lastgroup]))
            first = first or place
        elif token == "}":
            if words:
                raise TargetError(f"{place}: '}}' where {words[0]!r} should end in ';'")
            if not opened:
                raise TargetError(f"{place}: a '}}' that closes nothing")
            opened.pop()
        elif first is None:
            raise TargetError(f"{place}: {token!r} with no directive before it")
        else:
            directive = Directive(tuple(words), first, opens=token == "{")
            (opened[-1].block if opened else top).append(directive)
            words, first = [], None
            if token == "{" and directive.keyword.endswith("_by_lua_block"):
                end = _end_of_lua(text, position, place)
                line += text.count("\n", position, end)
                position = end
            elif token == "{":
                opened.append(directive)
            if len(opened) > MAX_DEPTH:
                raise TargetError(f"{place}: more than {MAX_DEPTH} blocks in one another")
    if words:
        raise TargetError(f"{first}: {words[0]!r} never ends in ';'")
    if opened:
        raise TargetError(f"{opened[-1].place}: {opened[-1].text!r} opens a block that is never closed")
    return top


def _end_of_lua(text: str, position: int, opened: Place) -> int:
    """Return the position after the brace that closes a block of Lua. Braces in its strings count, too."""
    depth = 1
    while depth:
        if position >= len(text):
            raise TargetError(f"{opened}: a block that is never closed")
        depth += (text[position] == "{") - (text[position] == "}")
        position += 1
    return position


def _unescaped(found: re.Match[str]) -> str:
    """A backslash that escapes nothing stays."""
    special = {"t": "\t", "r": "\r", "n": "\n", '"': '"', "'": "'", "\\": "\\"}
    return special.get(found[1], found[0])


def time_s(directive: Directive, position: int = 1) -> float:
    """Return the seconds. Raises TargetError for text that is not a time: Nginx refuses it too."""
    text = directive.value(position)
    parts = list(_PART.finditer(text))
    if not text or "".join(part[0] for part in parts) != text:
        raise TargetError(
            f"{directive.place}: {directive.text!r} has no time such as 500ms, 30s or 2m: Nginx refuses it"
        )
    return sum(int(part[1]) * _UNITS[part[2]] for part in parts)


@dataclass(frozen=True, slots=True)
class Context:
    """A server with the directives in force there."""

    name: str
    place: Place
    settings: Mapping[str, Directive]
    """The directives in force, by name. If a name occurs several times, the last directive of the innermost block
    counts."""
    proxied: Sequence[Sequence[Directive]]
    """The directives of PROXYING in force, for the server and for each of its locations."""
    is_stream: bool = False
    listens: tuple[Directive, ...] = ()
    of_location: Directive | None = None
    """A keep-alive setting that applies to one location only."""


def find_servers(directives: Sequence[Directive]) -> Iterator[Context]:
    for top in directives:
        for server in top.block if top.keyword in ("http", "stream") else ():
            if server.keyword == "server":
                listens = tuple(one for one in server.block if one.keyword == "listen")
                words = (word for one in server.block if one.keyword == "server_name" for word in one.words[1:])
                listened = " ".join(one.value() for one in listens) or "80"
                yield Context(
                    name=next((word for word in words if word not in ("", "_")), listened),
                    place=server.place,
                    settings={one.keyword: one for one in (*top.block, *server.block)},
                    proxied=list(_proxied(server, _inherit(top.block, ()))),
                    is_stream=top.keyword == "stream",
                    listens=listens,
                    of_location=next(_of_locations(server), None),
                )


def _inherit(block: Sequence[Directive], around: Sequence[Directive]) -> list[Directive]:
    """Add the inherited directives to a block. A block with directives of a name in PROXYING inherits none of that
    name."""
    own = [one for one in block if one.keyword in PROXYING]
    names = {one.keyword for one in own}
    return [*(one for one in around if one.keyword not in names), *own]


def _of_locations(block: Directive) -> Iterator[Directive]:
    for location in block.block:
        if location.keyword == "location":
            yield from (one for one in location.block if one.keyword.startswith("keepalive_"))
            yield from _of_locations(location)


def _proxied(block: Directive, around: Sequence[Directive]) -> Iterator[Sequence[Directive]]:
    inherited = _inherit(block.block, around)
    yield inherited
    for directive in block.block:
        if directive.keyword == "location":
            yield from _proxied(directive, inherited)
