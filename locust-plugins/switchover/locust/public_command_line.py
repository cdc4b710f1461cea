"""The command line without secrets.

The values of the locustfile's own options are hidden, because one of them may be a password. URLs are shown without
credentials and query values.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from switchover.model.redaction import HIDDEN, public_text

OURS = "--switchover-"


def public_words(words: Sequence[str], known: Collection[str]) -> tuple[str, ...]:
    """The command line; `known` are the options whose values are no secret."""
    shown = [Path(words[0]).name] if words else []
    hide_next = False
    for word in words[1:]:
        if not word.startswith("-") or word == "-":
            shown.append(HIDDEN if hide_next else _public(word))
            hide_next = False
            continue
        name, equals, value = word.partition("=")
        is_known = name in known or name.startswith(OURS) or (name[:2] in known and not name.startswith("--"))
        shown.append(name + equals + (_public(value) if is_known else HIDDEN if equals else ""))
        hide_next = not is_known and not equals
    return tuple(shown)


def _public(text: str) -> str:
    return public_text(text) if "://" in text else text
