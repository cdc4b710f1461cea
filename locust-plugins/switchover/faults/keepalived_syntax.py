"""The grammar of a keepalived.conf: statements of words, nested by braces, with comments, quotes and includes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from switchover.model.errors import TargetError

MAX_BYTES = 1 << 20
"""Of one file: real ones have a few kilobytes, a huge one is another file."""

MAX_FILES = 64
MAX_DEPTH = 16
"""Of blocks, and of files that include files."""

_INCLUDES = ("include", "includer", "includem", "includew", "includeb", "includea")
_DEFINITION = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
_USE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
_TOKEN = re.compile(r'\s+|[#!].*|"((?:[^"\\]|\\.)*)"|([{}])|([^\s{}"#!]+)|(")')


@dataclass(slots=True)
class Statement:
    """A line, and the block behind it if it has one."""

    words: tuple[str, ...]
    place: str
    """`file:line`, for messages."""
    block: list["Statement"] = field(default_factory=list)

    @property
    def keyword(self) -> str:
        return self.words[0]

    def error(self, what: str) -> TargetError:
        return TargetError(f"{self.place}: {' '.join(self.words)[:80]!r} {what}")


def read_statements(path: Path) -> list[Statement]:
    """The whole file with what it includes. Raises TargetError with the place of the first fault."""
    return _Reader().read(path, depth=0)


class _Reader:
    """Follows includes; definitions (`$NAME=value`) hold from their line on, across files, as in Keepalived."""

    def __init__(self) -> None:
        self._files = 0
        self._definitions: dict[str, str] = {}

    def read(self, path: Path, depth: int) -> list[Statement]:
        self._files += 1
        if self._files > MAX_FILES or depth > MAX_DEPTH:
            raise TargetError(f"{path}: includes more than {MAX_FILES} files, or itself")
        top: list[Statement] = []
        open_blocks: list[tuple[Statement | None, list[Statement]]] = [(None, top)]
        last: Statement | None = None
        for number, line in enumerate(_lines(path), start=1):
            place = f"{path}:{number}"
            for words, brace in self._parts(line, place):
                if words:
                    last = Statement(words, place)
                    if words[0] in _INCLUDES:
                        open_blocks[-1][1].extend(self._include(last, path.parent, depth))
                        last = None
                    else:
                        open_blocks[-1][1].append(last)
                if brace == "{":
                    if last is None:
                        raise TargetError(f"{place}: a '{{' with nothing before it to open")
                    if len(open_blocks) > MAX_DEPTH:
                        raise TargetError(f"{place}: more than {MAX_DEPTH} blocks in one another")
                    open_blocks.append((last, last.block))
                    last = None
                elif brace == "}":
                    if len(open_blocks) == 1:
                        raise TargetError(f"{place}: a '}}' that closes nothing")
                    open_blocks.pop()
                    last = None
        unclosed = open_blocks[-1][0]
        if unclosed is not None:
            raise unclosed.error("opens a block that is never closed")
        return top

    def _parts(self, line: str, place: str) -> Iterator[tuple[tuple[str, ...], str]]:
        """The line cut at its braces: words, and the brace behind them or nothing."""
        stripped = line.strip()
        if stripped.startswith(("@", "~")):
            raise TargetError(
                f"{place}: {stripped[:40]!r} depends on how Keepalived is started: give the file as one node sees it"
            )
        definition = _DEFINITION.match(stripped)
        if definition:
            if definition[2].endswith("\\"):
                raise TargetError(f"{place}: a definition over several lines is not read: write its value out")
            self._definitions[definition[1]] = definition[2].strip().strip('"')
            return
        words: list[str] = []
        for token, is_brace in _tokens(self._substituted(line), place):
            if is_brace:
                yield tuple(words), token
                words = []
            else:
                words.append(token)
        if words:
            yield tuple(words), ""

    def _substituted(self, line: str) -> str:
        """Definitions filled in once; what is not defined stands as it is (Keepalived does the same)."""
        if "$" not in line:
            return line
        return _USE.sub(lambda use: self._definitions.get(use[1] or use[2], use[0]), line)[:MAX_BYTES]

    def _include(self, statement: Statement, directory: Path, depth: int) -> list[Statement]:
        if len(statement.words) != 2:
            raise statement.error("needs one file name or pattern")
        pattern = directory / statement.words[1]
        try:
            found = sorted(path for path in pattern.parent.glob(pattern.name) if path.is_file())
        except (OSError, ValueError, IndexError, NotImplementedError) as error:
            raise statement.error(f"is no pattern of file names: {error}") from error
        if not found and not (set(pattern.name) & set("*?[") and pattern.parent.is_dir()):
            raise statement.error("is not here: copy what it includes to its place, or into this file")
        return [inner for path in found for inner in self.read(path, depth + 1)]


def _tokens(line: str, place: str) -> Iterator[tuple[str, bool]]:
    """Words and braces of a line; comments begin with # or ! and end with the line."""
    position = 0
    while position < len(line):
        match = _TOKEN.match(line, position)
        if match is None or match[4]:
            raise TargetError(f"{place}: a quote that is never closed")
        position = match.end()
        if match[1] is not None:
            yield re.sub(r"\\(.)", r"\1", match[1]), False
        elif match[2]:
            yield match[2], True
        elif match[3]:
            yield match[3], False


def _lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise TargetError(f"cannot read {path}: {reason}") from error
    if len(data) > MAX_BYTES:
        raise TargetError(f"{path}: larger than {MAX_BYTES:,} bytes: this is no keepalived.conf")
    if b"\0" in data:
        raise TargetError(f"{path}: holds binary data: this is no keepalived.conf")
    return data.decode("utf-8", "replace").split("\n")
