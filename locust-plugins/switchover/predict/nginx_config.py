"""Parse an nginx.conf as Nginx reads it (ngx_conf_file.c). Files with Lua blocks are refused."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

from switchover.model.errors import TargetError
from switchover.predict.config_file import Statement, find_files, read_text, refuse_template

MAX_FILES = 500
MAX_DEPTH = 32
"""The maximum nesting of blocks and of included files."""

HOME = Path("/etc/nginx")
"""The directory of packaged configurations. If a copied file includes a path below this directory, the file next to
the copy is read."""

_TOKEN = re.compile(
    r"""[ \t\r\n]+ | \#[^\n]*
    | (?P<mark>[;{}])
    | "(?P<double>(?:\\[\s\S]|[^"\\])*)" | '(?P<single>(?:\\[\s\S]|[^'\\])*)'
    | (?P<word>(?!["'])(?:\\[\s\S]|\\\Z|\$\{|[^ \t\r\n;{\\])+)""",
    re.VERBOSE,
)
"""Matches a token. Blanks and comments have no named group. In a word, a brace opens a block unless it follows $."""
_PART = re.compile(r"([0-9]{1,12})(ms|[smhdwMy]?)\s*", re.ASCII)
_UNITS = {"ms": 1e-3, "": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_UNITS |= {"M": 30 * 86400.0, "y": 365 * 86400.0}


PROXYING = ("proxy_set_header", "proxy_http_version")


def read_syntax(path: Path, text: str | None = None) -> tuple[list[Statement], list[Statement]]:
    """Return the directives of a file and of its included files, and the includes that match no file. `text`: the
    file's content, if it was already read."""
    missing: list[Statement] = []
    home, files = path.parent, count(1)

    def read(path: Path, depth: int, text: str | None = None) -> list[Statement]:
        if next(files) > MAX_FILES or depth > MAX_DEPTH:
            raise TargetError(f"{path}: includes more than {MAX_FILES} files, or itself")
        return follow(parse(read_text(path, "nginx.conf") if text is None else text, str(path)), depth)

    def follow(directives: list[Statement], depth: int) -> list[Statement]:
        followed: list[Statement] = []
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
                missing.append(directive)
            followed += [inner for path in paths for inner in read(path, depth + 1)]
        return followed

    return read(path, 0, text), missing


def parse(text: str, name: str) -> list[Statement]:
    top: list[Statement] = []
    opened: list[Statement] = []
    words: list[str] = []
    first: str | None = None
    position, line = 0, 1
    while position < len(text):
        place = f"{name}:{line}"
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
            words.append(match[match.lastgroup])
            first = first or place
        elif token == "}":
            if words:
                raise TargetError(f"{place}: '}}' before the ';' that ends {words[0]!r}")
            if not opened:
                raise TargetError(f"{place}: a '}}' that closes nothing")
            opened.pop()
        elif first is None:
            raise TargetError(f"{place}: {token!r} without a directive before it")
        else:
            directive = Statement(tuple(words), first, opens=token == "{")
            (opened[-1].block if opened else top).append(directive)
            words, first = [], None
            if directive.keyword.endswith("_by_lua_block"):
                raise TargetError(f"{place}: {directive.keyword!r} is not supported: remove it from the copy")
            if token == "{":
                opened.append(directive)
            if len(opened) > MAX_DEPTH:
                raise TargetError(f"{place}: more than {MAX_DEPTH} nested blocks")
    if words:
        raise TargetError(f"{first}: {words[0]!r} has no ';' at its end")
    if opened:
        raise TargetError(f"{opened[-1].place}: {opened[-1].text!r} opens a block that is never closed")
    return top


def time_s(directive: Statement, position: int = 1) -> float:
    """Return the time that a directive has as word `position`, in seconds. Raises TargetError for text that Nginx
    refuses."""
    text = directive.value(position)
    parts = list(_PART.finditer(text))
    if not text or "".join(part[0] for part in parts) != text:
        raise TargetError(
            f"{directive.place}: {directive.text!r} needs a time such as 500ms, 30s or 2m: Nginx refuses this line"
        )
    return sum(int(part[1]) * _UNITS[part[2]] for part in parts)


class Context(NamedTuple):
    """A server block, and the directives that are in force in this block."""

    name: str
    place: str
    settings: Mapping[str, Statement]
    """For each directive name, the last such directive in the server block. If the server block has no such
    directive, the last such directive in the enclosing block."""
    proxied: Sequence[Statement]
    """The directives `proxy_set_header` and `proxy_http_version` of the server and of its locations."""
    is_stream: bool = False
    listens: tuple[Statement, ...] = ()
    location_setting: Statement | None = None
    """A keep-alive directive that applies only to one location of the server."""


def find_servers(directives: Sequence[Statement]) -> Iterator[Context]:
    for top in directives:
        inherited = [directive for directive in top.block if directive.keyword in PROXYING]
        for server in top.block if top.keyword in ("http", "stream") else ():
            if server.keyword == "server":
                listens = tuple(directive for directive in server.block if directive.keyword == "listen")
                words = (
                    word
                    for directive in server.block
                    if directive.keyword == "server_name"
                    for word in directive.words[1:]
                )
                listened = " ".join(directive.value() for directive in listens) or "80"
                yield Context(
                    name=next((word for word in words if word not in ("", "_")), listened),
                    place=server.place,
                    settings={directive.keyword: directive for directive in (*top.block, *server.block)},
                    proxied=[*inherited, *_proxied(server.block)],
                    is_stream=top.keyword == "stream",
                    listens=listens,
                    location_setting=next(_location_settings(server), None),
                )


def _proxied(block: Sequence[Statement]) -> Iterator[Statement]:
    for directive in block:
        if directive.keyword in PROXYING:
            yield directive
        yield from _proxied(directive.block)


def _location_settings(block: Statement) -> Iterator[Statement]:
    for location in block.block:
        if location.keyword == "location":
            yield from (directive for directive in location.block if directive.keyword.startswith("keepalive_"))
            yield from _location_settings(location)
