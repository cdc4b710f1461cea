"""keepalived.conf as nested statements, with its includes, `@id` conditions and `$NAME` definitions resolved.

The grammar is that of keepalived.conf(5), "Advanced configuration". `~SEQ` and `~LST`, which repeat a line, are
refused.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from switchover.model.errors import TargetError
from switchover.predict.config_file import Words, find_files, read_text, refuse_template

MAX_BYTES = 1 << 20
"""The limit for one file. Real files have a few kilobytes, so a larger file is a wrong file."""

MAX_FILES = 64
MAX_DEPTH = 16
"""The deepest nesting of blocks, and of included files."""

MAX_LENGTH = 1 << 16
MAX_ROUNDS = 32
"""The limit of replacements in one line, and of definitions within definitions."""

_INCLUDES = ("include", "includer", "includem", "includew", "includeb", "includea")
_TOKEN = re.compile(r"""\s+|"([^"]*)"|'([^']*)'(?=\s|$)|([{}])|([^\s{}"]+)|(")""")
_DEFINITION = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)", re.ASCII | re.DOTALL)
_USE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*)(?=\s|$))", re.ASCII)
_BEFORE_COMMENT = re.compile(r'(?:"[^"]*"?|[^"#!])*')


@dataclass(slots=True)
class Statement(Words):
    """A line, and the block after it if it has one."""

    words: tuple[str, ...]
    place: str
    block: list["Statement"] = field(default_factory=list)


@dataclass(slots=True)
class Syntax:
    """A whole configuration with what it includes."""

    statements: list[Statement] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    config_ids: set[str] = field(default_factory=set)
    """The ids that conditions (`@id`) name."""
    not_included: list[str] = field(default_factory=list)
    """The `include` lines that find no file."""


def read_syntax(path: Path, config_id: str | None = None, text: str | None = None) -> Syntax:
    """Read the file with its includes, as Keepalived started with `--config-id` reads it.

    `text` is the content of the file, if it was read already. Raises TargetError with the place of a line without
    meaning.
    """
    reader = _Reader(config_id)
    reader.syntax.statements = reader.read(path, 0, text)
    return reader.syntax


class _Reader:
    """Follows includes. A definition applies to the lines after it, across files."""

    def __init__(self, config_id: str | None) -> None:
        self.syntax = Syntax()
        self._config_id = config_id
        self._definitions = {} if config_id is None else {"_INSTANCE": config_id}
        self._files = 0

    def read(self, path: Path, depth: int, text: str | None = None) -> list[Statement]:
        self._files += 1
        if self._files > MAX_FILES or depth > MAX_DEPTH:
            raise TargetError(f"{path}: includes more than {MAX_FILES} files, or itself")
        top: list[Statement] = []
        opened: list[Statement] = []
        last: Statement | None = None
        for place, line in self._lines_of(
            path, read_text(path, "keepalived.conf", MAX_BYTES) if text is None else text
        ):
            for words, brace in _parts(line, place):
                block = opened[-1].block if opened else top
                if words and words[0] in _INCLUDES:
                    block += self._include(Statement(words, place), path.parent, depth)
                    last = None
                elif words:
                    last = Statement(words, place)
                    block.append(last)
                if brace == "{":
                    if last is None:
                        raise TargetError(f"{place}: a '{{' with nothing before it to open")
                    if len(opened) >= MAX_DEPTH:
                        raise TargetError(f"{place}: more than {MAX_DEPTH} blocks in one another")
                    opened.append(last)
                elif brace and not opened:
                    self.syntax.remarks.append(f"a '}}' that closes nothing: Keepalived ignores it [{place}]")
                elif brace:
                    opened.pop()
                if brace:
                    last = None
        for one in opened:
            self.syntax.remarks.append(f"{one.text!r} opens a block that is never closed [{one.place}]")
        return top

    def _include(self, statement: Statement, directory: Path, depth: int) -> list[Statement]:
        named = f"{statement.place}: {statement.text!r}"
        if len(statement.words) != 2:
            raise TargetError(f"{named} needs one file name or pattern")
        found = find_files(directory / statement.words[1], named)
        if not found:
            self.syntax.not_included.append(named)
            unknown = "finds no file here: what it includes is unknown. Copy it to its place"
            self.syntax.remarks.append(f"{statement.text!r} {unknown} [{statement.place}]")
        return [inner for path in found for inner in self.read(path, depth + 1)]

    def _lines_of(self, path: Path, text: str) -> Iterator[tuple[str, str]]:
        """`file:line` and text of each line that is left, with its definitions filled in."""
        for number, line in enumerate(text.split("\n"), start=1):
            place = f"{path}:{number}"
            chosen = self._choose(_strip_comment(line), place)
            definition = _DEFINITION.match(chosen)
            if definition and definition[2].endswith("\\"):
                raise TargetError(f"{place}: a definition over several lines is not read: write out its lines")
            if definition:
                self._definitions[definition[1]] = definition[2].strip()
            elif chosen:
                yield place, self._fill_in(chosen, place)

    def _fill_in(self, text: str, place: str) -> str:
        """Return the line with its definitions replaced, also nested definitions."""
        if text.startswith(("~SEQ", "~LST")):
            raise TargetError(f"{place}: {text[:4]} is not read: write out the lines that it makes")
        for _ in range(MAX_ROUNDS):
            refuse_template(text, place)
            filled = _strip_comment(_USE.sub(lambda use: self._definitions.get(use[1] or use[2], use[0]), text))
            if filled == text:
                return text
            text = filled[:MAX_LENGTH]
        raise TargetError(f"{place}: definitions that fill in one another without end")

    def _choose(self, text: str, place: str) -> str:
        """Return the line without its condition, or nothing if the condition excludes the line."""
        while text.startswith("@"):
            word, *rest = text.split(None, 1)
            name = word[1:].removeprefix("^")
            self.syntax.config_ids.add(name)
            if self._config_id is None:
                raise TargetError(
                    f"{place}: {word!r} holds for one node only: say which node's configuration this is "
                    f"(--config-id, for {name} and its peer)"
                )
            if (name == self._config_id) == word.startswith("@^"):
                return ""
            text = rest[0] if rest else ""
        return text


