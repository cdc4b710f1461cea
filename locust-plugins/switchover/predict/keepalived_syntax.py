"""keepalived.conf as nested statements, with its includes, `@id` conditions and `$NAME` definitions resolved.

The grammar is in keepalived.conf(5), "Advanced configuration". `~SEQ` and `~LST`, which repeat a line, are refused.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from switchover.model.errors import TargetError
from switchover.predict.config_file import Words, find_files, read_text, refuse_template

MAX_BYTES = 1 << 20
"""The size limit of one file. Real files have a few kilobytes."""

MAX_FILES = 64
MAX_DEPTH = 16
"""The maximum nesting of blocks and of included files."""

MAX_LENGTH = 1 << 16
MAX_ROUNDS = 32
"""The maximum number of replacements in one line, and of nested definitions."""

_INCLUDES = ("include", "includer", "includem", "includew", "includeb", "includea")
_TOKEN = re.compile(r"""\s+|"([^"]*)"|'([^']*)'(?=\s|$)|([{}])|([^\s{}"]+)|(")""")
_DEFINITION = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)", re.ASCII | re.DOTALL)
_USE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*)(?=\s|$))", re.ASCII)
_BEFORE_COMMENT = re.compile(r'(?:"[^"]*"?|[^"#!])*')


@dataclass(slots=True)
class Statement(Words):
    """A line, and the block that it opens."""

    words: tuple[str, ...]
    place: str
    block: list["Statement"] = field(default_factory=list)


@dataclass(slots=True)
class Syntax:
    """A configuration with its included files."""

    statements: list[Statement] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    config_ids: set[str] = field(default_factory=set)
    """The ids in conditions (`@id`)."""
    not_included: list[str] = field(default_factory=list)
    """The `include` lines that match no file."""


def read_syntax(path: Path, config_id: str | None = None, text: str | None = None) -> Syntax:
    """Read the file with its includes, as Keepalived does with `--config-id`.

    `text`: the content of the file, if it was already read. Raises TargetError with the place of a malformed line.
    """
    reader = _Reader(config_id)
    reader.syntax.statements = reader.read(path, 0, text)
    return reader.syntax


class _Reader:
    """Reads files with their includes. A definition applies to all lines after it, also in other files."""

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
                        raise TargetError(f"{place}: a '{{' without a name before it")
                    if len(opened) >= MAX_DEPTH:
                        raise TargetError(f"{place}: more than {MAX_DEPTH} nested blocks")
                    opened.append(last)
                elif brace and not opened:
                    self.syntax.remarks.append(f"a '}}' that closes nothing: Keepalived ignores it [{place}]")
                elif brace:
                    opened.pop()
                if brace:
                    last = None
        for unclosed in opened:
            self.syntax.remarks.append(f"{unclosed.text!r} opens a block that is never closed [{unclosed.place}]")
        return top

    def _include(self, statement: Statement, directory: Path, depth: int) -> list[Statement]:
        named = f"{statement.place}: {statement.text!r}"
        if len(statement.words) != 2:
            raise TargetError(f"{named} needs one file name or pattern")
        found = find_files(directory / statement.words[1], named)
        if not found:
            self.syntax.not_included.append(named)
            unknown = "matches no file: the content is unknown. Copy the file to this path"
            self.syntax.remarks.append(f"{statement.text!r} {unknown} [{statement.place}]")
        return [inner for path in found for inner in self.read(path, depth + 1)]

    def _lines_of(self, path: Path, text: str) -> Iterator[tuple[str, str]]:
        """Yield `file:line` and the text of each line, with conditions resolved and definitions replaced."""
        for number, line in enumerate(text.split("\n"), start=1):
            place = f"{path}:{number}"
            chosen = self._choose(_strip_comment(line), place)
            definition = _DEFINITION.match(chosen)
            if definition and definition[2].endswith("\\"):
                raise TargetError(f"{place}: a definition over several lines is not supported: write out its lines")
            if definition:
                self._definitions[definition[1]] = definition[2].strip()
            elif chosen:
                yield place, self._fill_in(chosen, place)

    def _fill_in(self, text: str, place: str) -> str:
        """Return the line with its definitions replaced, also nested definitions."""
        if text.startswith(("~SEQ", "~LST")):
            raise TargetError(f"{place}: {text[:4]} is not supported: write out the lines that it generates")
        for _ in range(MAX_ROUNDS):
            refuse_template(text, place)
            filled = _strip_comment(_USE.sub(lambda use: self._definitions.get(use[1] or use[2], use[0]), text))
            if filled == text:
                return text
            text = filled[:MAX_LENGTH]
        raise TargetError(f"{place}: definitions that refer to each other without end")

    def _choose(self, text: str, place: str) -> str:
        """Return the line without its condition. Empty: the condition excludes the line."""
        while text.startswith("@"):
            word, *rest = text.split(None, 1)
            name = word[1:].removeprefix("^")
            self.syntax.config_ids.add(name)
            if self._config_id is None:
                raise TargetError(
                    f"{place}: {word!r} applies to one node only: name the node of this configuration "
                    f"(--config-id, for {name} and its peer)"
                )
            if (name == self._config_id) == word.startswith("@^"):
                return ""
            text = rest[0] if rest else ""
        return text


def _strip_comment(line: str) -> str:
    """Return the line without outer blanks and without its comment. A comment starts with # or ! outside of double
    quotes."""
    match = _BEFORE_COMMENT.match(line.strip())
    return match[0].rstrip() if match else ""


def _parts(line: str, place: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Split a line at its braces. Yield the words before each brace, and the brace. The brace is empty at the line's
    end."""
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
"""The bounds of each number that a prediction uses. Integer bounds: an integer. Float bounds: seconds."""


class Block:
    """The statements of one block, or of a file. The last statement of a keyword takes effect, as in Keepalived."""

    def __init__(self, statements: Sequence[Statement], place: str = "", remarks: list[str] | None = None) -> None:
        """`remarks` collects the statements that Keepalived ignores or changes."""
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
        """Return the value of a keyword. Empty: the keyword is missing. Raises TargetError for a keyword without a
        value."""
        statement = self.last(keyword)
        if statement is None:
            return ""
        if not statement.value():
            raise TargetError(f"{statement.place}: {keyword!r} has no value: Keepalived stops at such a file")
        return statement.value()

    def number(self, *keywords: str) -> float | None:
        """Return the number in the last statement with one of these keywords. None: there is no such statement."""
        statement = next((s for s in reversed(self.statements) if s.keyword in keywords), None)
        return None if statement is None else read_number(statement, statement.keyword, statement.value())

    def whole(self, keyword: str, default: int) -> int:
        number = self.number(keyword)
        return default if number is None else int(number)


def read_number(statement: Statement, rule: str, text: str) -> float:
    """Return a decimal number within the bounds of a rule in `NUMBERS`. Raises TargetError for other text."""
    low, high = NUMBERS[rule]
    whole = isinstance(low, int)
    if re.fullmatch(r"[+-]?[0-9]{1,12}" if whole else r"[0-9]{1,12}(\.[0-9]*)?", text, re.ASCII):
        value = float(text)
        if low <= value <= high:
            return value
    kind = "a whole number" if whole else "a plain number"
    raise TargetError(f"{statement.place}: {statement.text!r} must have {kind} from {low:g} to {high:g}")
