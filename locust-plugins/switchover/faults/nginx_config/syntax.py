"""The grammar of an nginx.conf: directives of words that end in `;` or open a block; includes are followed.

Nginx's own rules (ngx_conf_file.c: quotes, escapes, comments); a block of Lua is skipped as it is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from switchover.faults.config_file import Place, Words, find_files, read_text
from switchover.model.errors import TargetError

MAX_FILES = 500
MAX_DEPTH = 32
"""Of blocks, and of files that include files."""

HOME = Path("/etc/nginx")
"""Where packages keep their configuration: of a copy, what stands below it is looked for beside the copy."""

_TOKEN = re.compile(
    r"""[ \t\r\n]+ | \#[^\n]*
    | (?P<mark>[;{}])
    | "(?P<double>(?:\\[\s\S]|[^"\\])*)" | '(?P<single>(?:\\[\s\S]|[^'\\])*)'
    | (?P<word>(?!["'])(?:\\[\s\S]|\\\Z|\$\{|[^ \t\r\n;{\\])+)""",
    re.VERBOSE,
)
"""Blanks and comments have no name. A brace within a word opens a block, unless a dollar stands before it."""
_ESCAPED = re.compile(r"\\([\s\S])")


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
    """The whole file with what it includes. Raises TargetError with the place.

    `text` is the file's own text where it has been read already.
    """
    reader = _IncludeReader(path.parent)
    reader.syntax.directives = reader.read(path, 0, text)
    return reader.syntax


def parse(text: str, name: str) -> list[Directive]:
    """The directives of one file, its includes among them as they stand."""
    top: list[Directive] = []
    blocks: list[tuple[Directive | None, list[Directive]]] = [(None, top)]
    words: list[str] = []
    first: Place | None = None
    tokens = _Tokens(text, name)
    for token, place, is_mark in tokens:
        if not is_mark:
            first = first or place
            words.append(token)
            if "{{" in token or token.startswith(("{%", "<%")):
                raise TargetError(f"{place}: a template's braces: give the file that is made of the template")
            continue
        if token == "}":
            if words:
                raise TargetError(f"{place}: '}}' where {words[0]!r} should end in ';'")
            if len(blocks) == 1:
                raise TargetError(f"{place}: a '}}' that closes nothing")
            blocks.pop()
            continue
        if not words or first is None:
            raise TargetError(f"{place}: {token!r} with no directive before it")
        directive = Directive(tuple(words), first, opens=token == "{")
        blocks[-1][1].append(directive)
        words, first = [], None
        if token == "{" and directive.keyword.endswith("_by_lua_block"):
            tokens.skip_block(place)
        elif token == "{":
            if len(blocks) > MAX_DEPTH:
                raise TargetError(f"{place}: more than {MAX_DEPTH} blocks in one another")
            blocks.append((directive, directive.block))
    if words:
        raise TargetError(f"{first}: {words[0]!r} never ends in ';'")
    if len(blocks) > 1:
        unclosed = blocks[-1][0]
        assert unclosed is not None
        raise TargetError(f"{unclosed.place}: {unclosed.text!r} opens a block that is never closed")
    return top


class _IncludeReader:
    def __init__(self, home: Path) -> None:
        self.syntax = NginxSyntax()
        self._home = home
        self._files = 0

    def read(self, path: Path, depth: int, text: str | None = None) -> list[Directive]:
        self._files += 1
        if self._files > MAX_FILES or depth > MAX_DEPTH:
            raise TargetError(f"{path}: includes more than {MAX_FILES} files, or itself")
        return self._follow(parse(read_text(path, "nginx.conf") if text is None else text, str(path)), depth)

    def _follow(self, directives: list[Directive], depth: int) -> list[Directive]:
        found: list[Directive] = []
        for directive in directives:
            if directive.keyword == "include" and not directive.opens:
                found += self._include(directive, depth)
            else:
                directive.block = self._follow(directive.block, depth)
                found.append(directive)
        return found

    def _include(self, directive: Directive, depth: int) -> list[Directive]:
        if len(directive.words) != 2:
            raise TargetError(f"{directive.place}: {directive.text!r} needs one file name or pattern")
        files = self._find(directive)
        if not files:
            self.syntax.missing.append(directive)
        return [inner for path in files for inner in self.read(path, depth + 1)]

    def _find(self, directive: Directive) -> list[Path]:
        """Relative to the main file, as Nginx does; of a copy, /etc/nginx is the folder of the copy."""
        named = Path(directive.value())
        if named.is_relative_to(HOME) and self._home.absolute() != HOME:
            named = named.relative_to(HOME)
        return find_files(self._home / named, f"{directive.place}: {directive.text!r}")


class _Tokens:
    """Words and marks (`;`, `{`, `}`) of a text, each with its place."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._position = 0
        self._line = 1

    def __iter__(self) -> Iterator[tuple[str, Place, bool]]:
        while self._position < len(self._text):
            place = Place(self._name, self._line)
            found = _TOKEN.match(self._text, self._position)
            if found is None:
                raise TargetError(f"{place}: a quote that is never closed")
            self._position = found.end()
            self._line += found[0].count("\n")
            if found.lastgroup == "mark":
                yield found[0], place, True
            elif found.lastgroup is not None:
                yield _ESCAPED.sub(_unescaped, found[found.lastgroup]), place, False

    def skip_block(self, opened: Place) -> None:
        """Lua up to the brace that closes the block: braces are counted, also within strings and comments of Lua."""
        depth = 1
        while depth:
            if self._position >= len(self._text):
                raise TargetError(f"{opened}: a block that is never closed")
            character = self._text[self._position]
            depth += (character == "{") - (character == "}")
            self._line += character == "\n"
            self._position += 1


def _unescaped(found: re.Match[str]) -> str:
    """A backslash that escapes nothing stays."""
    special = {"t": "\t", "r": "\r", "n": "\n", '"': '"', "'": "'", "\\": "\\"}
    return special.get(found[1], found[0])
