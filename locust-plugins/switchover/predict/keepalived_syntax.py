"""Parse a keepalived.conf (grammar: keepalived.conf(5)), and resolve includes, conditions (`@id`) and definitions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from switchover.model.errors import TargetError
from switchover.predict.config_file import Statement, find_files, read_text, refuse_template

MAX_BYTES = 1 << 20
"""The size limit of one file. Real files have a few kilobytes."""

MAX_FILES = 64
MAX_DEPTH = 16
"""The maximum nesting of blocks and of included files."""

_INCLUDES = ("include", "includer", "includem", "includew", "includeb", "includea")
_TOKEN = re.compile(r"""\s+|"([^"]*)"|'([^']*)'(?=\s|$)|([{}])|([^\s{}"]+)|(")""")
_BEFORE_COMMENT = re.compile(r'(?:"[^"]*"?|[^"#!])*')
_DEFINITION = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)", re.ASCII | re.DOTALL)
_USE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*)(?=\s|$))", re.ASCII)
MAX_LENGTH = 1 << 16
MAX_ROUNDS = 32
"""The maximum number of nested definitions."""


@dataclass(slots=True)
class Syntax:
    statements: list[Statement] = field(default_factory=list)
    not_included: list[str] = field(default_factory=list)
    """The `include` lines that match no file."""
    files: int = 0
    """The number of files that were read."""
    config_id: str | None = None
    """The value of Keepalived's `--config-id`. None: unknown, so conditions are refused."""
    config_ids: set[str] = field(default_factory=set)
    """The ids in conditions (`@id`)."""
    definitions: dict[str, str] = field(default_factory=dict)
    """The definitions that were read so far. A definition applies to all later lines, also in other files."""


def read_syntax(path: Path, text: str | None = None, config_id: str | None = None) -> Syntax:
    """Read the file and its includes. Raise TargetError with the file and line of an error. `text`: the file's
    content, if it was already read."""
    syntax = Syntax(config_id=config_id, definitions={} if config_id is None else {"_INSTANCE": config_id})
    syntax.statements = _read(syntax, path, 0, text)
    return syntax


def _read(syntax: Syntax, path: Path, depth: int, text: str | None = None) -> list[Statement]:
    syntax.files += 1
    if syntax.files > MAX_FILES or depth > MAX_DEPTH:
        raise TargetError(f"{path}: includes more than {MAX_FILES} files, or itself")
    top: list[Statement] = []
    opened: list[Statement] = []
    last: Statement | None = None
    for place, line in _lines(syntax, path, read_text(path, "keepalived.conf", MAX_BYTES) if text is None else text):
        for words, brace in _parts(line, place):
            block = opened[-1].block if opened else top
            if words and words[0] in _INCLUDES:
                block += _include(syntax, Statement(words, place), path.parent, depth)
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
                raise TargetError(f"{place}: a '}}' that closes no block")
            elif brace:
                opened.pop()
            if brace:
                last = None
    if opened:
        raise TargetError(f"{opened[-1].place}: {opened[-1].text!r} opens a block that is never closed")
    return top


def _include(syntax: Syntax, statement: Statement, directory: Path, depth: int) -> list[Statement]:
    named = f"{statement.place}: {statement.text!r}"
    if len(statement.words) != 2:
        raise TargetError(f"{named} needs one file name or pattern")
    paths = find_files(directory / statement.words[1], named)
    if not paths:
        syntax.not_included.append(named)
    return [inner for path in paths for inner in _read(syntax, path, depth + 1)]


def _lines(syntax: Syntax, path: Path, text: str) -> Iterator[tuple[str, str]]:
    """Yield `file:line` and the text of each line, with conditions resolved and definitions replaced."""
    for number, written in enumerate(text.split("\n"), start=1):
        place = f"{path}:{number}"
        line = _choose(syntax, _strip_comment(written), place)
        if definition := _DEFINITION.match(line):
            if definition[2].endswith("\\"):
                raise TargetError(
                    f"{place}: a definition over several lines is not supported: write its lines in place of its name"
                )
            syntax.definitions[definition[1]] = definition[2].strip()
        elif line:
            yield place, _fill_in(syntax, line, place)


def _choose(syntax: Syntax, line: str, place: str) -> str:
    """Return the line without its condition. Empty: the condition excludes the line."""
    while line.startswith("@"):
        word, *rest = line.split(None, 1)
        name = word[1:].removeprefix("^")
        syntax.config_ids.add(name)
        if syntax.config_id is None:
            raise TargetError(f"{place}: {word!r} applies to one node only: name the node with --config-id")
        if (name == syntax.config_id) == word.startswith("@^"):
            return ""
        line = rest[0] if rest else ""
    return line


def _fill_in(syntax: Syntax, line: str, place: str) -> str:
    """Return the line with all definitions replaced by their values, including nested definitions."""
    for _ in range(MAX_ROUNDS):
        refuse_template(line, place)
        if line.startswith(("~SEQ", "~LST")):
            raise TargetError(f"{place}: {line[:4]} is not supported: replace it with the lines that it generates")
        filled = _strip_comment(_USE.sub(lambda use: syntax.definitions.get(use[1] or use[2], use[0]), line))
        if filled == line:
            return line
        line = filled[:MAX_LENGTH]
    raise TargetError(f"{place}: definitions that refer to each other without end")


def _strip_comment(line: str) -> str:
    """Return the line without outer blanks and comment. A comment starts with # or ! outside of double quotes."""
    match = _BEFORE_COMMENT.match(line.strip())
    return match[0].rstrip() if match else ""


def _parts(line: str, place: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the words before each brace of a line, and the brace. For the words after the last brace, the brace is
    empty."""
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
"""The bounds of each number that a prediction uses. If the bounds are integers, the number is an integer; otherwise,
the number is in seconds."""


class Block:
    """The statements of one block, or of a file. If a keyword is repeated, its last statement takes effect."""

    def __init__(self, statements: Sequence[Statement], place: str = "") -> None:
        self.statements = statements
        self.place = place

    def last(self, keyword: str) -> Statement | None:
        return next((s for s in reversed(self.statements) if s.keyword == keyword), None)

    def lines(self, keyword: str) -> list[Statement]:
        return [line for statement in self.statements if statement.keyword == keyword for line in statement.block]

    def is_on(self, keyword: str, default: bool) -> bool:
        statement = self.last(keyword)
        return default if statement is None else statement.value() not in OFF

    def word(self, keyword: str) -> str:
        """Return the value of a keyword; empty if the keyword is missing. Raise TargetError if the keyword has no
        value."""
        statement = self.last(keyword)
        if statement is None:
            return ""
        if not statement.value():
            raise TargetError(f"{statement.place}: {keyword!r} has no value: Keepalived refuses such a file")
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
