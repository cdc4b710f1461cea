"""What Keepalived does to the lines of a configuration before it looks at their words.

Comments go, `@id` conditions choose, `$NAME=value` defines, `$NAME` and `${NAME}` are filled in at their use,
again and again until nothing changes. `~SEQ` and `~LST`, which repeat a line, are refused.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from switchover.model.errors import TargetError

MAX_LINES = 200_000
"""Of one configuration after its definitions."""

MAX_LENGTH = 1 << 16
MAX_ROUNDS = 32
"""Of one line, and of definitions within definitions."""

_DEFINITION = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)", re.ASCII)
_USE = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?:[ \t]+([^}]*))?\}|([A-Za-z_]\w*)(?=\s|$))", re.ASCII)


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
            raise TargetError(f"{place}: {chosen[:4]} is not read: write out the lines that it makes")
        filled = self._fill_in(chosen)
        if filled != chosen:
            for line in filled.split("\n"):
                yield from self._expand(strip_comment(line), place, depth + 1)
            return
        if "{{" in chosen or "{%" in chosen:
            raise TargetError(f"{place}: a template's braces: give the file that is made of the template")
        self._count += 1
        if self._count > MAX_LINES:
            raise TargetError(f"{place}: more than {MAX_LINES:,} lines once its definitions are filled in")
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

    def _fill_in(self, text: str) -> str:
        """Definitions filled in once; what is not defined stands as it is."""
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
