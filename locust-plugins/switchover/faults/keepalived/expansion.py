"""What Keepalived does to the lines of a configuration before it looks at their words.

Comments go, `@id` conditions choose, `$NAME=value` defines, `~SEQ` and `~LST` repeat, `$NAME` and `${NAME}` are
filled in at their use, again and again until nothing changes.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from switchover.model.errors import TargetError

MAX_LINES = 200_000
"""Of one configuration after its sequences: its own example has 65,000 instances in one line."""

MAX_LENGTH = 1 << 16
MAX_ROUNDS = 32
"""Of one line, and of definitions within definitions."""

_DEFINITION = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)", re.ASCII)
_USE = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?:[ \t]+([^}]*))?\}|([A-Za-z_]\w*)(?=\s|$))", re.ASCII)
_SEQUENCE = re.compile(r"~SEQ(x?)\(\s*(\w+)\s*,([^()]*)\)\s*(.*)", re.ASCII | re.DOTALL)
_LIST = re.compile(r"~LST\(\s*(\{[^}]*\}|\w+)\s*,([^()]*)\)\s*(.*)", re.ASCII | re.DOTALL)


class Expander:
    """Turns the lines of files into the lines that Keepalived acts on. Definitions last from file to file."""

    def __init__(self, config_id: str | None) -> None:
        self.config_ids: set[str] = set()
        self._config_id = config_id
        self._definitions: dict[str, str] = {}
        self._count = 0
        self._directory = Path()

    def expand_file(self, path: Path, lines: list[str]) -> Iterator[tuple[str, str]]:
        """`file:line` and text of every line that is left."""
        numbered = iter(enumerate(lines, start=1))
        for number, line in numbered:
            place = f"{path}:{number}"
            text = strip_comment(line)
            if text.endswith("\\") and self._defines(text):
                text = "\n".join([text[:-1].rstrip(), *_continued(numbered)])
            self._directory = path.parent
            yield from ((place, found) for found in self._expand(text, place, 0))

    def _defines(self, text: str) -> bool:
        return bool(_DEFINITION.match(re.sub(r"^@\S+\s+", "", text)))

    def _expand(self, text: str, place: str, depth: int) -> Iterator[str]:
        if depth > MAX_ROUNDS or len(text) > MAX_LENGTH:
            raise TargetError(f"{place}: definitions that fill in one another without end")
        chosen = self._choose(text.strip(), place)
        if not chosen:
            return
        definition = _DEFINITION.match(chosen)
        if definition:
            value = chosen[definition.start(2) :].strip()
            self._definitions[definition[1]] = value
            return
        if chosen.startswith(("~SEQ", "~LST")):
            for values, rest in _repetitions(self._fill_in(chosen, place, heads=True), place):
                self._definitions.update(values)
                yield from self._expand(rest, place, depth + 1)
            return
        filled = self._fill_in(chosen, place)
        if filled != chosen:
            for line in filled.split("\n"):
                yield from self._expand(strip_comment(line), place, depth + 1)
            return
        if "{{" in chosen or "{%" in chosen:
            raise TargetError(f"{place}: a template's braces: give the file that is made of the template")
        self._count += 1
        if self._count > MAX_LINES:
            raise TargetError(f"{place}: more than {MAX_LINES:,} lines once its sequences are written out")
        yield chosen

    def _choose(self, text: str, place: str) -> str:
        """The line without its condition, or nothing where the condition excludes it."""
        while text.startswith("@"):
            word, rest = [*text.split(None, 1), ""][:2]
            name = word[1:].removeprefix("^")
            self.config_ids.add(name)
            if self._config_id is None:
                raise TargetError(
                    f"{place}: {word!r} holds for one node only: say which node's configuration this is "
                    f"(--config-id, for {name} and its peer)"
                )
            if (name == self._config_id) == word.startswith("@^"):
                return ""
            text = rest
        return text

    def _fill_in(self, text: str, place: str, *, heads: bool = False) -> str:
        """Definitions filled in once; what is not defined stands as it is. `heads`: only in ~SEQ(…) and ~LST(…)."""
        if "$" not in text:
            return text
        if heads:
            end = text.find(")") + 1
            return self._fill_in(text[:end], place) + text[end:]
        return _USE.sub(lambda use: self._value(use[1] or use[3], use[2] or "", use[0]), text)

    def _value(self, name: str, argument: str, as_written: str) -> str:
        if name in self._definitions:
            return self._definitions[name]
        if name == "_PWD":
            return str(self._directory)
        if name == "_INSTANCE" and self._config_id is not None:
            return self._config_id
        if name == "_ENV":
            return os.environ.get(argument.strip(), as_written)
        return as_written


def strip_comment(line: str) -> str:
    """The line without its comment, which begins with # or ! outside of double quotes, and without outer blanks."""
    kept: list[str] = []
    quoted = escaped = False
    for character in line.strip():
        if escaped:
            if character in "#!" and not quoted:
                kept.pop()
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == '"':
            quoted = not quoted
        elif character in "#!" and not quoted:
            break
        kept.append(character)
    return "".join(kept).rstrip()


def _continued(numbered: Iterator[tuple[int, str]]) -> Iterator[str]:
    """The further lines of a definition: every one but the last ends in a backslash."""
    for _, line in numbered:
        text = strip_comment(line)
        yield text.removesuffix("\\").rstrip()
        if not text.endswith("\\"):
            return


def _repetitions(text: str, place: str) -> Iterator[tuple[dict[str, str], str]]:
    """For each turn of ~SEQ or ~LST its definitions, and the rest of the line."""
    sequence, listed = _SEQUENCE.match(text), _LIST.match(text)
    if sequence:
        for number in _numbers(sequence[3], place):
            yield {sequence[2]: f"{number:x}" if sequence[1] else str(number)}, sequence[4]
    elif listed:
        names = re.findall(r"\w+", listed[1])
        groups = re.findall(r"\{[^}]*\}|[^,{}\s]+", listed[2])
        for group in groups:
            values = [value.strip() for value in group.strip("{}").split(",")]
            yield dict(zip(names, values, strict=False)), listed[3]
    else:
        raise TargetError(f"{place}: {text[:60]!r} is no ~SEQ(name, first, step, last) or ~LST(name, values)")


def _numbers(text: str, place: str) -> range:
    """`last`, `first, last` or `first, step, last`, the last one included; hexadecimal as 0x10."""
    try:
        numbers = [int(part.strip(), 0) for part in text.split(",")]
        last = numbers[-1]
        first = numbers[0] if len(numbers) > 1 else 1 if last > 0 else -1
        step = numbers[1] if len(numbers) == 3 else 1 if last >= first else -1
        found = range(first, last + (1 if step > 0 else -1), step)
        if len(numbers) > 3:
            raise ValueError
    except ValueError as error:
        raise TargetError(
            f"{place}: ~SEQ needs first, step and last as whole numbers, not {text.strip()!r}"
        ) from error
    if len(found) > MAX_LINES:
        raise TargetError(f"{place}: a ~SEQ of more than {MAX_LINES:,} turns")
    return found
