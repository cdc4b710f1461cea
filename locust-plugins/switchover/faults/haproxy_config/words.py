"""A line of a haproxy.cfg cut into its words: quotes, escapes, comments, environment variables.

HAProxy's own rules (configuration manual, section 2.2 "Quoting and escaping" and 2.3 "Environment variables").
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from switchover.faults.config_file import Place, Words
from switchover.model.errors import TargetError

_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?:\[\*\])?(?:-([^}]*))?\}|([A-Za-z_]\w*))", re.ASCII)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_BLANKS = " \t\n\v\f\r"
MAX_LINE = 1 << 16


@dataclass(frozen=True, slots=True)
class HaproxyLine(Words):
    """The words of one line, and the variables in it of which only HAProxy's own environment knows the value."""

    words: tuple[str, ...]
    place: Place
    unknown: tuple[str, ...] = ()
    is_conditional: bool = False
    """It stands in a condition that only HAProxy itself can decide."""


def cut_into_words(text: str, place: Place, environment: Mapping[str, str]) -> HaproxyLine:
    """Words without quotes; variables count only between double quotes. Raises TargetError with the place."""
    if len(text) > MAX_LINE:
        raise TargetError(f"{place}: a line of more than {MAX_LINE:,} characters")
    words: list[str] = []
    unknown: list[str] = []
    word: list[str] | None = None
    quote, position = "", 0
    while position < len(text):
        character = text[position]
        if character == "\\" and quote != "'":
            escaped = text[position + 1 : position + 2]
            word = [*(word or []), _ESCAPES.get(escaped, escaped)]
            position += 2
            continue
        if character in "\"'" and quote in ("", character):
            quote = "" if quote else character
            word = word or []
        elif not quote and character == "#":
            break
        elif not quote and character in _BLANKS:
            if word is not None:
                words.append("".join(word))
            word = None
        elif character == "$" and quote == '"' and (match := _VARIABLE.match(text, position)):
            word = [*(word or []), _value(match, environment, unknown)]
            position = match.end()
            continue
        else:
            word = word or []
            word.append(character)
        position += 1
    if quote:
        raise TargetError(f"{place}: a quote that is never closed")
    if word is not None:
        words.append("".join(word))
    return HaproxyLine(tuple(words), place, tuple(unknown))


def _value(match: re.Match[str], environment: Mapping[str, str], unknown: list[str]) -> str:
    name, default = match[1] or match[3], match[2]
    if name in environment:
        return environment[name]
    unknown.append(name)
    return default if default is not None else match[0]
