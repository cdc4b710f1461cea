"""The grammar of a keepalived.conf: statements of words, nested by braces.

Conditions, definitions and sequences are Keepalived's own (keepalived.conf(5), "Advanced configuration"). What
Keepalived only logs and goes on after is a remark here, not an error.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from switchover.faults.config_file import Words, find_files, read_text
from switchover.faults.keepalived.expansion import Expander
from switchover.model.errors import TargetError

MAX_BYTES = 1 << 20
"""Of one file: real ones have a few kilobytes, a huge one is another file."""

MAX_FILES = 64
MAX_DEPTH = 16
"""Of blocks, and of files that include files."""

_INCLUDES = ("include", "includer", "includem", "includew", "includeb", "includea")
_TOKEN = re.compile(r"""\s+|"([^"]*)"|'([^']*)'(?=\s|$)|([{}])|([^\s{}"]+)|(")""")


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about a file that a person should know, with its place (`file:line`)."""

    place: str
    text: str


@dataclass(slots=True)
class Statement(Words):
    """A line, and the block behind it if it has one."""

    words: tuple[str, ...]
    place: str
    block: list["Statement"] = field(default_factory=list)
    has_braces: bool = False


@dataclass(slots=True)
class Syntax:
    """A whole configuration with what it includes."""

    statements: list[Statement] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    config_ids: set[str] = field(default_factory=set)
    """The ids that conditions (`@id`) name."""
    not_included: list[str] = field(default_factory=list)
    """The `include` lines that find no file."""


def read_syntax(path: Path, config_id: str | None = None, text: str | None = None) -> Syntax:
    """The whole file with what it includes, as Keepalived sees it when started with `--config-id`.

    `text` is the file's own text where it has been read already. Raises TargetError with the place where no meaning
    can be given to a line.
    """
    reader = _Reader(config_id)
    reader.syntax.statements = reader.read(path, depth=0, text=text)
    reader.syntax.config_ids = reader.expander.config_ids
    return reader.syntax


class _Reader:
    """Follows includes; definitions hold from their line on, across files."""

    def __init__(self, config_id: str | None) -> None:
        self.expander = Expander(config_id)
        self.syntax = Syntax()
        self._files = 0

    def read(self, path: Path, depth: int, text: str | None = None) -> list[Statement]:
        self._files += 1
        if self._files > MAX_FILES or depth > MAX_DEPTH:
            raise TargetError(f"{path}: includes more than {MAX_FILES} files, or itself")
        top: list[Statement] = []
        open_blocks: list[tuple[Statement | None, list[Statement]]] = [(None, top)]
        last: Statement | None = None
        lines = (read_text(path, "keepalived.conf", MAX_BYTES) if text is None else text).split("\n")
        for place, line in self.expander.expand_file(path, lines):
            for words, brace in _parts(line, place):
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
                    last.has_braces = True
                    open_blocks.append((last, last.block))
                    last = None
                elif brace == "}":
                    if len(open_blocks) == 1:
                        self._remark(place, "a '}' that closes nothing: Keepalived ignores it")
                    else:
                        open_blocks.pop()
                    last = None
        for unclosed, _ in open_blocks[1:]:
            assert unclosed is not None
            self._remark(unclosed.place, f"{unclosed.text!r} opens a block that is never closed")
        return top

    def _include(self, statement: Statement, directory: Path, depth: int) -> list[Statement]:
        if len(statement.words) != 2:
            raise TargetError(f"{statement.place}: {statement.text!r} needs one file name or pattern")
        found = find_files(directory / statement.words[1], f"{statement.place}: {statement.text!r}")
        if not found:
            self.syntax.not_included.append(f"{statement.place}: {statement.text!r}")
            self._remark(
                statement.place,
                f"{statement.text!r} finds no file here: what it includes is unknown. Copy it to its place",
            )
        return [inner for path in found for inner in self.read(path, depth + 1)]

    def _remark(self, place: str, text: str) -> None:
        self.syntax.remarks.append(Remark(place, text))


def _parts(line: str, place: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The line cut at its braces: words, and the brace behind them or nothing."""
    words: list[str] = []
    position = 0
    while position < len(line):
        match = _TOKEN.match(line, position)
        if match is None or match[5]:
            raise TargetError(f"{place}: a quote that is never closed")
        position = match.end()
        double, single, brace, plain = match.group(1, 2, 3, 4)
        if brace:
            yield tuple(words), brace
            words = []
        elif not match[0].isspace():
            words.append(next(text for text in (double, single, plain) if text is not None))
    if words:
        yield tuple(words), ""