def _strip_comment(line: str) -> str:
    """Return the line without outer blanks and without its comment, which starts with # or ! outside double
    quotes."""
    found = _BEFORE_COMMENT.match(line.strip())
    return found[0].rstrip() if found else ""


def _parts(line: str, place: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Split the line at its braces. Yield words, and the brace after them or nothing."""
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


OFF = ("off", "false", "no")
_INT_MAX = 2**31 - 1

NUMBERS: dict[str, tuple[float, float]] = {
    "vrrp_version": (2, 3),
    "vrrp_down_timer_adverts": (1, 100),
    "version": (2, 3),
    "virtual_router_id": (1, 255),
    "priority": (1, 255),
    "advert_int": (0.01, 255.0),
    "preempt_delay": (0.0, 1000.0),
    "down_timer_adverts": (1, 100),
    "interval": (0.001, 4294.0),
    "timeout": (0.001, 4294.0),
    "rise": (1, _INT_MAX),
    "fall": (1, _INT_MAX),
    "weight": (-254, 254),
    "delay": (0.0, 3600.0),
    "terminate_delay": (0.0, 3600.0),
}
"""The bounds of each number that a prediction uses. Integer bounds require an integer, other numbers are seconds."""


class Block:
    """The statements of one block, or of a whole file. The last statement of a keyword counts, as in Keepalived."""

    def __init__(self, statements: Sequence[Statement], place: str = "", remarks: list[str] | None = None) -> None:
        """Take the statements. `remarks` collects the statements that Keepalived ignores or changes."""
        self.statements = statements
        self.place = place
        self.remarks: list[str] = [] if remarks is None else remarks

    def remark(self, place: str, text: str) -> None:
        self.remarks.append(f"{text} [{place}]")

    def last(self, keyword: str) -> Statement | None:
        return next((s for s in reversed(self.statements) if s.keyword == keyword), None)

    def lines(self, keyword: str) -> list[Statement]:
        return [line for statement in self.statements if statement.keyword == keyword for line in statement.block]

    def place_of(self, keyword: str) -> str:
        """Return the place of the keyword, or of the block if the keyword is missing."""
        statement = self.last(keyword)
        return statement.place if statement else self.place

    def is_on(self, keyword: str, default: bool) -> bool:
        statement = self.last(keyword)
        return default if statement is None else statement.value() not in OFF

    def word(self, keyword: str) -> str:
        """The value of a keyword, or nothing if it is not here. Raises TargetError for a keyword alone."""
        statement = self.last(keyword)
        if statement is None:
            return ""
        if not statement.value():
            raise TargetError(f"{statement.place}: {keyword!r} has no value: Keepalived stops at such a file")
        return statement.value()

    def number(self, *keywords: str) -> float | None:
        """The number of the last statement of any of these keywords; None: there is none."""
        statement = next((s for s in reversed(self.statements) if s.keyword in keywords), None)
        return None if statement is None else read_number(statement, statement.keyword, statement.value())

    def whole(self, keyword: str, default: int) -> int:
        found = self.number(keyword)
        return default if found is None else int(found)


def read_number(statement: Statement, rule: str, text: str) -> float:
    """Return a plain decimal within the bounds of its rule. Raises TargetError with the place for other text."""
    low, high = NUMBERS[rule]
    whole = isinstance(low, int)
    if re.fullmatch(r"[+-]?[0-9]{1,12}" if whole else r"[0-9]{1,12}(\.[0-9]*)?", text, re.ASCII):
        value = float(text)
        if low <= value <= high:
            return value
    kind = "a whole number" if whole else "a plain number"
    raise TargetError(f"{statement.place}: {statement.text!r} must have {kind} from {low:g} to {high:g}")
